#include "metrics/cambi/cambi_setup.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace vmaf::cambi {

namespace {

constexpr int kFoot = 64; // 10-bit limited-range luma
constexpr int kHead = 940;
constexpr int kMinSide = 216;

double normalised(int level) { return double(std::clamp(level, kFoot, kHead) - kFoot) / (kHead - kFoot); }

Luminance luminance_function(const OptionValues &options) {
    const std::string &name =
        options.text("cambi_eotf") != "bt1886" ? options.text("cambi_eotf") : options.text("eotf");
    if (name == "bt1886") return luminance_bt1886;
    if (name == "pq") return luminance_pq;
    throw invalid("feature 'cambi': eotf '" + name + "' is not supported; use bt1886 or pq");
}

// The position of a level relative to the highest one at which step d is visible.
enum class Side { low, exact, high };

Side classify(Luminance luminance, double threshold, int level, int d) {
    const auto visible = [&](int s) { return luminance(s + d) - luminance(s) > threshold * luminance(s); };
    if (!visible(level)) return Side::high;
    return visible(level + 1) ? Side::low : Side::exact;
}

bool speedup_applies(int smallest, const Target &encoded) {
    const int pixels = encoded.width * encoded.height;
    switch (smallest) {
    case 1080: return pixels >= 1920 * 1080;
    case 1440: return pixels >= 2560 * 1440;
    case 2160: return pixels >= 3840 * 2160;
    default: return false;
    }
}

int window_side(int window_size, const Target &target, bool speedup) {
    unsigned side = unsigned(window_size) * unsigned(target.width + target.height) / 375;
    side >>= 4;
    if (speedup) side = (side + 1) >> 1;
    return int(side | 1);
}

std::string size_text(const Target &target) {
    return std::to_string(target.width) + "x" + std::to_string(target.height);
}

void check_sizes(const Target &encoded, const Target &source) {
    const auto check = [](const Target &t, const char *what) {
        if (t.width < kMinSide && t.height < kMinSide)
            throw invalid(std::string("feature 'cambi' needs a width or a height of at least 216; the ") + what +
                          " size is " + size_text(t));
    };
    check(encoded, "encode's");
    check(source, "source's");
    if ((source.width > encoded.width && source.height < encoded.height) ||
        (source.width < encoded.width && source.height > encoded.height))
        throw invalid("feature 'cambi': the source size " + size_text(source) + " and the encode size " +
                      size_text(encoded) + " must not be larger than each other in one direction each");
}

} // namespace

double luminance_bt1886(int level) {
    constexpr double kGamma = 2.4, kWhite = 300.0, kBlack = 0.01;
    const double p = std::pow(kWhite, 1.0 / kGamma);
    const double q = std::pow(kBlack, 1.0 / kGamma);
    const double a = std::pow(p - q, kGamma);
    const double k = q / (p - q);
    return a * std::pow(std::max(normalised(level) + k, 0.0), kGamma);
}

double luminance_pq(int level) {
    const double e = std::pow(normalised(level), 1.0 / 78.84375);
    const double n = std::max(e - 0.8359375, 0.0);
    return 10000 * std::pow(n / (18.8515625 - 18.6875 * e), 1.0 / 0.1593017578125);
}

int visibility_limit(Luminance luminance, double threshold, int d) {
    int lo = kFoot, hi = kHead - d - 1;
    const Side at_lo = classify(luminance, threshold, lo, d);
    if (at_lo == Side::high) return 0;
    if (at_lo == Side::exact) return lo;
    const Side at_hi = classify(luminance, threshold, hi, d);
    if (at_hi == Side::low) return 1023;
    if (at_hi == Side::exact) return hi;
    for (;;) {
        const int middle = lo + (hi - lo) / 2;
        const Side side = classify(luminance, threshold, middle, d);
        if (side == Side::exact) return middle;
        (side == Side::high ? hi : lo) = middle;
    }
}

int dark_limit(Luminance luminance, double threshold) {
    int level = kFoot;
    while (level < kHead && luminance(level) < threshold) level++;
    return level == kFoot ? 0 : level;
}

bool Setup::windows_fit() const {
    const int halvings = kScales - (speedup ? 0 : 1);
    const auto fits = [&](const Target &t) { return std::min(t.width, t.height) >> halvings >= t.radius(); };
    return fits(encoded) && fits(source);
}

Setup make_setup(const OptionValues &options, const PictureFormat &format) {
    Setup setup;
    setup.bits = format.bits;
    setup.full_ref = options.flag("full_ref");
    const int enc_bitdepth = options.integer("enc_bitdepth");
    setup.remove_dither = (enc_bitdepth != 0 ? enc_bitdepth : int(format.bits)) < 10;

    const Target frame{int(format.width), int(format.height), 1};
    const auto size_or_frame = [&](const char *width, const char *height) {
        const Target given{options.integer(width), options.integer(height), 1};
        return given.width == 0 || given.height == 0 ? frame : given;
    };
    setup.encoded = size_or_frame("enc_width", "enc_height");
    setup.source = size_or_frame("src_width", "src_height");
    if (setup.encoded.height > frame.height || setup.encoded.width > frame.width) setup.encoded = frame;
    check_sizes(setup.encoded, setup.source);

    setup.speedup = speedup_applies(options.integer("cambi_high_res_speedup"), setup.encoded);
    setup.steps = 1 << options.integer("max_log_contrast");
    const Luminance luminance = luminance_function(options);
    for (int d = 1; d <= setup.steps; d++)
        setup.limits[std::size_t(d)] = visibility_limit(luminance, options.real("tvi_threshold"), d);
    setup.dark_limit = dark_limit(luminance, options.real("cambi_vis_lum_threshold"));

    const int window_size = options.integer("window_size");
    setup.encoded.window = window_side(window_size, setup.encoded, setup.speedup);
    setup.source.window = window_side(window_size, setup.source, setup.speedup);
    if (const int window = std::max(setup.encoded.window, setup.source.window); window > kMaxWindow)
        throw invalid("feature 'cambi': window_size=" + std::to_string(window_size) + " gives a window of " +
                      std::to_string(window) + " pixels for these pictures; at most 65 are possible, so lower it");

    // An explicit topk of 0.6 cannot override cambi_topk (section 1).
    setup.topk = options.real("topk") != 0.6 ? options.real("topk") : options.real("cambi_topk");
    setup.max_score = options.real("cambi_max_val");
    setup.heatmaps_path = options.text("heatmaps_path");

    // A step d counts for level v iff v <= T[d] and v + D + d > Vmin (section 8).
    const auto first = setup.limits.begin() + 1;
    setup.highest_query = *std::max_element(first, first + setup.steps);
    setup.lowest_query = std::max(0, setup.dark_limit - 2 * setup.steps + 1);
    return setup;
}

} // namespace vmaf::cambi
