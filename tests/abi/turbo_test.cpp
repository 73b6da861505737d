// libvmaf/turbo.h as clients use it: the caller's pictures in host memory and on a device (the host device under the
// name of CUDA, as in cuda_api_test.cpp).
#include "libvmaf/turbo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client.hpp"
#include "libvmaf/libvmaf_cuda.h"

namespace {

using namespace capi_test;

constexpr unsigned kWidth = 96, kHeight = 64, kFrames = 6;

struct Way {
    VmafTurboMemory memory;
    bool in_place, overwrites;
    unsigned extra_bytes; // between rows
};

std::atomic<int> held{0};
void release(void *user) {
    static_cast<std::vector<unsigned char> *>(user)->assign(1, 0); // exposes later reads
    held--;
}

// A frame in the test's memory, planes in sequence.
struct Frame {
    std::vector<unsigned char> bytes;
    VmafTurboPicture picture{};

    Frame(unsigned seed, unsigned bpc, VmafPixelFormat format, const Way &way, unsigned width = kWidth,
          unsigned height = kHeight) {
        VmafPicture drawn = capi_test::picture(width, height, seed, bpc, format);
        std::array<std::size_t, 3> offset{}, stride{};
        std::size_t size = 0;
        for (unsigned p = 0; p < 3; p++) {
            const std::size_t row = drawn.w[p] * (bpc > 8 ? 2 : 1);
            stride[p] = (row + 31) / 32 * 32 + way.extra_bytes;
            offset[p] = size;
            size += stride[p] * drawn.h[p];
        }
        bytes.resize(size + VMAF_TURBO_PADDING);
        picture = {
            .size = sizeof picture, .pix_fmt = format, .bpc = bpc, .w = width, .h = height, .memory = way.memory};
        for (unsigned p = 0; p < 3 && drawn.h[p]; p++) {
            picture.data[p] = bytes.data() + offset[p];
            picture.stride[p] = static_cast<std::ptrdiff_t>(stride[p]);
            for (unsigned y = 0; y < drawn.h[p]; y++)
                std::memcpy(bytes.data() + offset[p] + y * stride[p],
                            static_cast<unsigned char *>(drawn.data[p]) + y * static_cast<std::size_t>(drawn.stride[p]),
                            drawn.w[p] * (bpc > 8 ? 2 : 1));
        }
        vmaf_picture_unref(&drawn);
        if (!way.in_place) return;
        picture.release = release;
        picture.user = &bytes;
        picture.padding = VMAF_TURBO_PADDING;
        held++;
    }
};

// Of psnr (all planes) and motion (looks back).
std::vector<double> scores_of(VmafContext *ctx) {
    std::vector<double> out;
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    for (unsigned i = 0; i < kFrames; i++)
        for (const char *const name : {"psnr_y", "psnr_cb", "VMAF_integer_feature_motion2_score"}) {
            double score = -1;
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, name, &score, i), 0) << name;
            out.push_back(score);
        }
    return out;
}

std::vector<double> turbo_scores(const Way &way, unsigned bpc, VmafPixelFormat format, unsigned threads,
                                 bool with_device) {
    std::vector<std::unique_ptr<Frame>> frames; // the last ones live until the context closes
    Context ctx(quiet(threads));
    VmafCudaState *state = nullptr;
    if (with_device) {
        EXPECT_EQ(vmaf_cuda_state_init(&state, {}), 0);
        EXPECT_EQ(vmaf_cuda_import_state(ctx, state), 0);
    }
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    EXPECT_EQ(vmaf_use_feature(ctx, "motion", nullptr), 0);
    for (unsigned i = 0; i < kFrames; i++) {
        frames.push_back(std::make_unique<Frame>(i, bpc, format, way));
        frames.push_back(std::make_unique<Frame>(i + 1, bpc, format, way));
        Frame &ref = *frames[2 * i], &dist = *frames[2 * i + 1];
        EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &ref.picture, &dist.picture, i), 0) << vmaf_turbo_last_error();
        if (!way.overwrites) continue;
        EXPECT_EQ(i % 2 ? vmaf_turbo_wait_read(ctx) : vmaf_turbo_hold_stream(ctx, nullptr), 0);
        EXPECT_EQ(vmaf_turbo_wait_read(ctx), 0); // the host device has no queues to hold
        for (Frame *const frame : {&ref, &dist}) std::fill(frame->bytes.begin(), frame->bytes.end(), 255);
    }
    std::vector<double> out = scores_of(ctx);
    vmaf_cuda_state_free(state);
    return out;
}

TEST(Turbo, PicturesOfTheCallerScoreAsOurOwn) {
    constexpr auto kHost = VMAF_TURBO_MEMORY_HOST, kDevice = VMAF_TURBO_MEMORY_DEVICE;
    for (const auto &[bpc, format] :
         {std::pair{8u, VMAF_PIX_FMT_YUV420P}, {10u, VMAF_PIX_FMT_YUV444P}, {16u, VMAF_PIX_FMT_YUV422P}}) {
        std::vector<double> expected;
        {
            Context ctx;
            EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
            EXPECT_EQ(vmaf_use_feature(ctx, "motion", nullptr), 0);
            for (unsigned i = 0; i < kFrames; i++) {
                VmafPicture ref = picture(kWidth, kHeight, i, bpc, format),
                            dist = picture(kWidth, kHeight, i + 1, bpc, format);
                EXPECT_EQ(vmaf_read_pictures(ctx, &ref, &dist, i), 0);
            }
            expected = scores_of(ctx);
        }
        for (const unsigned extra : {0u, 6u})
            for (const unsigned threads : {0u, 2u}) {
                EXPECT_EQ(turbo_scores({kHost, false, true, extra}, bpc, format, threads, false), expected);
                EXPECT_EQ(turbo_scores({kHost, true, false, extra}, bpc, format, threads, false), expected);
                EXPECT_EQ(turbo_scores({kHost, false, true, extra}, bpc, format, threads, true), expected);
                EXPECT_EQ(turbo_scores({kHost, true, false, extra}, bpc, format, threads, true), expected);
                EXPECT_EQ(turbo_scores({kDevice, false, true, extra}, bpc, format, threads, true), expected);
                EXPECT_EQ(turbo_scores({kDevice, true, false, extra}, bpc, format, threads, true), expected);
            }
    }
    EXPECT_EQ(held, 0); // each was released once
}

// A document of metrics that copy or read neighbours, from pictures read in place.
std::string document_with_pitch(unsigned extra_bytes) {
    constexpr unsigned width = 243, height = 226; // cambi's minimum, and odd
    constexpr Way way{VMAF_TURBO_MEMORY_HOST, true, false, 0};
    Way padded = way;
    padded.extra_bytes = extra_bytes;
    Frame ref(1, 10, VMAF_PIX_FMT_YUV420P, padded, width, height),
        dist(2, 10, VMAF_PIX_FMT_YUV420P, padded, width, height);
    for (unsigned y = 0; y < height; y++) { // bands
        auto *const row = reinterpret_cast<std::uint16_t *>(dist.bytes.data() +
                                                            static_cast<std::ptrdiff_t>(y) * dist.picture.stride[0]);
        for (unsigned x = 0; x < width; x++) row[x] = static_cast<std::uint16_t>(300 + (x + y) / 24);
    }
    std::string text;
    {
        Context ctx;
        for (const char *const name :
             {"cambi", "vif", "adm", "motion", "float_ssim", "psnr_hvs", "ssimulacra2", "ciede"})
            EXPECT_EQ(vmaf_use_feature(ctx, name, nullptr), 0) << name;
        EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &ref.picture, &dist.picture, 0), 0) << vmaf_turbo_last_error();
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        EXPECT_EQ(vmaf_write_output(ctx, "pitch.csv", VMAF_OUTPUT_FORMAT_CSV), 0);
        text = text_of("pitch.csv");
    }
    return text;
}

TEST(Turbo, NoMetricDependsOnThePitch) {
    const std::string wanted = document_with_pitch(0);
    EXPECT_EQ(wanted.find("\n0,0.000000,"), std::string::npos) << wanted; // cambi detects the bands
    for (const unsigned extra : {32u, 96u, 1024u}) EXPECT_EQ(document_with_pitch(extra), wanted);
}

std::vector<double> scores_of_encode(VmafContext *ctx, unsigned frames) {
    std::vector<double> out;
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    for (unsigned i = 0; i < frames; i++)
        for (const char *const name : {"VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale3_score",
                                       "VMAF_integer_feature_adm2_score", "VMAF_integer_feature_motion2_score"}) {
            double score = -1;
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, name, &score, i), 0) << name;
            out.push_back(score);
        }
    return out;
}

// Encode 2 ends early, and a frame of encode 1 has another size.
TEST(Turbo, SeveralEncodesOfOneReferenceScoreAsEachAlone) {
    for (const bool in_place : {false, true})
        for (const unsigned threads : {0u, 2u}) {
            const Way way{VMAF_TURBO_MEMORY_HOST, in_place, false, 0};
            std::vector<std::unique_ptr<Context>> together, alone;
            for (auto *const contexts : {&together, &alone})
                for (unsigned k = 0; k < 3; k++) {
                    contexts->push_back(std::make_unique<Context>(quiet(threads)));
                    for (const char *const feature : {"vif", "adm", "motion"})
                        EXPECT_EQ(vmaf_use_feature(*contexts->back(), feature, nullptr), 0);
                }
            VmafContext *const contexts[] = {*together[0], *together[1], *together[2]};
            std::vector<std::unique_ptr<Frame>> frames;
            const auto frame = [&](unsigned seed) {
                frames.push_back(std::make_unique<Frame>(seed, 8, VMAF_PIX_FMT_YUV420P, way));
                return &frames.back()->picture;
            };
            for (unsigned i = 0; i < kFrames; i++) {
                VmafTurboPicture *const encodes[] = {frame(10 + i), frame(20 + i), i < 4 ? frame(30 + i) : nullptr};
                int results[3] = {7, 7, 7};
                VmafTurboPicture wrong = *frame(1);
                wrong.w -= 2;
                if (i == 5) {
                    const VmafTurboPicture *const given[] = {encodes[0], &wrong, nullptr};
                    EXPECT_EQ(vmaf_turbo_read_encodes(contexts, 3, frame(i), given, i, results), -EINVAL);
                    EXPECT_NE(std::string(vmaf_turbo_last_error()), "");
                    EXPECT_EQ(results[1], -EINVAL);
                } else {
                    EXPECT_EQ(vmaf_turbo_read_encodes(contexts, 3, frame(i), encodes, i, results), 0);
                    EXPECT_STREQ(vmaf_turbo_last_error(), "");
                    EXPECT_EQ(results[1], 0);
                    EXPECT_EQ(vmaf_turbo_read_pictures(*alone[1], frame(i), frame(20 + i), i), 0);
                }
                EXPECT_EQ(results[0] | results[2], 0);
                EXPECT_EQ(vmaf_turbo_read_pictures(*alone[0], frame(i), frame(10 + i), i), 0);
                if (i < 4) {
                    EXPECT_EQ(vmaf_turbo_read_pictures(*alone[2], frame(i), frame(30 + i), i), 0);
                }
            }
            for (unsigned k = 0; k < 3; k++) {
                const unsigned count = k == 0 ? kFrames : k == 1 ? 5 : 4;
                EXPECT_EQ(scores_of_encode(*together[k], count), scores_of_encode(*alone[k], count)) << k;
            }
            held = 0; // refused pictures were not released
        }
}

