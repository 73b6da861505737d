// The scalar strips of `vif`. Input is shifted left to 16 bits, which makes every depth and scale one arithmetic: the
// filtered sums of 2.5 and 2.6 gain 16 - bits (means) or 16 - p (products) low zero bits, so that rounding them at bit
// 16 gives the integer that the specification gets by rounding at bit v or p. A 32-bit value is filtered as two 16-bit
// halves, (sum F x + 2^15) >> 16 = sum F high(x) + ((sum F low(x) + 2^15) >> 16), so that all sums fit 32 bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/aligned.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/vif/vif_pixel.hpp"
#include "metrics/vif/vif_strip.hpp"

namespace vmaf::vif {

namespace {

enum Channel { kRef, kDist, kRefRefHigh, kDistDistHigh, kRefDistHigh, kRefRefLow, kDistDistLow, kRefDistLow };
constexpr int kChannels = 8;
constexpr int kRingRows = 32; // a power of two above the 17 taps of scale 0

using Row = std::uint16_t *;
template <int Taps> using TapRows = std::array<const std::uint16_t *, Taps>;

// sums[x] (+)= sum of taps[k] * rows[k][x] for First <= k < Last
template <int First, int Last, int Taps>
void add_rows(const TapRows<Taps> &rows, const std::uint16_t *taps, int count, std::uint32_t *__restrict sums) {
    for (int x = 0; x < count; x++) {
        std::uint32_t sum = First == 0 ? 0 : sums[x];
        for (int k = First; k < Last; k++) sum += std::uint32_t(taps[k]) * rows[std::size_t(k)][x];
        sums[x] = sum;
    }
}

// In two steps if there are more rows than registers for their addresses.
template <int Taps>
void filter_rows(const TapRows<Taps> &rows, const std::uint16_t *taps, int count, std::uint32_t *__restrict sums) {
    constexpr int half = Taps > 9 ? 9 : Taps;
    add_rows<0, half, Taps>(rows, taps, count, sums);
    if constexpr (half < Taps) add_rows<half, Taps, Taps>(rows, taps, count, sums);
}

// sums[x] = sum of taps[k] * row[x - Taps / 2 + k]
template <int Taps>
void filter_columns(const std::uint16_t *row, const std::uint16_t *taps, int count, std::uint32_t *__restrict sums) {
    for (int x = 0; x < count; x++) {
        std::uint32_t sum = 0;
        for (int k = 0; k < Taps; k++) sum += std::uint32_t(taps[k]) * row[x - Taps / 2 + k];
        sums[x] = sum;
    }
}

void extend_row(Row row, int width, int radius) {
    for (int i = 1; i <= radius; i++) {
        row[-i] = row[reflect(-i, width)];
        row[width - 1 + i] = row[reflect(width - 1 + i, width)];
    }
}

template <class T> void load_samples(const void *row, int width, int shift, Row out) {
    const T *samples = static_cast<const T *>(row);
    for (int x = 0; x < width; x++) out[x] = std::uint16_t(samples[x] << shift);
}

void split_products(const std::uint16_t *__restrict a, const std::uint16_t *__restrict b, int width, Row high,
                    Row low) {
    for (int x = 0; x < width; x++) {
        const std::uint32_t product = std::uint32_t(a[x]) * b[x];
        high[x] = std::uint16_t(product >> 16);
        low[x] = std::uint16_t(product);
    }
}

// A vertically filtered row, with up to 8 extra samples at both ends.
class ExtendedRow {
  public:
    explicit ExtendedRow(int width) : samples_(std::size_t(width + 2 * kMargin)) {}
    Row get() { return samples_.data() + kMargin; }

  private:
    static constexpr int kMargin = 32;
    AlignedArray<std::uint16_t> samples_;
};

class ScalarWorker final : public StripWorker {
  public:
    explicit ScalarWorker(int width)
        : stride_(round_up(width, 32)),
          ring_(std::size_t(kRingRows * kChannels * stride_)), filtered_{ExtendedRow(width), ExtendedRow(width),
                                                                         ExtendedRow(width), ExtendedRow(width),
                                                                         ExtendedRow(width), ExtendedRow(width),
                                                                         ExtendedRow(width), ExtendedRow(width)},
          sums_(std::size_t(stride_)),
          low_sums_(std::size_t(stride_)), moments_{Sums(std::size_t(stride_)), Sums(std::size_t(stride_)),
                                                    Sums(std::size_t(stride_)), Sums(std::size_t(stride_)),
                                                    Sums(std::size_t(stride_))} {}

