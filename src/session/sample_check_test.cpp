// Devices find and report samples above the bit depth like the CPU. Uses the host device.
#include <gtest/gtest.h>

#include <cstring>

#include "device/host/host_device.hpp"
#include "metrics/registry.hpp"
#include "session/sample_check.hpp"
#include "session/session.hpp"

namespace vmaf::sample_check_test {
namespace {

Picture flat(const PictureFormat &format, unsigned value) {
    const Picture picture = Picture::allocate(format);
    for (unsigned p = 0; p < format.planes(); p++)
        for (unsigned y = 0; y < format.plane_height(p); y++)
            for (unsigned x = 0; x < format.plane_width(p) * format.bytes_per_sample(); x++)
                picture.data(p)[std::ptrdiff_t{y} * picture.stride_bytes(p) + x] =
                    std::byte(x % format.bytes_per_sample() ? 0 : value + x % 7);
    return picture;
}

Picture with_sample(const PictureFormat &format, unsigned plane, unsigned x, unsigned y, std::uint16_t value) {
    const Picture picture = flat(format, 3);
    std::memcpy(picture.data(plane) + std::ptrdiff_t{y} * picture.stride_bytes(plane) + 2 * x, &value, 2);
    return picture;
}

// Claims to be on the device, like pictures of vmaf_cuda_fetch_preallocated_picture; on the host device that is true.
class OnDevice final : public PictureBuffer {
  public:
    explicit OnDevice(const Picture &from) : PictureBuffer(from.format()), from_(from) {
        memory = Memory::device;
        for (unsigned p = 0; p < 3; p++) {
            data[p] = from.data(p);
            stride[p] = from.stride_bytes(p);
        }
    }