TEST(Turbo, EncodesNeedContextsOfTheirOwn) {
    Context ctx;
    const Frame frame(0, 8, VMAF_PIX_FMT_YUV420P, {});
    const VmafTurboPicture *const encodes[] = {&frame.picture, &frame.picture};
    int results[] = {0, 0};
    VmafContext *const twice[] = {ctx, ctx}, *const none[] = {ctx, nullptr};
    EXPECT_EQ(vmaf_turbo_read_encodes(twice, 2, &frame.picture, encodes, 0, results), -EINVAL);
    EXPECT_EQ(results[0], -EINVAL);
    EXPECT_EQ(vmaf_turbo_read_encodes(none, 2, &frame.picture, encodes, 0, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_turbo_read_encodes(twice, 0, &frame.picture, encodes, 0, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_turbo_read_encodes(twice, 1, nullptr, encodes, 0, nullptr), -EINVAL);
}

TEST(Turbo, RowsMayGoBackwards) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    Frame ref(0, 8, VMAF_PIX_FMT_YUV400P, {}), dist(0, 8, VMAF_PIX_FMT_YUV400P, {});
    for (VmafTurboPicture *const picture : {&ref.picture, &dist.picture}) {
        picture->data[0] = static_cast<const unsigned char *>(picture->data[0]) + picture->stride[0] * (kHeight - 1);
        picture->stride[0] = -picture->stride[0];
    }
    EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &ref.picture, &dist.picture, 0), 0);
    double score = 0;
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "psnr_y", &score, 0), 0);
    EXPECT_EQ(score, 60);
}

TEST(Turbo, InvalidPicturesAreRefusedAndStayTheCallers) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    const Frame good(0, 10, VMAF_PIX_FMT_YUV420P, {});
    const auto refused = [&](auto change) {
        VmafTurboPicture bad = good.picture;
        bad.release = [](void *) { FAIL() << "released"; };
        change(bad);
        const int result = vmaf_turbo_read_pictures(ctx, &good.picture, &bad, 0);
        EXPECT_NE(std::string(vmaf_turbo_last_error()), "");
        return result;
    };
    EXPECT_EQ(refused([](auto &p) { p.size = 0; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.data[1] = nullptr; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.stride[2] = 1; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.stride[0]++; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.bpc = 17; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.w = 0; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.w = kWidth - 2; }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { std::memset(&p.memory, 7, 1); }), -EINVAL);
    EXPECT_EQ(refused([](auto &p) { p.memory = VMAF_TURBO_MEMORY_DEVICE; }), -EINVAL);
    EXPECT_EQ(vmaf_turbo_read_pictures(nullptr, &good.picture, &good.picture, 0), -EINVAL);
    EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &good.picture, nullptr, 0), -EINVAL);
    EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &good.picture, &good.picture, 0), 0);
    EXPECT_STREQ(vmaf_turbo_last_error(), "");
}

TEST(Turbo, EveryFailureHasItsOwnMessage) {
    Context ctx;
    EXPECT_EQ(vmaf_turbo_use_backend(ctx, "gpu", -1), -EINVAL);
    const std::string earlier = vmaf_turbo_last_error();
    const auto sentence_of = [&](int result, int expected) {
        EXPECT_EQ(result, expected);
        const std::string sentence = vmaf_turbo_last_error();
        EXPECT_NE(sentence, "");
        EXPECT_NE(sentence, earlier);
        return sentence;
    };
    VmafContext *many = nullptr;
    EXPECT_NE(sentence_of(vmaf_init(&many, {.n_threads = 5000}), -ENOMEM).find("4096 threads"), std::string::npos);
    sentence_of(vmaf_use_feature(ctx, nullptr, nullptr), -EINVAL);
    sentence_of(vmaf_use_features_from_model(nullptr, nullptr), -EINVAL);
    VmafPicture strange{};
    EXPECT_NE(sentence_of(vmaf_read_pictures(ctx, &strange, &strange, 0), -EINVAL).find("vmaf_picture_alloc"),
              std::string::npos);
    sentence_of(vmaf_fetch_preallocated_picture(ctx, &strange), -EINVAL);
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    EXPECT_STREQ(vmaf_turbo_last_error(), "");
}

