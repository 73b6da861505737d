/* The score callback that the reference exports without a header (models.md 6.5); clients declare it for themselves.
 * Outside of any namespace and by the same names everywhere, so that sanitizers know the types. */
#pragma once

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif
typedef struct VmafMetadata {
    char *feature_name;
    unsigned picture_index;
    double score;
} VmafMetadata;
typedef struct VmafMetadataConfiguration {
    char *feature_name;
    void (*callback)(void *data, VmafMetadata *metadata);
    void *data;
} VmafMetadataConfiguration;
__attribute__((visibility("default"))) int vmaf_register_metadata_handler(VmafContext *vmaf,
                                                                          VmafMetadataConfiguration cfg);
#ifdef __cplusplus
}
#endif
