/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_H
#define VMAF_H

#include <stdint.h>
#include <stdio.h>

#include "libvmaf/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless stated otherwise functions return 0, or a negative errno value.
 *
 * Life of a context: vmaf_init(); load models and register features; vmaf_read_pictures() for each pair; once
 * vmaf_read_pictures(ctx, NULL, NULL, 0) to flush; scores and documents; vmaf_close(). */

enum VmafLogLevel {
    VMAF_LOG_LEVEL_NONE = 0,
    VMAF_LOG_LEVEL_ERROR = 1,
    VMAF_LOG_LEVEL_WARNING = 2,
    VMAF_LOG_LEVEL_INFO = 3,
    VMAF_LOG_LEVEL_DEBUG = 4
};

enum VmafOutputFormat {
    VMAF_OUTPUT_FORMAT_NONE = 0,
    VMAF_OUTPUT_FORMAT_XML = 1,
    VMAF_OUTPUT_FORMAT_JSON = 2,
    VMAF_OUTPUT_FORMAT_CSV = 3,
    VMAF_OUTPUT_FORMAT_SUB = 4
};

enum VmafPoolingMethod {
    VMAF_POOL_METHOD_UNKNOWN = 0,
    VMAF_POOL_METHOD_MIN = 1,
    VMAF_POOL_METHOD_MAX = 2,
    VMAF_POOL_METHOD_MEAN = 3,
    VMAF_POOL_METHOD_HARMONIC_MEAN = 4,
    VMAF_POOL_METHOD_NB = 5
};

typedef struct VmafConfiguration {
    enum VmafLogLevel log_level; /* messages on stderr, process-wide */
    unsigned n_threads;          /* worker threads; 0: the calling thread does the work */
    unsigned n_subsample;        /* score every n-th frame; 0 and 1: all */
    uint64_t cpumask;            /* instruction sets not to use */
    uint64_t gpumask;            /* not 0: features of models stay on the CPU */
} VmafConfiguration;

typedef struct VmafPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    unsigned pic_cnt;
} VmafPictureConfiguration;

typedef struct VmafContext VmafContext;

int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg);

/* Registers the feature extractors that a model needs. */
int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model);
int vmaf_use_features_from_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection);

/* Registers a feature extractor by name, e.g. "psnr". Takes opts_dict over, except when the name is unknown. */
int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict);

/* Stores a score that was computed elsewhere. */
int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value, unsigned index);

/* A pool of pictures. Fetching waits until one is free; pictures return when their last reference goes. */
int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg);
int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/* Scores a pair of pictures; on success both are taken over and the structs cleared. Both NULL: flush. */
int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index);

int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index);
int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score, unsigned index);
int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score, unsigned index);

/* Pools over the frames index_low to index_high, both included. */
int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method, double *score,
                      unsigned index_low, unsigned index_high);
int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method, VmafModelCollectionScore *score,
                                       unsigned index_low, unsigned index_high);
int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name, enum VmafPoolingMethod pool_method,
                              double *score, unsigned index_low, unsigned index_high);

/* Releases everything that the context holds. Does not destroy models. */
int vmaf_close(VmafContext *vmaf);

/* Writes a document with all scores stored so far. */
int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt);

/* The same with a printf format for one double, e.g. "%.17g"; NULL: "%.6f". */
int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt,
                                  const char *score_format);

/* The libvmaf version whose interface this library implements. */
const char *vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif
