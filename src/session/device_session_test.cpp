// Sessions with a device give the scores of the CPU, wherever metrics run. Uses the host device.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "../../tests/support/process_usage.hpp"
#include "base/error.hpp"
#include "device/host/host_device.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/registry.hpp"
#include "model/model.hpp"
#include "session/extractor_name.hpp"
#include "session/session.hpp"

namespace vmaf::device_session_test {
namespace {

constexpr PictureFormat kFormat{PixelFormat::yuv420p, 8, 72, 54};

Picture noise(unsigned seed, const PictureFormat &format = kFormat) {
    const Picture picture = Picture::allocate(format);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < format.plane_height(p); y++)
            for (unsigned x = 0; x < format.plane_width(p) * format.bytes_per_sample(); x += format.bytes_per_sample())
                picture.data(p)[std::ptrdiff_t{y} * picture.stride_bytes(p) + x] =
                    static_cast<std::byte>(seed = seed * 1664525 + 1013904223, seed >> 25);
    return picture;
}

using Registered = std::vector<std::pair<std::string, OptionTexts>>;

void score(Session &session, const Registered &features, unsigned frames) {
    for (const auto &[name, options] : features) session.use_feature(name, options);
    for (unsigned i = 0; i < frames; i++) session.read(noise(i / 2 + 1), noise(100 + i), i);
    session.flush();
}

void expect_same_scores(const Session &a, const Session &b) {
    auto names = a.scores().names(), others = b.scores().names();
    std::sort(names.begin(), names.end());
    std::sort(others.begin(), others.end());
    ASSERT_EQ(names, others);
    ASSERT_EQ(a.scores().frame_capacity(), b.scores().frame_capacity());
    for (const std::string &name : names)
        for (unsigned i = 0; i < a.scores().frame_capacity(); i++) {
            const auto x = a.scores().find(name, i), y = b.scores().find(name, i);
            ASSERT_EQ(x.has_value(), y.has_value()) << name << " " << i;
            if (x) {
                EXPECT_EQ(std::bit_cast<std::uint64_t>(*x), std::bit_cast<std::uint64_t>(*y)) << name << " " << i;
            }
        }
}

const Registered kFeatures = {{"vif", {{"debug", "true"}}},
                              {"adm", {{"debug", "true"}}},
                              {"motion", {{"debug", "true"}}},
                              {"motion", {{"motion_five_frame_window", "true"}, {"motion_moving_average", "true"}}},
                              {"vif", {{"vif_enhn_gain_limit", "1"}, {"vif_skip_scale0", "true"}}},
                              {"psnr", {}}}; // has no device code

TEST(DeviceSession, GivesTheScoresOfTheCpu) {
    Session cpu({});
    score(cpu, kFeatures, 9);
    EXPECT_EQ(cpu.backend_used(), "cpu");
    for (const unsigned threads : {0u, 2u})
        for (const unsigned batch : {1u, 4u}) {
            Session session({.threads = threads});
            session.use_device({.device = open_host_device(), .is_explicit = false, .batch = batch});
            score(session, kFeatures, 9);
            EXPECT_EQ(session.backend_used(), "host");
            expect_same_scores(cpu, session);
        }
}

// More members than one pass takes, of every kind, mixed with others.
TEST(DeviceSession, FamiliesGiveTheScoresOfTheCpu) {
    const Registered features = {{"vif", {}},
                                 {"adm", {{"adm_enhn_gain_limit", "1"}}},
                                 {"vif", {{"vif_enhn_gain_limit", "1"}}},
                                 {"motion", {}},
                                 {"vif", {{"vif_enhn_gain_limit", "1.5"}}},
                                 {"adm", {}},
                                 {"adm", {{"adm_enhn_gain_limit", "1.5"}}},
                                 {"adm", {{"adm_csf_mode", "1"}}},
                                 {"motion", {{"motion_max_val", "5"}}},
                                 {"motion_v2", {}},
                                 {"vif", {{"vif_skip_scale0", "true"}}}};
    Session cpu({.subsample = 2});
    score(cpu, features, 7);
    for (const unsigned width : {32u, 64u}) {
        Session session({.threads = 1, .subsample = 2});
        session.use_device({.device = open_host_device(width), .is_explicit = true});
        score(session, features, 7);
        expect_same_scores(cpu, session);
    }
}

TEST(DeviceSession, SubsamplesLikeTheCpu) {
    Session cpu({.subsample = 3}), session({.threads = 1, .subsample = 3});
    session.use_device({.device = open_host_device(64), .is_explicit = false});
    score(cpu, kFeatures, 8);
    score(session, kFeatures, 8);
    expect_same_scores(cpu, session);
}

// Every feature of a VMAF v1 model, with the model's options, runs on the device.
TEST(DeviceSession, ModelsOfTheFirstGenerationRunOnTheDeviceAlone) {
    constexpr PictureFormat format{PixelFormat::yuv420p, 8, 336, 330};
    const auto device = open_host_device();
    for (const BuiltinModel &builtin : builtin_models()) {
        if (!builtin.version.starts_with("vmaf_v1.")) continue;
        const Model model = load_builtin_model(builtin.version, {});
        for (const Model::Feature &feature : model.features()) {
            const MetricInfo &info = *provider_of(feature.name);
            const auto metric = info.create(OptionValues(info.name, info.options, feature.options));
            metric->prepare(format);
            EXPECT_NO_THROW(metric->make_device_scorer(*device)) << builtin.version << " " << feature.name;
        }
    }
    for (const char *version : {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_5d0h"}) { // the second scales chroma
        Session cpu({}), session({});
        session.use_device({.device = open_host_device(), .is_explicit = true});
        for (Session *s : {&cpu, &session}) {
            s->use_features_of(load_builtin_model(version, {}));
            for (unsigned i = 0; i < 4; i++) s->read(noise(i, format), noise(50 + i, format), i);
            s->flush();
        }
        EXPECT_EQ(session.backend_used(), "host");
        expect_same_scores(cpu, session);
    }
}

TEST(DeviceSession, PinnedNamesNeedTheirBackend) {
    Session cpu({}), session({});
    EXPECT_THROW(cpu.use_feature("vif_cuda", {}), Error);
    EXPECT_THROW(cpu.use_feature("vif_host", {}), Error); // not a backend for users
    session.use_device({.device = open_host_device()});
    EXPECT_THROW(session.use_feature("vif_cuda", {}), Error);
    EXPECT_THROW(session.use_feature("nosuch_host", {}), Error);
    EXPECT_THROW(session.use_feature("null_host", {}), Error);  // no device code
    score(session, {{"integer_vif_host", {}}, {"vif", {}}}, 2); // both are the same feature
    EXPECT_EQ(session.registered(), std::vector<std::string>{"vif"});
    EXPECT_EQ(session.backend_used(), "host");
}

TEST(DeviceSession, GpumaskLeavesTheDeviceToPinnedFeatures) {
    Session session({.gpumask = 1});
    session.use_device({.device = open_host_device()});
    score(session, {{"vif", {}}}, 2);
    EXPECT_EQ(session.backend_used(), "cpu");
    Session pinned({.gpumask = 1});
    pinned.use_device({.device = open_host_device()});
    score(pinned, {{"vif_host", {}}, {"adm", {}}}, 2);
    EXPECT_EQ(pinned.backend_used(), "host");
    EXPECT_EQ(pinned.feature_backends(),
              (std::vector<std::pair<std::string, std::string>>{{"vif_host", "host"}, {"adm", "cpu"}}));
}

// Cells of two models and of features, a fixed region, and a moving one that some frames lack.
LocalConfig all_parts(const std::vector<Model> &models, std::string_view adm3, std::vector<CellFrame> &cells) {
    LocalConfig config;
    config.models = models;
    config.cell_scores = {models[0].name(), models[1].name(), "psnr_y", std::string(adm3), "float_ssim", "ssim"};
    config.cell_size = 32;
    config.regions = {{"face", PictureArea{40, 8, 100, 40}, {}},
                      {"ball", {}, {{1, {0, 0, 16, 16}}, {2, {70, 33, 119, 80}}, {5, {7, 50, 50, 83}}}}};
    config.region_features = {"psnr", "float_ssim"};
    config.on_cells = [&cells](const CellFrame &frame) { cells.push_back(frame); };
    return config;
}

TEST(DeviceSession, MapsAndRegionsHaveTheScoresOfTheCpu) {
    constexpr PictureFormat format{PixelFormat::yuv420p, 8, 119, 83};
    for (const auto &[version, adm3] : {std::pair{"vmaf_v0.6.1", "integer_adm3"}, {"vmaf_float_v0.6.1", "adm3"}}) {
        const std::vector<Model> models = {load_builtin_model(version, {.name = "vmaf"}),
                                           load_builtin_model(std::string(version) + "neg", {.name = "neg"})};
        const auto scored = [&](Session &session, std::vector<CellFrame> &cells) {
            session.use_features_of(models);
            for (const char *feature : {"psnr", "float_ssim", "ssim"}) session.use_feature(feature, {});
            session.use_local_scores(all_parts(models, adm3, cells));
            for (unsigned i = 0; i < 7; i++) session.read(noise(i / 2 + 1, format), noise(100 + i, format), i);
            session.flush();
        };
        Session cpu({.subsample = 2});
        std::vector<CellFrame> wanted;
        scored(cpu, wanted);
        ASSERT_EQ(wanted.size(), 4u);
        for (const unsigned lanes : {32u, 64u})
            for (const unsigned batch : {1u, 4u}) {
                Session session({.subsample = 2});
                session.use_device({.device = open_host_device(lanes), .is_explicit = false, .batch = batch});
                std::vector<CellFrame> cells;
                scored(session, cells);
                EXPECT_EQ(session.features_off_device(), std::vector<std::string>{});
                expect_same_scores(cpu, session);
                ASSERT_EQ(cells.size(), wanted.size());
                for (std::size_t i = 0; i < cells.size(); i++) EXPECT_EQ(cells[i].scores, wanted[i].scores) << i;
            }
    }
}

TEST(DeviceSession, EveryFeatureWithScoresOfPartsHasThemOnDevices) {
    constexpr PictureFormat format{PixelFormat::yuv420p, 8, 320, 240};
    for (const MetricInfo *info : all_metrics()) {
        if (info->create(OptionValues(info->name, info->options, {}))->local_names().empty()) continue;
        Session session({});
        session.use_device({.device = open_host_device()});
        session.use_feature(std::string(info->name) + "_host", {}); // runs nowhere else
        LocalConfig config;
        config.regions = {{"face", PictureArea{40, 8, 100, 40}, {}}};
        config.region_features = {std::string(info->name)};
        session.use_local_scores(std::move(config));
        EXPECT_NO_THROW(session.prepare(format)) << info->name;
    }
}

TEST(DeviceSession, LongRunsTakeNoMoreMemoryOrHandles) {
    const unsigned frames = soak::frames(500);
    Session session({});
    session.use_device({.device = open_host_device()});
    session.use_feature("psnr", {});
    std::optional<soak::Usage> early;
    for (unsigned i = 0; i < frames; i++) {
        session.read(noise(i % 16), noise(i % 16 + 50), i);
        if (i == frames / 10) early = soak::usage();
    }
    const auto late = soak::usage();
    session.flush();
    if (!early || !late) return; // this system does not report it
    EXPECT_EQ(late->handles, early->handles);
    if (std::getenv("VMAF_SOAK")) { // sanitizers delay freeing
        EXPECT_LT(late->bytes - early->bytes, soak::kBytesPerFrame * frames + soak::kOtherBytes);
    }
}

// Whatever else registers the same feature, earlier or later.
TEST(DeviceSession, APinnedNameRunsThere) {
    for (const bool is_first : {true, false}) {
        Session session({.gpumask = 1});
        session.use_device({.device = open_host_device()});
        if (is_first)
            score(session, {{"vif_host", {}}, {"vif", {}}}, 2);
        else
            score(session, {{"vif", {}}, {"vif_host", {}}}, 2);
        EXPECT_EQ(session.registered().size(), 1u);
        EXPECT_EQ(session.backend_used(), "host") << is_first;
    }
}

TEST(DeviceSession, ScoresOfFramesInFlightCanBeAskedFor) {
    Session session({});
    session.use_device({.device = open_host_device(), .batch = 16});
    session.use_feature("vif", {});
    for (unsigned i = 0; i < 5; i++) session.read(noise(i), noise(i + 50), i);
    EXPECT_GT(session.feature_score_at("VMAF_integer_feature_vif_scale0_score", 4), 0);
}

TEST(DeviceSession, AFailureEndsTheRunWithAnError) {
    Session session({});
    session.use_device({.device = open_host_device(), .batch = 2});
    session.use_feature("motion", {});
    EXPECT_THROW(
        {
            for (unsigned i = 0; i < 50; i++) session.read(noise(i), noise(i), i + 7); // no earlier frame
            session.flush();
        },
        Error);
}

TEST(DeviceSession, PicturesThatOneMetricRefusesPrepareNone) {
    constexpr PictureFormat large{PixelFormat::yuv420p, 8, 240, 220};
    Session cpu({}), session({.threads = 1});
    session.use_device({.device = open_host_device(), .is_explicit = false});
    for (Session *s : {&cpu, &session}) {
        for (const char *name : {"vif", "motion", "cambi"}) s->use_feature(name, {});
        EXPECT_THROW(s->read(noise(1), noise(2), 0), Error); // too small for cambi
        for (unsigned i = 0; i < 3; i++) s->read(noise(i, large), noise(50 + i, large), i);
        s->flush();
    }
    EXPECT_EQ(session.backend_used(), "host");
    expect_same_scores(cpu, session);
}

TEST(DeviceSession, ContinuesAfterRefusedFrames) {
    constexpr PictureFormat deep{PixelFormat::yuv420p, 10, 72, 54};
    Session cpu({}), session({});
    session.use_device({.device = open_host_device(), .is_explicit = false});
    for (Session *s : {&cpu, &session}) {
        s->use_feature("vif", {});
        s->use_feature("motion", {});
        EXPECT_THROW(s->read(noise(1, deep), noise(2, deep), 3), Error); // numbers must start at 0
        for (unsigned i = 0; i < 4; i++) {
            EXPECT_THROW(s->read(noise(i, deep), noise(i), i), Error); // bit depths differ
            s->read(noise(i, deep), noise(50 + i, deep), i);
            EXPECT_THROW(s->read(noise(i, deep), noise(50 + i, deep), i), Error);
        }
        s->flush();
    }
    expect_same_scores(cpu, session);
}

TEST(DeviceSession, TakesOneDeviceOnly) {
    Session session({});
    session.use_device({.device = open_host_device()});
    EXPECT_THROW(session.use_device({.device = open_host_device()}), Error);
}

TEST(ExtractorNames, AreSplitAtKnownBackends) {
    EXPECT_EQ(parse_extractor_name("vif").backend, "");
    EXPECT_EQ(parse_extractor_name("vif_cuda").backend, "cuda");
    EXPECT_EQ(parse_extractor_name("integer_motion_v2_metal").info->name, "motion_v2");
    EXPECT_EQ(parse_extractor_name("_cuda").backend, ""); // nothing before the suffix
    EXPECT_EQ(parse_extractor_name("vif_vulkan").info, nullptr);
    EXPECT_EQ(parse_extractor_name("vif_vulkan").backend, "");
    EXPECT_EQ(parse_extractor_name("nosuch_sycl").backend, "sycl");
    EXPECT_EQ(parse_extractor_name("nosuch_sycl").info, nullptr);
    EXPECT_EQ(parse_extractor_name("vif_host", "host").backend, "host");
}

} // namespace
} // namespace vmaf::device_session_test
