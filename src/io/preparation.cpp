#include "io/preparation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace vmaf {

namespace {

constexpr double kShapeTolerance = 0.02;
constexpr unsigned kMacroblock = 16;

std::string size_text(const VideoFacts &f) { return std::to_string(f.width) + "x" + std::to_string(f.height); }

std::string decimal(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
}

// How finely chroma is sampled.
int rank(PixelFormat format) {
    switch (format) {
    case PixelFormat::yuv420p: return 1;
    case PixelFormat::yuv422p: return 2;
    case PixelFormat::yuv444p: return 3;
    default: return 0;
    }
}

PixelFormat finer(PixelFormat a, PixelFormat b) { return rank(a) >= rank(b) ? a : b; }

// RGB gets two extra bits, so that the matrix does not merge colours; limited to depths that pictures and scalers
// support.
unsigned wanted_bits(const VideoFacts &f) {
    if (!f.is_rgb) return f.bits;
    for (const unsigned bits : {10u, 12u, 14u, 16u})
        if (bits >= std::min(16u, f.bits + 2)) return bits;
    return 16;
}

double shape(const VideoFacts &f) { return f.width * f.sample_aspect.value() / f.height; }

std::string aspect_text(const VideoFacts &f) {
    return std::to_string(f.sample_aspect.num) + ":" + std::to_string(f.sample_aspect.den);
}

bool is_hdr(const VideoFacts &f) { return f.is_pq() || f.is_hlg(); }

class Planner {
  public:
    Planner(const VideoFacts &ref, const VideoFacts &dist, const PreparationRequest &request)
        : ref_(ref), dist_(dist), request_(request) {}

    Preparation plan() {
        choose_format();
        turn();
        scale();
        convert(ref_, "reference");
        convert(dist_, "distorted");
        match_range();
        compare_tags();
        return std::move(plan_);
    }

  private:
    void step(const std::string &text) { plan_.steps.push_back(text); }
    void warn(const std::string &text) { plan_.warnings.push_back(text); }
    void mismatch(const std::string &text) { plan_.mismatches.push_back(text); }

    void choose_format() {
        plan_.picture.pixel_format = finer(ref_.chroma, dist_.chroma);
        plan_.picture.bits = std::max(wanted_bits(ref_), wanted_bits(dist_));
        plan_.picture.width = ref_.width;
        plan_.picture.height = ref_.height;
        check_format(plan_.picture);
        plan_.reference.picture = plan_.distorted.picture = plan_.picture;
        plan_.reference.scaler = plan_.distorted.scaler = request_.scaler;
        plan_.reference.matrix = plan_.distorted.matrix = rgb_matrix();
    }

    // The other clip's matrix if stated, else the usual one for its size.
    std::string rgb_matrix() const {
        for (const VideoFacts *f : {&ref_, &dist_})
            if (!f->is_rgb && !f->matrix.empty()) return f->matrix;
        return ref_.height >= 720 ? "bt709" : "smpte170m";
    }

    void turn() {
        for (const auto &[facts, role] : {std::pair{&ref_, "reference"}, std::pair{&dist_, "distorted"}}) {
            std::string what;
            if (facts->is_mirrored) what = "mirrored";
            if (facts->rotation)
                add_item(what, ("rotated by " + std::to_string(facts->rotation)) + " degrees", " and ");
            if (!what.empty()) step(std::string("the ") + role + " clip is " + what + ", as its file asks");
        }
    }

    void scale() {
        const bool is_same_size = ref_.width == dist_.width && ref_.height == dist_.height;
        const double difference = std::abs(shape(dist_) / shape(ref_) - 1);
        if (is_same_size) {
            if (difference > kShapeTolerance)
                warn("the reference clip states samples of " + aspect_text(ref_) + ", the distorted clip " +
                     aspect_text(dist_) + "; samples are compared as stored");
            return;
        }
        if (difference > kShapeTolerance)
            mismatch("the pictures have different shapes: the reference clip is " + size_text(ref_) +
                     " with samples of " + aspect_text(ref_) + " (" + decimal(shape(ref_)) + "), the distorted clip " +
                     size_text(dist_) + " with " + aspect_text(dist_) + " (" + decimal(shape(dist_)) + "); " +
                     (is_turned()            ? "one of them is rotated; rotate it back first"
                      : request_.has_cropped ? "after --crop they do not show the same part; try without it"
                                             : "crop or pad one of them first; --crop auto removes black bars that "
                                               "only one clip has"));
        else if (is_padded(ref_.width, dist_.width, ref_.height, dist_.height) ||
                 is_padded(ref_.height, dist_.height, ref_.width, dist_.width))
            mismatch("the reference clip is " + size_text(ref_) + ", the distorted clip " + size_text(dist_) +
                     ": one of them looks cropped or padded, not scaled; make their sizes equal first");
        step("the distorted clip is scaled from " + size_text(dist_) + " to " + size_text(ref_) + " (" +
             request_.scaler + ")");
    }

    // By 90 degrees, as files of phones are whose rotation was lost.
    bool is_turned() const { return std::abs(shape(dist_) * shape(ref_) - 1) <= kShapeTolerance; }

    static bool is_padded(unsigned a, unsigned b, unsigned other_a, unsigned other_b) {
        const unsigned apart = a > b ? a - b : b - a;
        return other_a == other_b && apart > 0 && apart < kMacroblock && std::min(a, b) > 8 * kMacroblock;
    }

