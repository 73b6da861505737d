// What sections 2 and 3 derive from options, picture size and bit depth.
#pragma once

#include <array>
#include <string>

#include "metrics/options.hpp"
#include "picture/picture.hpp"

namespace vmaf::cambi {

inline constexpr int kScales = 5;
inline constexpr int kMaxSteps = 32;   // 2^5, the largest number of contrast steps
inline constexpr int kMaxLevel = 1024; // deeper samples round up to it
inline constexpr int kMaxWindow = 65;  // side of the largest analysis window

// Contrast weights W[d], d = 1..32; index 0 is not used (section 2.6).
inline constexpr std::array<int, kMaxSteps + 1> kWeights = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                                            8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

inline constexpr OptionSpec kOptions[] = {
    {"cambi_max_val", "cmxv", "upper limit of the score", 1000.0, 0, 1000, true},
    {"enc_width", "encw", "width at which the clip was encoded", 0, 180, 7680, true},
    {"enc_height", "ench", "height at which the clip was encoded", 0, 150, 7680, true},
    {"enc_bitdepth", "encbd", "bit depth at which the clip was encoded", 0, 6, 16, true},
    {"src_width", "srcw", "width of the source, for full_ref", 0, 320, 7680, true},
    {"src_height", "srch", "height of the source, for full_ref", 0, 200, 4320, true},
    {"window_size", "ws", "side of the analysis window at 3840x2160; smaller pictures get a smaller one", 65, 15, 127,
     true},
    {"topk", "", "share of the pixels that enter the score, the most banded first", 0.6, 0.0001, 1, true},
    {"cambi_topk", "ctpk", "same as topk; used only while topk is 0.6", 0.6, 0.0001, 1, true},
    {"tvi_threshold", "tvit", "smallest relative luminance step that is visible", 0.019, 0.0001, 1, true},
    {"cambi_vis_lum_threshold", "vlt", "luminance in cd/m2 below which banding is invisible", 0.0, 0, 300, true},
    {"max_log_contrast", "mlc", "log2 of the largest contour examined, in 10-bit levels", 2, 0, 5, true},
    {"heatmaps_path", "", "folder for maps of the banding per pixel", std::string_view(""), 0, 0, false},
    {"full_ref", "", "score the reference too and give the difference", false, 0, 0, false},
    {"eotf", "", "transfer function: bt1886 or pq", std::string_view("bt1886"), 0, 0, true},
    {"cambi_eotf", "ceot", "same as eotf; takes precedence unless it is bt1886", std::string_view("bt1886"), 0, 0,
     true},
    {"cambi_high_res_speedup", "hrs", "1080, 1440 or 2160: halve pictures of at least that height first", 0, 0, 2160,
     true},
};

// The size at which a picture is analysed, and the side of its analysis window (odd).
struct Target {
    int width = 0, height = 0;
    int window = 1;

    int radius() const { return window >> 1; }
};

struct Setup {
    unsigned bits = 8;
    Target encoded, source;
    bool full_ref = false;
    bool speedup = false;                    // S: drops one octave of resolution
    bool remove_dither = false;              // whether section 6 applies
    int steps = 4;                           // D
    std::array<int, kMaxSteps + 1> limits{}; // T[d], d = 1..steps
    int dark_limit = 0;                      // Vmin
    double topk = 0.6;
    double max_score = 1000;
    std::string heatmaps_path; // empty: none

    // Levels of pixels with countable contrast steps; empty if lowest > highest (section 12).
    int lowest_query = 0, highest_query = 0;
    // Levels that such pixels are compared with.
    int lowest_level() const { return lowest_query - steps; }
    int highest_level() const { return highest_query + steps; }
    bool any_query() const { return lowest_query <= highest_query; }
    // Every scale is at least half a window wide and high: nothing outside it counts (section 8).
    bool windows_fit() const;
};

// Throws Error if section 2 refuses.
Setup make_setup(const OptionValues &options, const PictureFormat &format);

// Section 3, for make_setup and its tests.
using Luminance = double (*)(int level);
double luminance_bt1886(int level);
double luminance_pq(int level);
int visibility_limit(Luminance luminance, double threshold, int d);
int dark_limit(Luminance luminance, double threshold);

} // namespace vmaf::cambi