    StripSums run(const Strip &strip) override {
        switch (strip.scale) {
        case 0: return run_scale<0>(strip);
        case 1: return run_scale<1>(strip);
        case 2: return run_scale<2>(strip);
        default: return run_scale<3>(strip);
        }
    }

  private:
    using Sums = AlignedArray<std::uint32_t>;

    template <int Scale> StripSums run_scale(const Strip &strip);
    void enter_row(const Strip &strip, int y);
    template <int Taps> void vertical_pass(const Strip &strip, int y);
    template <int Taps> void horizontal_pass(int width);
    template <int Taps> void next_scale_row(const Strip &strip, int y, Channel channel, Row out);
    StripSums sum_pixels(int from, int to, const GainLimits &limits) const;

    Row ring_row(int y, int channel) {
        return ring_.data() + std::ptrdiff_t((y % kRingRows) * kChannels + channel) * stride_;
    }
    template <int Taps> TapRows<Taps> ring_rows(int centre, int height, int channel) {
        TapRows<Taps> rows;
        for (int k = 0; k < Taps; k++) rows[std::size_t(k)] = ring_row(reflect(centre - Taps / 2 + k, height), channel);
        return rows;
    }

    int stride_;
    AlignedArray<std::uint16_t> ring_; // the channels of the last input rows
    bool has_low_ = true;              // whether products have low halves; zero at scale 0 of 8-bit input
    std::array<ExtendedRow, kChannels> filtered_;
    Sums sums_, low_sums_;
    std::array<Sums, 5> moments_; // M1, M2, XX, YY, XY
};

void ScalarWorker::enter_row(const Strip &strip, int y) {
    const ScaleImages &images = strip.images;
    const int width = images.width;
    const auto load = [&](const void *image, std::ptrdiff_t stride, Row out) {
        const void *row = static_cast<const std::byte *>(image) + y * stride;
        if (images.bits == 8)
            load_samples<std::uint8_t>(row, width, 8, out);
        else
            load_samples<std::uint16_t>(row, width, int(16 - images.bits), out);
    };
    load(images.ref, images.ref_stride, ring_row(y, kRef));
    load(images.dist, images.dist_stride, ring_row(y, kDist));
    if (!strip.statistics) return;
    const std::uint16_t *ref = ring_row(y, kRef), *dist = ring_row(y, kDist);
    split_products(ref, ref, width, ring_row(y, kRefRefHigh), ring_row(y, kRefRefLow));
    split_products(dist, dist, width, ring_row(y, kDistDistHigh), ring_row(y, kDistDistLow));
    split_products(ref, dist, width, ring_row(y, kRefDistHigh), ring_row(y, kRefDistLow));
}

// m1, m2, rr, dd, rd of row y (2.6).
template <int Taps> void ScalarWorker::vertical_pass(const Strip &strip, int y) {
    const std::uint16_t *taps = kTaps[std::size_t(strip.scale)].data();
    const int width = strip.images.width, height = strip.images.height;
    std::uint32_t *const sums = sums_.data(), *const low_sums = low_sums_.data();
    for (int channel : {kRef, kDist}) {
        filter_rows<Taps>(ring_rows<Taps>(y, height, channel), taps, width, sums);
        Row out = filtered_[std::size_t(channel)].get();
        for (int x = 0; x < width; x++) out[x] = std::uint16_t((sums[x] + 32768) >> 16);
        extend_row(out, width, Taps / 2);
    }
    for (int channel : {kRefRefHigh, kDistDistHigh, kRefDistHigh}) {
        const int low_channel = channel + (kRefRefLow - kRefRefHigh);
        filter_rows<Taps>(ring_rows<Taps>(y, height, channel), taps, width, sums);
        if (has_low_) {
            filter_rows<Taps>(ring_rows<Taps>(y, height, low_channel), taps, width, low_sums);
            for (int x = 0; x < width; x++) sums[x] += (low_sums[x] + 32768) >> 16;
        }
        Row high = filtered_[std::size_t(channel)].get(), low = filtered_[std::size_t(low_channel)].get();
        for (int x = 0; x < width; x++) {
            high[x] = std::uint16_t(sums[x] >> 16);
            low[x] = std::uint16_t(sums[x]);
        }
        extend_row(high, width, Taps / 2);
        extend_row(low, width, Taps / 2);
    }
}

// M1, M2 (not shifted), XX, YY, XY of the row (2.6).
template <int Taps> void ScalarWorker::horizontal_pass(int width) {
    constexpr int scale = Taps == 17 ? 0 : Taps == 9 ? 1 : Taps == 5 ? 2 : 3;
    const std::uint16_t *taps = kTaps[scale].data();
    const auto filter = [&](int channel, std::uint32_t *out) {
        filter_columns<Taps>(filtered_[std::size_t(channel)].get(), taps, width, out);
    };
    for (int channel : {kRef, kDist}) filter(channel, moments_[std::size_t(channel)].data());
    std::uint32_t *const low_sums = low_sums_.data();
    for (int channel : {kRefRefHigh, kDistDistHigh, kRefDistHigh}) {
        std::uint32_t *const sums = moments_[std::size_t(channel)].data();
        filter(channel, sums);
        filter(channel + (kRefRefLow - kRefRefHigh), low_sums);
        for (int x = 0; x < width; x++) sums[x] += (low_sums[x] + 32768) >> 16;
    }
}

StripSums ScalarWorker::sum_pixels(int from, int to, const GainLimits &limits) const {
    const std::uint16_t *const table = log_table().data();
    StripSums sums;
    for (auto x = std::size_t(from); x < std::size_t(to); x++) {
        const std::uint64_t mean_r = moments_[0][x], mean_d = moments_[1][x];
        const auto variance = [](std::uint32_t square, std::uint64_t mean_square) {
            return std::int32_t(square - std::uint32_t((mean_square + (1u << 31)) >> 32));
        };
        const Statistics pixel = {variance(moments_[2][x], mean_r * mean_r),
                                  std::max(variance(moments_[3][x], mean_d * mean_d), 0),
                                  variance(moments_[4][x], mean_r * mean_d)};
        add_pixel(pixel, limits, table, sums);
    }
    return sums;
}

// 2.5: row y / 2 of the next scale, whose filter has `Taps` taps.
template <int Taps> void ScalarWorker::next_scale_row(const Strip &strip, int y, Channel channel, Row out) {
    const std::uint16_t *taps = kTaps[std::size_t(strip.scale) + 1].data();
    const int width = strip.images.width;
    Row line = filtered_[kRef].get();
    filter_rows<Taps>(ring_rows<Taps>(y, strip.images.height, channel), taps, width, sums_.data());
    for (int x = 0; x < width; x++) line[x] = std::uint16_t((sums_[std::size_t(x)] + 32768) >> 16);
    extend_row(line, width, Taps / 2);
    for (int x = 0; x < width / 2; x++) {
        std::uint32_t sum = 32768;
        for (int k = 0; k < Taps; k++) sum += std::uint32_t(taps[k]) * line[2 * x - Taps / 2 + k];
        out[x] = std::uint16_t(sum >> 16);
    }
}

template <int Scale> StripSums ScalarWorker::run_scale(const Strip &strip) {
    constexpr int taps = kTapCount[Scale], radius = taps / 2;
    const int height = strip.images.height, next_height = height / 2;
    has_low_ = strip.images.bits != 8;
    StripSums sums;
    int entered = std::max(0, strip.first_row - radius);
    for (int y = strip.first_row; y < strip.end_row; y++) {
        for (; entered <= std::min(y + radius, height - 1); entered++) enter_row(strip, entered);
        if constexpr (Scale + 1 < kScales) {
            constexpr int next_taps = kTapCount[Scale + 1];
            if (y % 2 == 0 && y / 2 < next_height) {
                next_scale_row<next_taps>(strip, y, kRef, strip.next_ref + y / 2 * strip.next_stride);
                next_scale_row<next_taps>(strip, y, kDist, strip.next_dist + y / 2 * strip.next_stride);
            }
        }
        if (!strip.statistics) continue;
        vertical_pass<taps>(strip, y);
        horizontal_pass<taps>(strip.images.width);
        if (!strip.tiles) {
            sums += sum_pixels(0, strip.images.width, strip.limits);
            continue;
        }
        ScaleTiles tiles(*strip.tiles, Scale);
        ScaleSums *const row = strip.tile_sums + tiles.row_of(y) * tiles.columns();
        for (int i = 0; i < tiles.columns(); i++) {
            const StripSums part = sum_pixels(tiles.first_column(i), tiles.first_column(i + 1), strip.limits);
            row[i] += part.first;
            sums += part;
        }
    }
    return sums;
}

struct FilteredPixel {
    std::array<std::uint32_t, 5> values; // m1, m2, rr, dd, rd
};

// The vertical pass of 2.6 for one column of 16-bit images, given the sample pairs under the taps.
template <class Sample> FilteredPixel filter_column(int scale, Sample &&sample) {
    std::array<std::uint64_t, 5> sums;
    sums.fill(32768);
    const int taps = kTapCount[std::size_t(scale)];
    for (int k = 0; k < taps; k++) {
        const std::uint64_t f = kTaps[std::size_t(scale)][std::size_t(k)];
        const auto [r, d] = sample(k - taps / 2);
        const std::array<std::uint64_t, 5> terms = {r, d, r * r, d * d, r * d};
        for (std::size_t i = 0; i < 5; i++) sums[i] += f * terms[i];
    }
    FilteredPixel out;
    for (std::size_t i = 0; i < 5; i++) out.values[i] = std::uint32_t(sums[i] >> 16);
    return out;
}

} // namespace

std::unique_ptr<StripWorker> make_scalar_worker(int width) { return std::make_unique<ScalarWorker>(width); }

StripSums narrow_scale3_sums(const ScaleImages &scale2, const ScaleImages &scale3, const GainLimits &limits) {
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    const auto sample = [](const ScaleImages &images, int y, int x) {
        const auto at = [&](const void *image, std::ptrdiff_t stride) -> std::uint64_t {
            return reinterpret_cast<const std::uint16_t *>(static_cast<const std::byte *>(image) + y * stride)[x];
        };
        return Pair(at(images.ref, images.ref_stride), at(images.dist, images.dist_stride));
    };
    // A single row has row 1 of scale 2 above and below it, column by column, not decimated.
    const auto column = [&](int y, int x) {
        return filter_column(3, [&](int offset) {
            if (scale3.height == 1 && offset != 0) return sample(scale2, 1, x);
            return sample(scale3, reflect(y + offset, scale3.height), x);
        });
    };
    // A single column has column 1 of scale 2's last row, filtered there, on its left and right.
    const FilteredPixel beside = filter_column(
        2, [&](int offset) { return sample(scale2, reflect(scale2.height - 1 + offset, scale2.height), 1); });
    StripSums sums;
    for (int y = 0; y < scale3.height; y++)
        for (int x = 0; x < scale3.width; x++) {
            std::array<std::uint64_t, 5> m{};
            for (int k = 0; k < 3; k++) {
                const bool outside = scale3.width == 1 && k != 1;
                const FilteredPixel pixel = outside ? beside : column(y, reflect(x - 1 + k, scale3.width));
                for (std::size_t i = 0; i < 5; i++) m[i] += std::uint64_t(kTaps[3][std::size_t(k)]) * pixel.values[i];
            }
            const auto variance = [](std::uint64_t sum, std::uint64_t mean_square) {
                return std::int32_t(std::uint32_t((sum + 32768) >> 16) -
                                    std::uint32_t((mean_square + (1u << 31)) >> 32));
            };
            add_pixel(
                {variance(m[2], m[0] * m[0]), std::max(variance(m[3], m[1] * m[1]), 0), variance(m[4], m[0] * m[1])},
                limits, log_table().data(), sums);
        }
    return sums;
}

} // namespace vmaf::vif
