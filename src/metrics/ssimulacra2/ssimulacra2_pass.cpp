#include "metrics/ssimulacra2/ssimulacra2_pass.hpp"

#include <algorithm>

namespace vmaf::ssimulacra2 {

namespace {

bool too_small(int width, int height) { return width < kMinSide || height < kMinSide; }

// Rows have room for whole vectors, and different low address bits.
int row_stride(int width) { return round_up(width, 32) + 16; }

} // namespace

Passes::Passes(const PictureFormat &format, int matrix, Isa isa)
    : colour_(pick_colour(isa)), blur_(pick_blur(isa)), format_(format), matrix_(yuv_matrix(matrix)),
      strip_(blur_.strip > 0 ? blur_.strip : int(format.width)) {
    int width = int(format.width), height = int(format.height);
    while (scales_.size() < kScales && !too_small(width, height)) {
        const int stride = row_stride(width);
        const std::size_t rows = scales_.empty() ? 0 : std::size_t(height) * 6;
        scales_.push_back({width, height, stride, AlignedArray<float>(rows * std::size_t(stride))});
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    if (scales_.empty()) return;
    const unsigned chroma_width = format.plane_width(1);
    columns_each_ = chroma_width == format.width ? 1 : 2 * chroma_width == format.width ? 2 : 0;
    columns_ = AlignedArray<int>(format.width);
    for (int x = 0; x < int(format.width); x++)
        columns_[std::size_t(x)] = chroma_position(x, int(format.width), int(chroma_width));

    stride_ = row_stride(std::min(int(format.width), strip_) + kBlurAhead);
    const auto row = std::size_t(stride_);
    const std::size_t groups = (format.height + kBlurAhead + kGroup - 1) / kGroup;
    xyb_ = AlignedArray<float>(2 * kChannels * kRing * row);
    blurred_ = AlignedArray<float>(kChannels * kSignals * kRing * row);
    states_ = AlignedArray<float>(kChannels * kSignals * 2 * kPoles * row);
    carries_ = AlignedArray<float>(blur_.strip > 0 ? groups * kChannels * kCarryFloats : 0);
    zeros_ = AlignedArray<float>(row);
    make_workers(1);
}

void Passes::make_workers(unsigned workers) {
    while (workers_.size() < workers)
        workers_.push_back(
            {AlignedArray<float>(2 * 3 * 2 * std::size_t(stride_)), AlignedArray<float>(output_floats(stride_))});
    // In scalar code the strip is the whole picture, which is too much to keep.
    if (workers == 1 || blur_.strip == 0 || xyb_ring_ > kRing) return;
    xyb_ring_ = std::max(int(format_.height), kRing);
    xyb_ = AlignedArray<float>(2 * kChannels * std::size_t(xyb_ring_) * std::size_t(stride_));
}

double Passes::score(const Picture &ref, const Picture &dist, Parallel &parallel) {
    constexpr int kWorthSplitting = 128; // rows
    AllSums sums{};
    const Pair pictures = {&ref, &dist};
    for (std::size_t scale = 0; scale < scales_.size(); scale++) {
        const int height = scales_[scale].height, width = scales_[scale].width;
        for (auto &channel : sums) channel[scale].pixels = double(width) * double(height);
        const bool split = blur_.strip > 0 && height >= kWorthSplitting && parallel.threads() > 1;
        for (int left = 0; left < width; left += strip_) {
            const int columns = std::min(strip_, width - left);
            const Strip strip = {left, columns, std::min(columns + kBlurAhead, width - left)};
            std::fill_n(states_.data(), states_.size(), 0.0f);
            if (split)
                score_strip(scale, strip, pictures, sums, parallel);
            else
                score_strip(scale, strip, pictures, sums);
        }
    }
    return final_score(sums);
}

void Passes::score_strip(std::size_t scale, const Strip &strip, const Pair &pictures, AllSums &sums) {
    const int height = scales_[scale].height;
    for (int first = 0; first < height + kBlurAhead; first += kGroup) {
        convert_rows(scale, strip, pictures, first, std::min(first + kGroup, height), 0);
        for (int channel = 0; channel < kChannels; channel++) score_channel(scale, strip, channel, first, sums, 0);
    }
}

void Passes::score_strip(std::size_t scale, const Strip &strip, const Pair &pictures, AllSums &sums,
                         Parallel &parallel) {
    const int height = scales_[scale].height, pairs = (height + 1) / 2;
    const unsigned parts = parallel.threads();
    make_workers(std::max(parts, unsigned(kChannels)));
    parallel.run(parts, [&](unsigned i) {
        // Pairs of rows stay together for the next scale.
        const auto row = [&](unsigned part) { return std::min(int(unsigned(pairs) * part / parts) * 2, height); };
        convert_rows(scale, strip, pictures, row(i), row(i + 1), i);
    });
    parallel.run(kChannels, [&](unsigned channel) {
        for (int first = 0; first < height + kBlurAhead; first += kGroup)
            score_channel(scale, strip, int(channel), first, sums, channel);
    });
}

void Passes::convert_rows(std::size_t scale, const Strip &strip, const Pair &pictures, int first, int end,
                          unsigned worker) {
    for (int picture = 0; picture < 2; picture++)
        for (int y = first; y < end; y++)
            convert_row(scale, strip, picture, *pictures[std::size_t(picture)], y, worker);
}

// Converts one row of a picture to XYB, and a pair of rows to the next scale.
void Passes::convert_row(std::size_t scale, const Strip &strip, int picture, const Picture &source, int y,
                         unsigned worker) {
    const Rows rgb = linear_rows(scale, strip.left, picture, y, worker);
    if (scale == 0) {
        if (format_.bits > 8)
            linear_row(colour_.linear_row16, strip, source, y, rgb);
        else
            linear_row(colour_.linear_row8, strip, source, y, rgb);
    }
    Rows xyb;
    for (int channel = 0; channel < kChannels; channel++)
        xyb[std::size_t(channel)] =
            xyb_.data() + (std::ptrdiff_t(picture * kChannels + channel) * xyb_ring_ + y % xyb_ring_) * stride_;
    colour_.xyb_row({rgb[0], rgb[1], rgb[2]}, xyb, strip.loaded);

    const bool pair_complete = y % 2 == 1 || y == scales_[scale].height - 1;
    if (!pair_complete || scale + 1 == scales_.size()) return;
    const Rows top = linear_rows(scale, strip.left, picture, y & ~1, worker);
    const Rows half = linear_rows(scale + 1, strip.left / 2, picture, y / 2, worker);
    for (std::size_t c = 0; c < 3; c++) colour_.halve_rows(top[c], rgb[c], half[c], strip.columns);
}

template <class T>
void Passes::linear_row(LinearRow<T> *function, const Strip &strip, const Picture &source, int y, const Rows &rgb) {
    const PlaneView<T> luma = source.plane<T>(0), u = source.plane<T>(1), v = source.plane<T>(2);
    const int c = chroma_position(y, luma.height, u.height);
    const int chroma_left = columns_each_ > 0 ? strip.left / columns_each_ : 0;
    const float scale = 1.0f / float((1 << format_.bits) - 1);
    function({luma.row(y) + strip.left, u.row(c) + chroma_left, v.row(c) + chroma_left, columns_.data() + strip.left,
              columns_each_, scale},
             matrix_, rgb, strip.loaded);
}

// From column `left` on.
Rows Passes::linear_rows(std::size_t scale, int left, int picture, int y, unsigned worker) {
    Rows rows;
    for (int channel = 0; channel < 3; channel++) {
        const int plane = picture * 3 + channel;
        Scale &s = scales_[scale];
        rows[std::size_t(channel)] = scale == 0
                                         ? workers_[worker].linear.data() + (plane * 2 + y % 2) * stride_
                                         : s.linear.data() + (std::ptrdiff_t(plane) * s.height + y) * s.stride + left;
    }
    return rows;
}

// Blur and maps of one channel of a group of rows.
void Passes::score_channel(std::size_t scale, const Strip &strip, int channel, int first, AllSums &sums,
                           unsigned worker) {
    const Needs need = needs(channel, int(scale));
    if (!need.any()) return;
    const auto xyb = [&](int picture) {
        return xyb_.data() + std::ptrdiff_t(picture * kChannels + channel) * xyb_ring_ * stride_;
    };
    const RowGroup group = {
        .width = scales_[scale].width,
        .height = scales_[scale].height,
        .left = strip.left,
        .columns = strip.columns,
        .first = first,
        .count = std::min(kGroup, scales_[scale].height + kBlurAhead - first),
        .signals = need.structure ? int(kSignals) : kEdgeSignals,
        .stride = stride_,
        .xyb = {xyb(0), xyb(1)},
        .xyb_ring = xyb_ring_,
        .blurred = blurred_.data() + channel * kSignals * kRing * stride_,
        .states = states_.data() + channel * kSignals * 2 * kPoles * stride_,
        .carry = carries_.data() + (first / kGroup * kChannels + channel) * kCarryFloats,
        .outputs = workers_[worker].outputs.data(),
        .zeros = zeros_.data(),
    };
    blur_.blur_rows(group);
    blur_.score_rows(group, need, sums[std::size_t(channel)][scale]);
}

} // namespace vmaf::ssimulacra2
