/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PICTURE_H
#define VMAF_PICTURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum VmafPixelFormat {
    VMAF_PIX_FMT_UNKNOWN = 0,
    VMAF_PIX_FMT_YUV420P = 1,
    VMAF_PIX_FMT_YUV422P = 2,
    VMAF_PIX_FMT_YUV444P = 3,
    VMAF_PIX_FMT_YUV400P = 4
};

typedef struct VmafRef VmafRef;

/* Planar samples. bpc 8: one byte each; 9 to 16: two bytes each, native endianness, value in the low bits. */
typedef struct VmafPicture {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
    unsigned w[3], h[3]; /* per plane; chroma sizes are rounded down */
    ptrdiff_t stride[3]; /* bytes */
    void *data[3];
    VmafRef *ref; /* private */
    void *priv;   /* private */
} VmafPicture;

/* Allocates a zero-filled picture. Release it with vmaf_picture_unref(), or hand it to vmaf_read_pictures(). */
int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h);

/* Drops this reference and clears the struct. */
int vmaf_picture_unref(VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
