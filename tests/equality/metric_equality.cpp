#include "equality/metric_equality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::equality {

namespace {

// Fixed-point metrics must agree in every bit; the others to 1e-9 if they may add in any order.
constexpr std::array<std::string_view, 12> kExact = {"vif",        "adm",       "motion",       "motion_v2",
                                                     "psnr",       "ssim",      "cambi",        "null",
                                                     "float_psnr", "float_adm", "speed_chroma", "speed_temporal"};
constexpr double kFloatTolerance = 1e-9;

struct Clip {
    const char *size_name;
    int width, height, depth;
    const char *format, *scene, *distort;
    bool quick;
};
constexpr Clip kClips[] = {
    {"33x17", 33, 17, 8, "420", "street", "noise:20", true},
    {"95x96", 95, 96, 8, "422", "checker", "shift:1", true},
    {"181x179", 181, 179, 10, "420", "street", "dct:40", true},
    {"257x200", 257, 200, 8, "444", "noise", "blur:1", false},
    {"320x242", 320, 242, 12, "422", "gradient", "band:5", false},
    {"352x288", 352, 288, 8, "420", "cut", "dct:60", false},
    {"195x180", 195, 180, 16, "444", "street", "gain:120", false},
};

std::vector<Picture> pictures(const Clip &clip, bool distorted) {
    clipgen::Options options;
    options.width = clip.width;
    options.height = clip.height;
    options.depth = clip.depth;
    options.format = clip.format;
    options.scene = clip.scene;
    if (distorted) options.distort = clip.distort;
    std::vector<Picture> list;
    for (unsigned i = 0; i < 3; i++) list.push_back(clip_frame(options, i));
    return list;
}

bool same(double a, double b, double tolerance) {
    if (std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b))) return true;
    return std::abs(a - b) <= tolerance * std::abs(b);
}

} // namespace

std::vector<MetricCase> metric_cases() {
    std::vector<MetricCase> cases;
    for (const MetricInfo *info : all_metrics()) {
        const bool exact = std::find(kExact.begin(), kExact.end(), info->name) != kExact.end();
        cases.push_back({"metric:" + std::string(info->name), info, exact ? 0.0 : kFloatTolerance});
    }
    return cases;
}

std::vector<std::string> check_metric(const MetricCase &metric, const std::vector<Isa> &isas, bool quick,
                                      unsigned long &trials) {
    std::vector<std::string> problems;
    for (const Clip &clip : kClips) {
        if (quick && !clip.quick) continue;
        const std::vector<Picture> ref = pictures(clip, false), dist = pictures(clip, true);
        MetricScores expected;
        try {
            expected = run_metric(*metric.info, {}, ref, dist);
        } catch (const Error &) {
            continue; // the metric does not support this size or format
        }
        for (const Isa isa : isas) {
            const MetricScores got = run_metric(*metric.info, {}, ref, dist, isa);
            trials++;
            for (const auto &[name, frames] : expected.frames)
                for (const auto &[index, want] : frames)
                    if (const double value = got.at(name, index); !same(value, want, metric.tolerance))
                        problems.push_back(std::string(to_string(isa)) + ", " + clip.size_name + ", " +
                                           std::to_string(clip.depth) + " bit, frame " + std::to_string(index) + ": " +
                                           name + " is " + std::to_string(value) + ", the scalar code gives " +
                                           std::to_string(want));
        }
    }
    return problems;
}

} // namespace vmaf::equality
