/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_MODEL_H
#define VMAF_MODEL_H

#include <stdint.h>

#include "libvmaf/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafModel VmafModel;
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelFlags {
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1),
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2)
};

typedef struct VmafModelConfig {
    const char *name; /* name of the score; NULL: "vmaf" */
    uint64_t flags;   /* VmafModelFlags */
} VmafModelConfig;

enum VmafModelCollectionScoreType {
    VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
    VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP = 1
};

typedef struct VmafModelCollectionScore {
    enum VmafModelCollectionScoreType type;
    struct {
        double bagging_score;
        double stddev;
        struct {
            struct {
                double lo;
                double hi;
            } p95;
        } ci;
    } bootstrap;
} VmafModelCollectionScore;

/* Loads a built-in model by version, e.g. "vmaf_v0.6.1", or a JSON model file. *model is NULL after a failure to
 * parse. */
int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version);
int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path);

/* Overrides options of a feature extractor that the model uses. Takes opts_dict over unless an argument is NULL. Call
 * before vmaf_use_features_from_model(). */
int vmaf_model_feature_overload(VmafModel *model, const char *feature_name, VmafFeatureDictionary *opts_dict);

void vmaf_model_destroy(VmafModel *model);

/* Bootstrap collections: *model is the model proper, *model_collection its bootstrap members. Destroy both. */
int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection, VmafModelConfig *cfg,
                               const char *version);
int vmaf_model_collection_load_from_path(VmafModel **model, VmafModelCollection **model_collection,
                                         VmafModelConfig *cfg, const char *path);
int vmaf_model_collection_feature_overload(VmafModel *model, VmafModelCollection **model_collection,
                                           const char *feature_name, VmafFeatureDictionary *opts_dict);
void vmaf_model_collection_destroy(VmafModelCollection *model_collection);

/* Walks the built-in versions: prev NULL starts; NULL is returned, and *version left alone, at the end. */
const void *vmaf_model_version_next(const void *prev, const char **version);

#ifdef __cplusplus
}
#endif

#endif
