#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "scores/pooling.hpp"
#include "stages/score.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

double mean_of(const Series &v) { return pool(v, Pooling::mean); }

Series sorted(Series v) {
    std::ranges::sort(v);
    return v;
}

double parameter(const std::string &method, std::string_view name) {
    const std::string text = method.substr(name.size());
    const auto value = number_of(text);
    if (!value || !std::isfinite(*value)) throw invalid("--pool " + method + ": '" + text + "' is not a number");
    return *value;
}

} // namespace

double standard_deviation(const Series &v) {
    if (v.empty()) return 0;
    const double mean = mean_of(v);
    double sum = 0;
    for (const double x : v) sum += (x - mean) * (x - mean);
    return std::sqrt(sum / double(v.size()));
}

double pooled(const Series &v, const std::string &method) {
    if (v.empty()) throw invalid("there are no frames to pool");
    constexpr std::pair<std::string_view, Pooling> kOfLibrary[] = {{"mean", Pooling::mean},
                                                                   {"harmonic", Pooling::harmonic_mean},
                                                                   {"harmonic_mean", Pooling::harmonic_mean},
                                                                   {"min", Pooling::min},
                                                                   {"max", Pooling::max}};
    for (const auto &[name, pooling] : kOfLibrary)
        if (method == name) return pool(v, pooling);
    if (method == "median") {
        const Series s = sorted(v);
        const std::size_t half = s.size() / 2;
        return s.size() % 2 ? s[half] : 0.5 * (s[half - 1] + s[half]);
    }
    if (method == "rms") {
        double sum = 0;
        for (const double x : v) sum += x * x;
        return std::sqrt(sum / double(v.size()));
    }
    if (method == "mode") {
        std::map<long, std::size_t> counts;
        for (const double x : v) counts[std::lround(x)]++;
        const auto most =
            std::ranges::max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; });
        return double(most->first);
    }
    if (method.starts_with("percentile=")) {
        const double p = parameter(method, "percentile=");
        if (p < 0 || p > 100) throw invalid("--pool " + method + ": a percentile lies between 0 and 100");
        return percentile(v, p);
    }
    if (method.starts_with("stddev=")) {
        const Series s = sorted(v);
        return std::clamp(mean_of(v) + parameter(method, "stddev=") * standard_deviation(v), s.front(), s.back());
    }
    throw invalid("--pool " + method +
                  " is not known; use mean, harmonic, median, min, max, rms, mode, percentile=P or stddev=X");
}

double pooled_metric(const std::string &metric, const Series &v, const std::string &method) {
    if (metric != kXpsnr || method != "mean" || v.empty()) return pooled(v, method);
    double roots = 0; // of the weighted squared errors, up to a factor
    for (const double x : v) roots += std::pow(10.0, -x / 20);
    return -20 * std::log10(roots / double(v.size()));
}

} // namespace vmaf::tune