TEST(Turbo, OptionsOfFeaturesCanBeChecked) {
    const auto check = [](const char *feature, const char *option) {
        VmafFeatureDictionary *options = nullptr;
        EXPECT_EQ(vmaf_feature_dictionary_set(&options, option, "1"), 0);
        const int result = vmaf_turbo_check_feature(feature, options);
        const std::string sentence = vmaf_turbo_last_error();
        EXPECT_EQ(vmaf_feature_dictionary_free(&options), 0);
        EXPECT_EQ(result, sentence.empty() ? 0 : -EINVAL);
        return sentence;
    };
    EXPECT_EQ(check("psnr", "enable_mse"), "");
    EXPECT_NE(check("psnr", "enable_msc").find("it has enable_chroma, enable_mse"), std::string::npos);
    EXPECT_NE(check("no_such", "enable_mse").find("no feature 'no_such'"), std::string::npos);
    EXPECT_NE(check("psnr", "turbo.devices").find("turbo.device"), std::string::npos);
    EXPECT_EQ(vmaf_turbo_check_feature("psnr", nullptr), 0);
    EXPECT_EQ(vmaf_turbo_check_feature(nullptr, nullptr), -EINVAL);
}

TEST(Turbo, OlderAndNewerStructuresAreUnderstood) {
    Context ctx;
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    Frame frame(0, 8, VMAF_PIX_FMT_YUV420P, {});
    frame.picture.size = offsetof(VmafTurboPicture, stream); // later members count as 0
    frame.picture.release = [](void *) { FAIL() << "released"; };
    EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &frame.picture, &frame.picture, 0), 0);
    struct {
        VmafTurboPicture known;
        long more;
    } newer{frame.picture, 0};
    newer.known.release = nullptr;
    newer.known.size = sizeof newer;
    EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &newer.known, &newer.known, 1), 0);
    newer.more = 1;
    EXPECT_EQ(vmaf_turbo_read_pictures(ctx, &newer.known, &newer.known, 2), -EINVAL);
}

TEST(Turbo, BackendsAreChosenAndDescribed) {
    EXPECT_EQ(vmaf_turbo_version(), VMAF_TURBO_VERSION);
    Context ctx;
    VmafTurboDevice device{};
    EXPECT_EQ(vmaf_turbo_device(ctx, &device), -EINVAL); // no size
    device.size = sizeof device;
    EXPECT_EQ(vmaf_turbo_device(ctx, &device), 0);
    EXPECT_STREQ(device.backend, "cpu");
    EXPECT_EQ(device.index, -1);
    EXPECT_EQ(vmaf_turbo_use_backend(ctx, "gpu", -1), -EINVAL);
    EXPECT_EQ(vmaf_turbo_use_backend(ctx, "cuda", -2), -EINVAL);
    EXPECT_EQ(vmaf_turbo_use_backend(ctx, "cpu", 0), -EINVAL); // the CPU has no devices
    EXPECT_NE(std::string(vmaf_turbo_last_error()).find("turbo.device=0"), std::string::npos);
    EXPECT_EQ(vmaf_turbo_use_backend(ctx, "cpu", -1), 0);
    EXPECT_EQ(vmaf_turbo_use_backend(ctx, "auto", -1), -EINVAL);
    EXPECT_EQ(vmaf_turbo_wait_read(ctx), 0); // nothing to wait for
    EXPECT_EQ(vmaf_turbo_hold_stream(ctx, nullptr), 0);
    VmafCudaState *state = nullptr;
    Context gpu;
    EXPECT_EQ(vmaf_cuda_state_init(&state, {}), 0);
    EXPECT_EQ(vmaf_cuda_import_state(gpu, state), 0);
    EXPECT_EQ(vmaf_turbo_device(gpu, &device), 0);
    EXPECT_STREQ(device.backend, "cuda");
    EXPECT_EQ(vmaf_cuda_state_free(state), 0);
}

} // namespace
