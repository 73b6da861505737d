#include "metrics/speed/speed_plane.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/common/reflect.hpp"
#include "metrics/speed/speed_eigenvalues.hpp"

namespace vmaf::speed {

namespace {

constexpr int kDecimation = 16;
constexpr double kTiny = 1e-6;                            // smaller eigenvalues and pivots count as zero
constexpr double kEntropyConstant = 0x1.06073a671183dp+2; // log2(2 * pi * e)
constexpr int kMaxTaps = 35;                              // kernel scale 360/97

int scaled_side(int side, double prescale) { return int(double(side) * prescale + 0.5); }

constexpr int kResizeReach = 6; // most rows that scaling reads above and below a position

// Source rows for the scaled rows begin .. end - 1.
struct SourceRows {
    int begin, end;
};

SourceRows source_rows(const Geometry &g, int begin, int end) {
    const double ratio = double(g.height) / double(g.scaled_height);
    return {std::max(0, int(double(begin) * ratio) - kResizeReach),
            std::min(g.height, int(std::ceil(double(end) * ratio)) + kResizeReach + 1)};
}

} // namespace

std::vector<float> anti_alias_taps(float kernel_scale) {
    const int length = gaussian_length(1, kernel_scale);
    return gaussian_taps(length, float(2.0 * length / 5.0));
}

std::vector<float> local_mean_taps(float kernel_scale) {
    const int length = gaussian_length(4, kernel_scale);
    return gaussian_taps(length, float(length) / 5.0f);
}

float block_entropy(std::span<const float> lambda, float energy, float sigma) {
    float entropy = 0.0f;
    for (const float value : lambda) {
        const float positive = value > 0.0f ? value : 0.0f;
        entropy = float(double(entropy) + (std::log2(double(positive * energy + sigma)) + kEntropyConstant));
    }
    return entropy;
}

Geometry::Geometry(int w, int h, double prescale)
    : width(w), height(h), scales(!(std::fabs(prescale - 1.0) < 1.0e-3)),
      scaled_width(scales ? scaled_side(w, prescale) : w), scaled_height(scales ? scaled_side(h, prescale) : h),
      working_width(scaled_width / kDecimation), working_height(scaled_height / kDecimation),
      blocks_across(working_width / kSide), blocks_down(working_height / kSide),
      window_width(blocks_across * kSide - (kSide - 1)), window_height(blocks_down * kSide - (kSide - 1)) {}

PlaneAnalyser::PlaneAnalyser(const Geometry &geometry, const Settings &settings, unsigned bits, const Steps &steps)
    : geometry_(geometry), settings_(settings), bits_(bits), steps_(steps),
      taps_(anti_alias_taps(settings.kernel_scale)),
      mean_filter_(local_mean_taps(settings.kernel_scale), geometry.working_width),
      line_margin_(int(round_up(taps_.size() / 2, kAlignment / sizeof(float)))),
      working_(geometry.working_width, geometry.working_height),
      local_mean_(geometry.working_width, geometry.working_height),
      blocks_(geometry.blocks_across * geometry.blocks_down) {
    line_ = AlignedArray<float>(std::size_t(geometry.scaled_width + 2 * line_margin_));
    if (geometry.scales) {
        resizer_.emplace(geometry.width, geometry.height, geometry.scaled_width, geometry.scaled_height,
                         settings.prescale_method);
        scaled_ = FloatPlane(geometry.scaled_width, int(taps_.size()));
        const SourceRows most = source_rows(geometry, 0, int(taps_.size()));
        source_ = FloatPlane(geometry.width, most.end - most.begin + 2 * kResizeReach);
    }
    energy_.resize(std::size_t(blocks_.columns()));
    entropy_.resize(std::size_t(blocks_.columns()));
}

void PlaneAnalyser::analyse(const Picture &picture, const Picture *earlier, unsigned plane) {
    const auto with_samples = [&]<class T>(T) {
        const PlaneView<T> samples = picture.plane<T>(plane);
        PlaneView<T> before;
        if (earlier) before = earlier->plane<T>(plane);
        if (geometry_.scales)
            decimate_scaled(samples, earlier ? &before : nullptr);
        else
            decimate(samples, earlier ? &before : nullptr);
    };
    if (bits_ == 8)
        with_samples(std::uint8_t{});
    else
        with_samples(std::uint16_t{});
    remove_local_mean();
    const WindowPlane window = {working_.view(), geometry_.window_width, geometry_.window_height};
    steps_.window_means(window, means_);
    steps_.covariance(window, means_, covariance_);
    tridiagonal_ = covariance_;
    steps_.tridiagonalise(tridiagonal_);
    lambda_ = speed::eigenvalues(tridiagonal_);
    collect_blocks();
    solve();
}

// Only every 16th row and column of the anti-aliased plane is used, so only those are computed (10).
template <class T, class RowOf, class Filter>
void PlaneAnalyser::filter_row(int y, RowOf row_of, const PlaneView<T> *earlier, Filter filter) {
    std::array<const T *, kMaxTaps> rows{}, before{};
    const int radius = int(taps_.size()) / 2;
    for (std::size_t k = 0; k < taps_.size(); k++) {
        const int row = reflect(y * kDecimation - radius + int(k), geometry_.scaled_height);
        rows[k] = row_of(row);
        if (earlier) before[k] = earlier->row(row);
    }
    float *const line = line_.data() + line_margin_;
    filter({.rows = {rows.data(), taps_.size()},
            .earlier = {before.data(), earlier ? taps_.size() : 0},
            .taps = taps_,
            .scale = 1.0f / float(1u << (bits_ - 8)),
            .width = geometry_.scaled_width},
           line);
    extend_line(line, geometry_.scaled_width, radius);
    horizontal_pass(line, taps_, kDecimation, geometry_.working_width, working_.row(y));
}

template <class T> void PlaneAnalyser::decimate(const PlaneView<T> &samples, const PlaneView<T> *earlier) {
    const auto filter = [&](const FilterRows<T> &source, float *sums) {
        if constexpr (sizeof(T) == 1)
            steps_.filter_bytes(source, sums);
        else
            steps_.filter_words(source, sums);
    };
    const auto row_of = [&](int row) { return samples.row(row); };
    for (int y = 0; y < geometry_.working_height; y++) filter_row(y, row_of, earlier, filter);
}

template <class T> void PlaneAnalyser::decimate_scaled(const PlaneView<T> &samples, const PlaneView<T> *earlier) {
    const auto row_of = [&](int row) -> const float * { return scaled_.row(row % scaled_.height()); };
    const int radius = int(taps_.size()) / 2;
    int next = 0; // first row not yet scaled
    for (int y = 0; y < geometry_.working_height; y++) {
        const int end = std::min(y * kDecimation + radius + 1, geometry_.scaled_height);
        next = std::max(next, y * kDecimation - radius);
        scale_rows(samples, earlier, next, end);
        next = end;
        filter_row<float>(y, row_of, nullptr, steps_.filter_floats);
    }
}

// Writes the scaled rows begin .. end - 1 to their ring.
template <class T>
void PlaneAnalyser::scale_rows(const PlaneView<T> &samples, const PlaneView<T> *earlier, int begin, int end) {
    const SourceRows range = source_rows(geometry_, begin, end);
    const float scale = 1.0f / float(1u << (bits_ - 8));
    for (int y = range.begin; y < range.end; y++) {
        float *const out = source_.row(y - range.begin);
        const T *const row = samples.row(y);
        if (earlier) {
            const T *const before = earlier->row(y);
            for (int x = 0; x < samples.width; x++) out[x] = float(int(before[x]) - int(row[x])) * scale;
        } else {
            to_float_row(row, samples.width, bits_, -128.0f, out);
        }
    }
    PlaneView<float> whole = source_.view(); // pretends that the other rows exist too
    whole.data -= range.begin * whole.stride;
    whole.height = geometry_.height;
    for (int y = begin; y < end; y++) resizer_->row(whole, y, scaled_.row(y % scaled_.height()));
}

void PlaneAnalyser::remove_local_mean() {
    mean_filter_.plane(working_.view(), 1, local_mean_);
    for (int y = 0; y < geometry_.working_height; y++) {
        float *const row = working_.row(y);
        const float *const mean = local_mean_.row(y);
        for (int x = 0; x < geometry_.working_width; x++) row[x] -= mean[x];
    }
}

// One column per block, blocks in raster order.
void PlaneAnalyser::collect_blocks() {
    for (int e = 0; e < kSize; e++) {
        float *out = blocks_.row(e);
        for (int j = 0; j < geometry_.blocks_down; j++) {
            const float *const row = working_.row(kSide * j + e / kSide) + e % kSide;
            for (int i = 0; i < geometry_.blocks_across; i++) *out++ = row[kSide * i];
        }
    }
}

void PlaneAnalyser::solve() {
    bool regular = true;
    for (int k = 0; k < kSize; k++) regular = regular && !(double(lambda_[k]) < kTiny);
    if (regular) {
        steps_.orthogonal_factor(covariance_, q_, r_);
        for (int i = 0; i < kSize; i++) regular = regular && !(double(std::fabs(r_[i][i])) < kTiny);
    }
    singular_ = !regular;
    if (regular)
        steps_.block_energies(q_, r_, blocks_, energy_.data());
    else
        std::fill(energy_.begin(), energy_.end(), 0.0f);
    for (std::size_t b = 0; b < energy_.size(); b++)
        entropy_[b] = block_entropy({lambda_.data(), std::size_t(kSize)}, energy_[b], settings_.sigma);
}

namespace {

struct Weights {
    double reference, distorted;
};

// The table of section 8: sums of two floats are float, everything else is double.
Weights weights(float s_r, float s_d, int mode) {
    const double one_r = double(1.0f + s_r), one_d = double(1.0f + s_d), one_mean = 1.0 + double(s_r + s_d) / 2.0;
    switch (mode) {
    case 1: return {one_r, one_r};
    case 2: return {one_d, one_d};
    case 3: return {one_mean, one_mean};
    case 4: return {one_r, one_mean};
    case 5: return {one_r, 1.0 + (0.75 * double(s_r) + 0.25 * double(s_d))};
    case 6: return {one_r, 1.0 + (0.25 * double(s_r) + 0.75 * double(s_d))};
    default: return {one_r, one_d};
    }
}

} // namespace

PlaneScore plane_score(const BlockStatistics &r, const BlockStatistics &d, const Settings &settings) {
    if (r.singular != d.singular) return {0.0f, true};
    const float noise = (1.0f + settings.noise_floor) * settings.sigma;
    const float floor = float(25 * (std::log2(double(noise)) + kEntropyConstant));
    float score = 0.0f;
    for (std::size_t b = 0; b < r.energy.size(); b++) {
        if (r.entropy[b] < floor && d.entropy[b] < floor) continue;
        const Weights weight = weights(r.energy[b], d.energy[b], settings.weight_mode);
        const float a_r = float(double(r.entropy[b]) * std::log2(weight.reference));
        const float a_d = float(double(d.entropy[b]) * std::log2(weight.distorted));
        score += std::fabs(a_r - a_d);
    }
    return {score / float(r.energy.size()), r.singular};
}

void fill_chroma_figures(const PlaneScore &u, const PlaneScore &v, FrameResult &result) {
    float uv = float(double(u.value + v.value) / 2.0);
    if (u.singular != v.singular) uv = u.singular ? v.value : u.value;
    result.values[0] = double(u.value);
    result.values[1] = double(v.value);
    result.values[2] = double(uv);
}

} // namespace vmaf::speed