    void convert(const VideoFacts &f, const std::string &role) {
        const PictureFormat &p = plan_.picture;
        const std::string clip = "the " + role + " clip is converted from ";
        if (f.is_rgb)
            step(clip + f.pixel_format + " to " + to_string(p.pixel_format) + ", " + std::to_string(p.bits) +
                 " bit (matrix " + plan_.reference.matrix + ", limited range)");
        else if (f.chroma == PixelFormat::yuv400p && p.has_chroma())
            step("the " + role + " clip has no colour; its chroma is filled with grey");
        else if (f.chroma != p.pixel_format || !f.is_planar)
            step(clip + f.pixel_format + " to " + to_string(p.pixel_format) + " (" + request_.scaler + ")");
        if (!f.is_rgb && f.bits < p.bits)
            step("the " + role + " clip is converted from " + std::to_string(f.bits) + " to " + std::to_string(p.bits) +
                 " bits by a shift");
        if (f.has_alpha) warn("the " + role + " clip has transparency, which is left out");
    }

    // Recent versions of FFmpeg mark all grey video as full range; older ones and raw files state nothing about the
    // same samples.
    bool grey_says_nothing() const {
        const auto is_grey = [](const VideoFacts &f) { return f.chroma == PixelFormat::yuv400p; };
        return is_grey(ref_) && is_grey(dist_) &&
               (ref_.range == SampleRange::unknown) != (dist_.range == SampleRange::unknown);
    }

    void match_range() {
        // RGB was converted to limited range; YUV without a tag is limited by convention.
        const auto range = [](const VideoFacts &f) {
            return f.is_rgb || f.range == SampleRange::unknown ? SampleRange::limited : f.range;
        };
        const SampleRange ref = range(ref_), dist = range(dist_);
        if (ref == dist || grey_says_nothing()) return;
        const auto said = [](const VideoFacts &f) {
            if (f.is_rgb) return std::string("limited, from RGB");
            return f.range == SampleRange::unknown ? std::string("none, so limited is assumed") : to_string(f.range);
        };
        const std::string facts =
            "the clips have different colour ranges (reference: " + said(ref_) + ", distorted: " + said(dist_) + ")";
        if (request_.ignores_range) {
            warn(facts + "; --range ignore compares samples as stored");
            return;
        }
        plan_.distorted.range_change =
            dist == SampleRange::full ? RangeChange::full_to_limited : RangeChange::limited_to_full;
        warn(facts + "; the distorted clip is converted to " + to_string(ref) + " range");
        step("the distorted clip is converted from " + to_string(dist) + " to " + to_string(ref) + " range");
    }

    void compare_tag(const char *what, const std::string &ref, const std::string &dist) {
        if (ref == dist || ref.empty() || dist.empty()) return;
        warn("the clips have different colour " + std::string(what) + " (reference: " + ref + ", distorted: " + dist +
             "); nothing is converted, so colours, and luma too, may be compared wrongly");
    }

    void compare_tags() {
        if (!ref_.is_rgb && !dist_.is_rgb) compare_tag("matrices", ref_.matrix, dist_.matrix);
        if (is_hdr(ref_) != is_hdr(dist_) && !ref_.transfer.empty() && !dist_.transfer.empty())
            mismatch("one clip is HDR and the other is not (transfer of the reference clip: " + ref_.transfer +
                     ", of the distorted clip: " + dist_.transfer + "); convert one of them first");
        else
            compare_tag("transfers", ref_.transfer, dist_.transfer);
        compare_tag("primaries", ref_.primaries, dist_.primaries);
        if (is_hdr(ref_) && is_hdr(dist_))
            warn("both clips are HDR (" + ref_.transfer + "); the built-in models were made for SDR pictures");
        else if ((is_hdr(ref_) && dist_.transfer.empty()) || (is_hdr(dist_) && ref_.transfer.empty()))
            warn(
                std::string("the ") + (is_hdr(ref_) ? "reference" : "distorted") + " clip is HDR (" +
                (is_hdr(ref_) ? ref_ : dist_).transfer + "), and the " + (is_hdr(ref_) ? "distorted" : "reference") +
                " clip does not state its transfer, so it is assumed to be HDR, too; the built-in models were made for "
                "SDR pictures");

        if (grey_says_nothing()) warn("one grey clip does not state its colour range; the other clip's is assumed");
        const auto missing = [this](const VideoFacts &f) -> std::string {
            if (grey_says_nothing()) return {}; // and grey needs no matrix
            const bool no_range = f.range == SampleRange::unknown && !f.is_rgb, no_matrix = f.matrix.empty();
            return no_range && no_matrix ? "colour range and matrix"
                   : no_range            ? "colour range"
                   : no_matrix           ? "colour matrix"
                                         : "";
        };
        const std::string ref = missing(ref_), dist = missing(dist_);
        if (!ref.empty() && ref == dist)
            plan_.notes.push_back("neither clip states its " + ref + "; both are assumed to be the same");
        else if (!ref.empty() || !dist.empty())
            warn(std::string("the ") + (ref.empty() ? "distorted" : "reference") + " clip does not state its " +
                 (ref.empty() ? dist : ref) +
                 (ref.empty() || dist.empty() ? "" : ", the distorted clip not its " + dist) +
                 "; limited range and the other clip's matrix are assumed");
        for (const auto &[f, role] : {std::pair{&ref_, "reference"}, std::pair{&dist_, "distorted"}})
            if (!f->remark.empty()) warn(std::string("the ") + role + " clip: " + f->remark);
    }

    const VideoFacts &ref_, &dist_;
    const PreparationRequest &request_;
    Preparation plan_;
};

} // namespace

Preparation prepare_pair(const VideoFacts &reference, const VideoFacts &distorted, const PreparationRequest &request) {
    return Planner(reference, distorted, request).plan();
}

} // namespace vmaf
