#include "metrics/ssimulacra2/ssimulacra2_pass.hpp"

#include <algorithm>

namespace vmaf::ssimulacra2 {

namespace {

bool too_small(int width, int height) { return width < kMinSide || height < kMinSide; }

} // namespace

Passes::Passes(const PictureFormat &format, int matrix) : format_(format), matrix_(yuv_matrix(matrix)) {
    int width = int(format.width), height = int(format.height);
    stride_ = round_up(width, 16) + 16; // rows that follow each other do not share their low address bits
    const auto row = std::size_t(stride_);
    while (scales_.size() < kScales && !too_small(width, height)) {
        const std::size_t rows = scales_.empty() ? 0 : std::size_t(height) * 6;
        scales_.push_back({width, height, AlignedArray<float>(rows * row)});
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    if (scales_.empty()) return;
    columns_ = AlignedArray<int>(row);
    for (int x = 0; x < int(format.width); x++)
        columns_[std::size_t(x)] = chroma_position(x, int(format.width), int(format.plane_width(1)));
    linear_ = AlignedArray<float>(2 * 3 * 2 * row);
    xyb_ = AlignedArray<float>(2 * kChannels * kRing * row);
    blurred_ = AlignedArray<float>(kChannels * kSignals * kRing * row);
    states_ = AlignedArray<float>(kChannels * kSignals * 2 * kPoles * row);
    outputs_ = AlignedArray<float>(kSignals * kGroup * row);
    zeros_ = AlignedArray<float>(row);
}

double Passes::score(const Picture &ref, const Picture &dist) {
    AllSums sums{};
    for (std::size_t scale = 0; scale < scales_.size(); scale++) score_scale(scale, {&ref, &dist}, sums);
    return final_score(sums);
}

void Passes::score_scale(std::size_t scale, const Pair &pictures, AllSums &sums) {
    const int height = scales_[scale].height, width = scales_[scale].width;
    std::fill_n(states_.data(), states_.size(), 0.0f);
    for (int channel = 0; channel < kChannels; channel++)
        sums[std::size_t(channel)][scale].pixels = double(width) * double(height);

    for (int first = 0; first < height + kBlurAhead; first += kGroup) {
        const int count = std::min(kGroup, height + kBlurAhead - first);
        for (int picture = 0; picture < 2; picture++)
            for (int y = first; y < std::min(first + count, height); y++)
                convert_row(scale, picture, *pictures[std::size_t(picture)], y);
        for (int channel = 0; channel < kChannels; channel++) {
            const Needs need = needs(channel, int(scale));
            if (!need.structure && !need.edges) continue;
            const RowGroup group = row_group(scale, channel, first, count);
            blur_rows(group);
            score_rows(group, need, sums[std::size_t(channel)][scale]);
        }
    }
}

// Brings one row of a picture to XYB, and a pair of rows into the next scale.
void Passes::convert_row(std::size_t scale, int picture, const Picture &source, int y) {
    const int width = scales_[scale].width, height = scales_[scale].height;
    const Rows rgb = linear_rows(scale, picture, y);
    if (scale == 0) {
        if (format_.bits > 8)
            linear_row_of<std::uint16_t>(source, y, rgb);
        else
            linear_row_of<std::uint8_t>(source, y, rgb);
    }
    Rows xyb;
    for (int channel = 0; channel < kChannels; channel++)
        xyb[std::size_t(channel)] = xyb_.data() + ((picture * kChannels + channel) * kRing + y % kRing) * stride_;
    xyb_row({rgb[0], rgb[1], rgb[2]}, xyb, width);

    const bool pair_complete = y % 2 == 1 || y == height - 1;
    if (!pair_complete || scale + 1 == scales_.size()) return;
    const Rows top = linear_rows(scale, picture, y & ~1), half = linear_rows(scale + 1, picture, y / 2);
    for (std::size_t c = 0; c < 3; c++) halve_rows(top[c], rgb[c], half[c], width);
}

template <class T> void Passes::linear_row_of(const Picture &source, int y, const Rows &rgb) {
    const PlaneView<T> luma = source.plane<T>(0), u = source.plane<T>(1), v = source.plane<T>(2);
    const int c = chroma_position(y, luma.height, u.height);
    const float scale = 1.0f / float((1 << format_.bits) - 1);
    linear_row<T>({luma.row(y), u.row(c), v.row(c), columns_.data(), scale}, matrix_, rgb, luma.width);
}

Rows Passes::linear_rows(std::size_t scale, int picture, int y) {
    Rows rows;
    for (int channel = 0; channel < 3; channel++) {
        const int plane = picture * 3 + channel;
        rows[std::size_t(channel)] =
            scale == 0 ? linear_.data() + (plane * 2 + y % 2) * stride_
                       : scales_[scale].linear.data() + (std::ptrdiff_t(plane) * scales_[scale].height + y) * stride_;
    }
    return rows;
}

RowGroup Passes::row_group(std::size_t scale, int channel, int first, int count) {
    const Needs need = needs(channel, int(scale));
    const auto xyb = [&](int picture) { return xyb_.data() + (picture * kChannels + channel) * kRing * stride_; };
    return {
        .width = scales_[scale].width,
        .height = scales_[scale].height,
        .first = first,
        .count = count,
        .signals = need.structure ? int(kSignals) : kEdgeSignals,
        .stride = stride_,
        .xyb = {xyb(0), xyb(1)},
        .blurred = blurred_.data() + channel * kSignals * kRing * stride_,
        .states = states_.data() + channel * kSignals * 2 * kPoles * stride_,
        .outputs = outputs_.data(),
        .zeros = zeros_.data(),
    };
}

} // namespace vmaf::ssimulacra2
