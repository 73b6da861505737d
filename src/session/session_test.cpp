// The engine: order, threads, errors, history, pictures kept and released.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <future>
#include <random>
#include <set>
#include <thread>
#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "base/error.hpp"
#include "device/host/sanitizers.hpp"
#include "metrics/registry.hpp"
#include "picture/pool.hpp"
#include "session/frame_numbers.hpp"
#include "session/ring.hpp"
#include "session/sample_check.hpp"
#include "session/session.hpp"
#include "session/worker_pool.hpp"
#include "system/log.hpp"

namespace vmaf::session_test {
namespace {

Picture noise(const PictureFormat &format, unsigned seed) {
    Picture picture = Picture::allocate(format);
    std::mt19937 random(seed);
    for (unsigned p = 0; p < format.planes(); p++)
        for (unsigned y = 0; y < format.plane_height(p); y++) {
            std::byte *row = picture.data(p) + y * picture.stride_bytes(p);
            for (unsigned x = 0; x < format.plane_width(p); x++) {
                const auto value = static_cast<unsigned>(random() & ((1u << format.bits) - 1));
                if (format.bits == 8) {
                    row[x] = static_cast<std::byte>(value);
                } else {
                    const auto sample = static_cast<std::uint16_t>(value);
                    std::memcpy(row + 2 * x, &sample, 2);
                }
            }
        }
    return picture;
}

constexpr PictureFormat kSmall = {PixelFormat::yuv420p, 8, 64, 48};

// Every score of a run by name, in document order.
std::vector<std::pair<std::string, std::vector<double>>> run(const SessionConfig &config, unsigned frames,
                                                             const std::vector<std::string> &features,
                                                             const PictureFormat &format = kSmall) {
    Session session(config);
    for (const std::string &feature : features) session.use_feature(feature, {});
    for (unsigned i = 0; i < frames; i++) session.read(noise(format, i), noise(format, i + 1000), i);
    session.flush();
    std::vector<std::pair<std::string, std::vector<double>>> all;
    for (const std::string &name : session.scores().names()) {
        all.push_back({name, {}});
        for (unsigned i = 0; i < frames; i++)
            if (const auto score = session.scores().find(name, i)) all.back().second.push_back(*score);
    }
    return all;
}

TEST(Session, ScoresAndTheirOrderDoNotDependOnThreads) {
    const std::vector<std::string> features = {"adm", "motion", "vif"};
    const auto expected = run({}, 9, features);
    EXPECT_FALSE(expected.empty());
    for (unsigned threads : {1u, 2u, 3u, 8u}) EXPECT_EQ(run({.threads = threads}, 9, features), expected) << threads;
}

TEST(Session, ManyMetricsGiveTheSameScoresAsOneAtATime) {
    const auto together = run({.threads = 2}, 4, {"vif", "motion", "adm"});
    std::map<std::string, std::vector<double>> by_name(together.begin(), together.end());
    for (const char *feature : {"adm", "motion", "vif"})
        for (const auto &[name, scores] : run({}, 4, {feature})) EXPECT_EQ(by_name.at(name), scores) << name;
}

TEST(Session, FourPooledPicturesAreEnough) {
    for (unsigned threads : {0u, 1u, 4u}) {
        Session session({.threads = threads});
        session.use_feature("motion", {{"motion_five_frame_window", "true"}});
        session.use_feature("vif", {});
        session.use_feature("speed_temporal", {}); // also looks back at distorted pictures
        PicturePool pool({PixelFormat::yuv420p, 8, 96, 96}, 4);
        for (unsigned i = 0; i < 30; i++) {
            Picture ref = pool.fetch();
            Picture dist = pool.fetch();
            session.read(std::move(ref), std::move(dist), i);
        }
        session.flush();
    }
}

TEST(Session, ErrorsOfWorkersReachTheCaller) {
    for (unsigned threads : {0u, 2u}) {
        Session session({.threads = threads});
        session.use_feature("motion", {});
        // Frame 1 without frame 0 has no earlier picture.
        EXPECT_THROW(
            {
                session.read(noise(kSmall, 1), noise(kSmall, 2), 1);
                session.flush();
            },
            Error)
            << threads;
    }
}

TEST(Session, RepeatedFrameNumbersFail) {
    set_log_level(LogLevel::none);
    Session session({});
    session.use_feature("vif", {});
    session.read(noise(kSmall, 1), noise(kSmall, 2), 0);
    EXPECT_THROW(session.read(noise(kSmall, 1), noise(kSmall, 2), 0), Error);
    set_log_level(LogLevel::info);
}

TEST(Session, SamplesAboveTheDepthAreNamed) {
    constexpr PictureFormat deep{PixelFormat::yuv444p, 10, 64, 48};
    Session session({});
    session.use_feature("psnr", {});
    Picture bad = noise(deep, 1);
    const std::uint16_t value = 1024 + 5;
    std::memcpy(bad.data(2) + 47 * bad.stride_bytes(2) + 2 * 63, &value, 2);
    try {
        session.read(noise(deep, 0), bad, 12);
        FAIL();
    } catch (const Error &e) {
        EXPECT_STREQ(
            e.what(),
            sample_above_depth(12, SampleOwner::distorted, first_above(bad.plane<std::uint16_t>(2), 2, 10)).what());
        EXPECT_EQ(e.code(), EINVAL);
    }
}

TEST(FrameNumbers, AreRunsOfNeighbours) {
    FrameNumbers numbers;
    const std::vector<unsigned> order = {5, 6, 7, 0, 4, 1, 100, 3, 2};
    for (std::size_t i = 0; i < order.size(); i++) {
        for (std::size_t k = 0; k < order.size(); k++) EXPECT_EQ(numbers.contains(order[k]), k < i) << i << " " << k;
        numbers.insert(order[i]);
    }
    for (unsigned n = 0; n < 110; n++) EXPECT_EQ(numbers.contains(n), n < 8 || n == 100) << n;
}

TEST(Ring, KeepsItsOrderWhileItGrows) {
    Ring<unsigned> ring;
    unsigned in = 0, out = 0;
    for (const unsigned size : {1u, 2u, 3u, 9u, 33u}) {
        ring.reserve(size);
        for (int round = 0; round < 50; round++) {
            while (ring.size() < size) ring.push_back(in++);
            for (unsigned i = 0; i < 1 + size / 2; i++) EXPECT_EQ(ring.pop_front(), out++);
        }
    }
}

TEST(Session, EqualInstancesAreRegisteredOnce) {
    Session session({});
    session.use_feature("vif", {});
    session.use_feature("vif", {{"debug", "true"}});              // does not change the name
    session.use_feature("vif", {{"vif_enhn_gain_limit", "100"}}); // the explicit default
    session.use_feature("vif", {{"vif_enhn_gain_limit", "1"}});
    EXPECT_EQ(session.registered(), (std::vector<std::string>{"vif", "vif_egl_1"}));
    EXPECT_THROW(session.use_feature("nosuch", {}), Error);
    EXPECT_THROW(session.use_feature("vif", {{"vif_enhn_gain_limit", "0.5"}}), Error);
}

// The same picture without chroma samples.
Picture luma_of(const Picture &picture) {
    PictureMemory memory = host_memory();
    memory.luma_only = true;
    const Picture luma = PicturePool(picture.format(), 0, memory).fetch_or_add();
    for (unsigned y = 0; y < picture.format().height; y++)
        std::memcpy(luma.data(0) + y * luma.stride_bytes(0), picture.data(0) + y * picture.stride_bytes(0),
                    picture.format().width * picture.format().bytes_per_sample());
    return luma;
}

TEST(Session, MetricsThatReadNoChromaNeedNone) {
    constexpr PictureFormat format = {PixelFormat::yuv420p, 8, 240, 192};
    std::vector<std::pair<std::string, OptionTexts>> features = {{"psnr", {{"enable_chroma", "false"}}},
                                                                 {"float_motion", {{"motion_add_uv", "true"}}}};
    for (const MetricInfo *metric : all_metrics()) features.push_back({std::string(metric->name), {}});
    std::set<std::string> luma_only;
    for (const auto &[feature, options] : features) {
        std::array<std::vector<std::optional<double>>, 2> scores;
        for (const bool lacks_chroma : {false, true}) {
            Session session({});
            session.use_feature(feature, options);
            session.prepare(format);
            if (lacks_chroma && session.reads_chroma()) break;
            if (lacks_chroma) luma_only.insert(feature + (options.empty() ? "" : " with an option"));
            for (unsigned i = 0; i < 3; i++) {
                const Picture ref = noise(format, i), dist = noise(format, i + 7);
                session.read(lacks_chroma ? luma_of(ref) : ref, lacks_chroma ? luma_of(dist) : dist, i);
            }
            session.flush();
            for (const std::string &name : session.scores().names())
                for (unsigned i = 0; i < 3; i++) scores[lacks_chroma].push_back(session.scores().find(name, i));
        }
        if (!scores[1].empty()) {
            EXPECT_EQ(scores[0], scores[1]) << feature;
        }
    }
    for (const char *name : {"adm", "vif", "motion", "float_ms_ssim", "cambi", "psnr with an option", "float_motion"})
        EXPECT_TRUE(luma_only.contains(name)) << name;
    for (const char *name : {"psnr", "ciede", "psnr_hvs", "speed_chroma", "float_motion with an option"})
        EXPECT_FALSE(luma_only.contains(name)) << name;
}

// Every size is either scored, or refused with an error that names a metric.
TEST(Session, EverySizeIsScoredOrRefused) {
    set_log_level(LogLevel::none);
    const Model model = load_builtin_model("vmaf_v0.6.1", {});
    for (unsigned bits : {8u, 10u})
        for (unsigned h = 1; h <= 80; h += bits == 8 ? 1 : 7)
            for (unsigned w = 1; w <= 80; w++) {
                const PictureFormat format = {PixelFormat::yuv420p, bits, w, h};
                Session session({});
                session.use_features_of(model);
                const bool large_enough = w >= 17 && h >= 17;
                try {
                    session.prepare(format);
                    ASSERT_TRUE(large_enough) << w << "x" << h;
                } catch (const Error &e) {
                    ASSERT_FALSE(large_enough) << w << "x" << h << ": " << e.what();
                    continue;
                }
                for (unsigned i = 0; i < 2; i++) session.read(noise(format, i), noise(format, i + 7), i);
                session.flush();
                const double score = session.score_at(model, 1);
                ASSERT_TRUE(score >= 0 && score <= 100) << w << "x" << h << ": " << score;
            }
    set_log_level(LogLevel::info);
}

TEST(WorkerPool, SplitWorkIsDoneOncePerPart) {
    WorkerPool pool(4);
    for (unsigned count : {0u, 1u, 3u, 17u, 100u}) {
        std::vector<std::atomic<int>> done(count);
        pool.run(count, [&](unsigned i) { done[i]++; });
        for (const auto &d : done) EXPECT_EQ(d, 1);
    }
    EXPECT_THROW(pool.run(5,
                          [](unsigned i) {
                              if (i == 3) throw invalid("part 3");
                          }),
                 Error);
}

TEST(WorkerPool, ThreadsThatWereBusyHelpOnceTheyAreFree) {
    static std::promise<void> release;
    static std::atomic<unsigned> begun;
    WorkerPool pool(1);
    pool.reserve(1);
    pool.submit({[](void *, void *, std::size_t) { release.get_future().wait(); }, nullptr, nullptr, 0});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    pool.run(2, [&](unsigned) { // each part waits for the other
        if (begun++ == 0) release.set_value();
        while (begun < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        EXPECT_EQ(begun, 2u);
    });
}

#if defined(__linux__) && !defined(VMAF_ASAN) && !defined(VMAF_TSAN) // sanitizers need memory per thread themselves
TEST(WorkerPool, ThreadsThatTheSystemRefusesAreAnError) {
    const auto start_too_many = [] {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t limit = pages * static_cast<std::size_t>(getpagesize()) + (300u << 20);
        const rlimit memory{limit, limit};
        setrlimit(RLIMIT_AS, &memory);
        try {
            const WorkerPool pool(4000);
        } catch (const Error &e) {
            _exit(e.code() == ENOMEM ? 0 : 1);
        }
        _exit(2);
    };
    EXPECT_EXIT(start_too_many(), testing::ExitedWithCode(0), "");
}
#endif

TEST(WorkerPool, WithoutThreadsJobsRunInTheCaller) {
    WorkerPool pool(0);
    int sum = 0;
    for (std::size_t i = 0; i < 3; i++)
        pool.submit(
            {[](void *owner, void *, std::size_t part) { *static_cast<int *>(owner) += static_cast<int>(part); }, &sum,
             nullptr, i});
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(pool.threads(), 1u);
}

} // namespace
} // namespace vmaf::session_test
