/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_FEATURE_H
#define VMAF_FEATURE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a feature extractor: names and values, both texts. */
typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/* Sets an option, replacing an earlier value; creates *dict if it is NULL. */
int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val);

/* Frees a dictionary that no other call has taken over, and sets *dict to NULL. */
int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict);

#ifdef __cplusplus
}
#endif

#endif
