// Shared by tests of the C API: a context and a model that clean up, and pictures with content.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "../../src/capi/metadata_handler.h"
#include "libvmaf/libvmaf.h"

namespace capi_test {

inline VmafConfiguration quiet(unsigned threads = 0, unsigned subsample = 0) {
    VmafConfiguration cfg{};
    cfg.n_threads = threads;
    cfg.n_subsample = subsample;
    return cfg;
}

// A context that closes itself.
struct Context {
    VmafContext *ctx = nullptr;
    explicit Context(VmafConfiguration cfg = quiet()) { EXPECT_EQ(vmaf_init(&ctx, cfg), 0); }
    ~Context() { EXPECT_EQ(vmaf_close(ctx), 0); }
    operator VmafContext *() { return ctx; }
};

struct LoadedModel {
    VmafModel *model = nullptr;
    explicit LoadedModel(const char *version, const char *name = nullptr, uint64_t flags = 0) {
        VmafModelConfig cfg{name, flags};
        EXPECT_EQ(vmaf_model_load(&model, &cfg, version), 0);
    }
    ~LoadedModel() { vmaf_model_destroy(model); }
    operator VmafModel *() { return model; }
};

inline VmafPicture picture(unsigned w, unsigned h, unsigned seed, unsigned bpc = 8,
                           VmafPixelFormat format = VMAF_PIX_FMT_YUV420P) {
    VmafPicture pic;
    EXPECT_EQ(vmaf_picture_alloc(&pic, format, bpc, w, h), 0);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic.h[p]; y++)
            for (unsigned x = 0; x < pic.w[p]; x++) {
                const unsigned v = (x * 7 + y * 13 + seed * 29 + (x * y) % 31) & 0xff;
                auto *row = static_cast<unsigned char *>(pic.data[p]) + static_cast<ptrdiff_t>(y) * pic.stride[p];
                if (bpc == 8)
                    row[x] = static_cast<unsigned char>(v);
                else
                    reinterpret_cast<unsigned short *>(row)[x] = static_cast<unsigned short>(v << (bpc - 8));
            }
    return pic;
}

inline int feed(VmafContext *ctx, unsigned index, unsigned w = 64, unsigned h = 48) {
    VmafPicture ref = picture(w, h, index), dis = picture(w, h, index + 1);
    const int err = vmaf_read_pictures(ctx, &ref, &dis, index);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dis);
    }
    return err;
}

// Reads a document and removes it.
inline std::string text_of(const char *path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    std::remove(path);
    return text.str();
}

} // namespace capi_test