  private:
    Picture from_;
};

struct Trial {
    unsigned threads = 0, batch = 0, lanes = 32, gpumask = 0;
    bool on_device = false; // pictures
    std::vector<std::string> features = {"psnr"};
};

// The errors of a run in which frame `bad_at` has this distorted picture (or reference), and whether the other frames
// have scores.
struct Outcome {
    std::vector<std::string> errors;
    std::vector<bool> has_score;
};

Outcome run(const Trial &trial, bool with_device, const Picture &bad, bool is_reference, unsigned bad_at,
            unsigned frames = 6) {
    Session session({.threads = trial.threads, .gpumask = with_device ? trial.gpumask : 0});
    if (with_device)
        session.use_device({.device = open_host_device(trial.lanes), .is_explicit = false, .batch = trial.batch});
    for (const std::string &name : trial.features)
        session.use_feature(with_device ? name : name.substr(0, name.find("_host")), {});
    Outcome outcome;
    const auto retried = [&](const auto &call) { // later calls report errors, once each
        for (int i = 0; i < 20; i++) try {
                return call();
            } catch (const Error &e) {
                EXPECT_EQ(e.code(), EINVAL);
                outcome.errors.emplace_back(e.what());
                if (!with_device && trial.threads == 0) return; // this frame's error
            }
        FAIL() << "the errors never end";
    };
    for (unsigned i = 0; i < frames; i++) {
        const auto placed = [&](const Picture &p) { return trial.on_device ? Picture(new OnDevice(p)) : p; };
        const Picture good = placed(flat(bad.format(), i)),
                      other = placed(i == bad_at ? bad : flat(bad.format(), i + 9));
        retried([&] { is_reference ? session.read(other, good, i) : session.read(good, other, i); });
    }
    retried([&] { session.flush(); });
    for (unsigned i = 0; i < frames; i++)
        outcome.has_score.push_back(session.scores().find(session.score_names().front(), i).has_value());
    return outcome;
}

void expect_alike(const Trial &trial, const Picture &bad, bool is_reference, unsigned bad_at) {
    const Outcome cpu = run({.features = trial.features}, false, bad, is_reference, bad_at);
    const Outcome device = run(trial, true, bad, is_reference, bad_at);
    EXPECT_EQ(cpu.errors, device.errors);
    EXPECT_EQ(cpu.has_score, device.has_score);
    ASSERT_EQ(cpu.errors.size(), 1u);
    EXPECT_NE(cpu.errors[0].find("frame " + std::to_string(bad_at) + ": "), std::string::npos) << cpu.errors[0];
}

TEST(SampleCheck, DevicesReportTheErrorsOfTheCpu) {
    for (const unsigned bits : {9u, 10u, 12u, 14u})
        for (const PixelFormat pixels : {PixelFormat::yuv420p, PixelFormat::yuv444p, PixelFormat::yuv400p}) {
            const PictureFormat format{pixels, bits, 70, 35};
            const Trial trial{.features = {bits == 10 || bits == 12 ? "psnr" : "vif"}};
            for (unsigned p = 0; p < (bits == 10 || bits == 12 ? format.planes() : 1u); p++)
                for (const unsigned y : {0u, format.plane_height(p) - 1})
                    for (const unsigned x : {0u, format.plane_width(p) - 1}) {
                        const auto value = static_cast<std::uint16_t>((1u << bits) + x);
                        expect_alike(trial, with_sample(format, p, x, y, value), (x + bits) % 2 == 0, (p + bits) % 5);
                    }
        }
}

TEST(SampleCheck, FindsTheFirstSampleOfLargePlanes) {
    const PictureFormat format{PixelFormat::yuv422p, 10, 1100, 50}; // several blocks across and down
    const Picture bad = with_sample(format, 0, 1099, 20, 1024);
    std::memcpy(bad.data(0) + 21 * bad.stride_bytes(0), "\xff\xff", 2); // a later row
    std::memcpy(bad.data(1), "\xff\xff", 2);                            // a later plane
    for (const unsigned lanes : {32u, 64u}) expect_alike({.lanes = lanes}, bad, false, 2);
}

TEST(SampleCheck, RecognisesSamplesAtTheTopOf16Bits) {
    const PictureFormat format{PixelFormat::yuv420p, 10, 64, 40};
    const Picture high = flat(format, 0);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < format.plane_height(p); y++)
            for (unsigned x = 0; x < format.plane_width(p); x++) {
                const auto value = static_cast<std::uint16_t>((x * 5 + y) << 6);
                std::memcpy(high.data(p) + std::ptrdiff_t{y} * high.stride_bytes(p) + 2 * x, &value, 2);
            }
    expect_alike({}, high, true, 0);
    const Outcome told = run({}, true, high, false, 3);
    ASSERT_EQ(told.errors.size(), 1u);
    EXPECT_NE(told.errors[0].find("right by 6 bits"), std::string::npos) << told.errors[0];
    const Outcome other = run({}, true, with_sample(format, 0, 5, 5, 0x4000), false, 3);
    ASSERT_EQ(other.errors.size(), 1u);
    EXPECT_NE(other.errors[0].find("probably wrong"), std::string::npos) << other.errors[0];
}

TEST(SampleCheck, HoldsForBatchesThreadsAndPicturesOnTheDevice) {
    const PictureFormat format{PixelFormat::yuv420p, 12, 48, 40};
    const Picture bad = with_sample(format, 2, 7, 9, 0x7001);
    for (const unsigned batch : {1u, 4u})
        for (const unsigned threads : {0u, 2u})
            for (const bool on_device : {false, true})
                for (const unsigned bad_at : {0u, 3u, 5u}) {
                    SCOPED_TRACE(testing::Message() << batch << " " << threads << " " << on_device << " " << bad_at);
                    expect_alike({.threads = threads, .batch = batch, .on_device = on_device}, bad, false, bad_at);
                }
}

// Metrics that run on the CPU anyway check a copy of device pictures.
TEST(SampleCheck, HoldsForMetricsOnTheCpuBesideADevice) {
    const PictureFormat format{PixelFormat::yuv420p, 10, 64, 48};
    for (const bool on_device : {false, true})
        for (const auto &features : {std::vector<std::string>{"vif"}, {"psnr_host", "vif"}, {"vif_host", "adm"}})
            expect_alike({.gpumask = 1, .on_device = on_device, .features = features},
                         with_sample(format, 0, 3, 3, 0x0400), true, 1);
}

TEST(SampleCheck, SkipsPlanesThatNoMetricReads) {
    const PictureFormat deep{PixelFormat::yuv420p, 10, 64, 48}, full{PixelFormat::yuv420p, 16, 64, 48},
        shallow{PixelFormat::yuv420p, 8, 64, 48};
    for (const bool on_device : {false, true}) {
        const Trial luma{.on_device = on_device, .features = {"vif"}}, all{.on_device = on_device};
        EXPECT_TRUE(run(luma, true, with_sample(deep, 1, 0, 0, 0xffff), false, 1).errors.empty());
        EXPECT_TRUE(run(all, true, with_sample(full, 1, 0, 0, 0xffff), false, 1).errors.empty());
        EXPECT_TRUE(run(all, true, with_sample(shallow, 1, 0, 0, 0xffff), false, 1).errors.empty());
    }
}

// Metrics that look back score neither the frame nor the next one, which would use it.
TEST(SampleCheck, MetricsDoNotLookBackAtRefusedPictures) {
    const PictureFormat format{PixelFormat::yuv420p, 10, 64, 48};
    for (const unsigned batch : {1u, 4u}) {
        const Outcome outcome =
            run({.batch = batch, .features = {"vif", "motion"}}, true, with_sample(format, 0, 3, 3, 0x0400), true, 2);
        EXPECT_EQ(outcome.has_score, (std::vector<bool>{true, true, false, false, true, true}));
        ASSERT_GE(outcome.errors.size(), 1u);
        EXPECT_NE(outcome.errors[0].find("frame 2: the reference"), std::string::npos) << outcome.errors[0];
        for (std::size_t i = 1; i < outcome.errors.size(); i++)
            EXPECT_NE(outcome.errors[i].find("frame 3: it is compared with frame 2"), std::string::npos);
        // Metrics that read only earlier distorted pictures, or none, continue.
        EXPECT_EQ(
            run({.batch = batch, .features = {"vif"}}, true, with_sample(format, 0, 3, 3, 0x0400), true, 2).has_score,
            (std::vector<bool>{true, true, false, true, true, true}));
    }
}

// Device code sees such samples before the check reports them, and must not access memory out of bounds (sanitizer
// builds check that).
TEST(SampleCheck, WildSamplesHarmNoDeviceCode) {
    for (const MetricInfo *info : all_metrics()) {
        if (!info->on_devices) continue;
        for (const unsigned bits : {10u, 12u}) {
            const PictureFormat format{PixelFormat::yuv420p, bits, 240, 200};
            const Picture bad = Picture::allocate(format);
            for (unsigned p = 0; p < 3; p++)
                for (unsigned y = 0; y < format.plane_height(p); y++)
                    std::memset(bad.data(p) + std::ptrdiff_t{y} * bad.stride_bytes(p), y % 3 ? 0xff : 0x80,
                                2 * format.plane_width(p));
            std::size_t errors = 0;
            for (const bool is_reference : {false, true})
                errors += run({.features = {std::string(info->name)}}, true, bad, is_reference, 1, 3).errors.size();
            EXPECT_GT(errors, 0u) << info->name; // some read only one of the pictures
        }
    }
}

} // namespace
} // namespace vmaf::sample_check_test
