#include "metrics/cambi/cambi_stages.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace vmaf::cambi {

namespace {

// Depths 8 and 16 fill their storage and need no check.
void check_sample_range(const PlaneView<std::uint16_t> &luma, unsigned bits) {
    if (bits == 16) return;
    const int top = (1 << bits) - 1;
    for (int y = 0; y < luma.height; y++) {
        const std::uint16_t *const row = luma.row(y);
        int largest = 0;
        for (int x = 0; x < luma.width; x++) largest = std::max<int>(largest, row[x]);
        if (largest > top)
            throw invalid("feature 'cambi': a luma sample is " + std::to_string(largest) + ", but pictures of " +
                          std::to_string(bits) + " bit end at " + std::to_string(top));
    }
}

// Above 10 bits the top codes round up to 1024.
template <class T> std::uint16_t to_ten_bits(T sample, unsigned bits) {
    if (bits <= 10) return std::uint16_t(sample << (10 - bits));
    return std::uint16_t((sample + (1 << (bits - 11))) >> (bits - 10));
}

// Source positions along one axis; the float accumulation is part of the definition (section 5).
class SourcePositions {
  public:
    SourcePositions(int source_size, int target_size)
        : last_(source_size - 1), ratio_(float(source_size) / float(target_size)),
          position_(float(double(ratio_ / 2.0f) - 0.5)) {}
    int next() {
        const int sample = std::min(int(double(position_) + 0.5), last_);
        position_ += ratio_;
        return sample;
    }

  private:
    int last_;
    float ratio_, position_;
};

template <class T> void convert(const PlaneView<T> &luma, unsigned bits, const Canvas &canvas, Workspace &room) {
    if (luma.width == canvas.width && luma.height == canvas.height) {
        for (int y = 0; y < canvas.height; y++) {
            const T *const from = luma.row(y);
            std::uint16_t *const to = canvas.image_row(y);
            for (int x = 0; x < canvas.width; x++) to[x] = to_ten_bits(from[x], bits);
        }
        return;
    }
    SourcePositions columns(luma.width, canvas.width), rows(luma.height, canvas.height);
    for (int x = 0; x < canvas.width; x++) room.columns[std::size_t(x)] = columns.next();
    for (int y = 0; y < canvas.height; y++) {
        const T *const from = luma.row(rows.next());
        std::uint16_t *const to = canvas.image_row(y);
        for (int x = 0; x < canvas.width; x++) to[x] = to_ten_bits(from[room.columns[std::size_t(x)]], bits);
    }
}

// Z of section 7 for one row.
void mark_flat(const Canvas &c, int y, std::uint8_t *flat) {
    const std::uint16_t *const row = c.image_row(y);
    const std::uint16_t *const below = c.image_row(std::min(y + 1, c.height - 1)); // the last row equals itself
    const int right = c.width - 1;
    for (int x = 0; x < right; x++) flat[x] = std::uint8_t((row[x] == row[x + 1]) & (row[x] == below[x]));
    flat[right] = row[right] == below[right];
}

std::uint16_t mode_of_three(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    const std::uint16_t least = std::min(std::min(a, b), c);
    return b == c ? b : a == b || a == c ? a : least;
}

void mode_filter_row(const std::uint16_t *row, int width, std::uint16_t *out) {
    out[0] = row[0];
    for (int x = 1; x + 1 < width; x++) out[x] = mode_of_three(row[x - 1], row[x], row[x + 1]);
    out[width - 1] = row[width - 1];
}

} // namespace

Workspace::Workspace(const Setup &setup) {
    int width = setup.encoded.width, height = setup.encoded.height;
    if (setup.full_ref) {
        width = std::max(width, setup.source.width);
        height = std::max(height, setup.source.height);
    }
    row_stride = round_up(width, 32);
    const auto row = std::size_t(row_stride);
    const std::size_t area = row * std::size_t(height);
    image_ = AlignedArray<std::uint16_t>(area);
    mask_ = AlignedArray<std::uint8_t>(area);
    flat_row = AlignedArray<std::uint8_t>(row + 2 * kFlatRadius);
    flat_counts = AlignedArray<std::uint8_t>(row * (2 * kFlatRadius + 2));
    filtered_rows = AlignedArray<std::uint16_t>(row * 3);
    c_values = AlignedArray<float>(std::size_t(width) * std::size_t(height));
    columns = AlignedArray<int>(row);
    if (setup.any_query())
        counts = AlignedArray<std::uint16_t>(row * std::size_t(setup.highest_level() - setup.lowest_level() + 1));
}

Canvas Workspace::canvas(const Target &target) {
    return {target.width, target.height, target.width, target.height, row_stride, image_.data(), mask_.data()};
}

void load_luma(const Picture &picture, Canvas &canvas, Workspace &room) {
    const unsigned bits = picture.format().bits;
    if (bits == 8) {
        convert(picture.plane<std::uint8_t>(0), bits, canvas, room);
    } else {
        check_sample_range(picture.plane<std::uint16_t>(0), bits);
        convert(picture.plane<std::uint16_t>(0), bits, canvas, room);
    }
}

// In raster order, because only pixels to the right and below are read.
void remove_dither(const Canvas &c) {
    const int right = c.width - 1, bottom = c.height - 1;
    for (int y = 0; y < bottom; y++) {
        std::uint16_t *const row = c.image_row(y);
        const std::uint16_t *const below = c.image_row(y + 1);
        for (int x = 0; x < right; x++) row[x] = std::uint16_t((row[x] + row[x + 1] + below[x] + below[x + 1]) >> 2);
        row[right] = std::uint16_t((row[right] + below[right]) >> 1);
    }
    std::uint16_t *const row = c.image_row(bottom);
    for (int x = 0; x < right; x++) row[x] = std::uint16_t((row[x] + row[x + 1]) >> 1);
}

int mask_threshold(int width, int height) {
    const int blocks = (width >> 6) * (height >> 6);
    int log = 0;
    while ((1 << log) < blocks) log++;
    return (15 + 3 * log) >> 1;
}

// The sums over seven columns are kept for seven rows in a ring; their total moves from row to row.
void compute_mask(const Canvas &c, Workspace &room) {
    const int threshold = mask_threshold(c.width, c.height);
    constexpr int kSide = 2 * kFlatRadius + 1;
    const auto counts = [&](int y) { return room.flat_counts.data() + (y % kSide) * room.row_stride; };
    std::uint8_t *const total = room.flat_counts.data() + kSide * room.row_stride;
    std::uint8_t *const flat = room.flat_row.data() + kFlatRadius;
    std::fill(total, total + c.width, std::uint8_t(0));
    std::fill(flat + c.width, flat + c.width + kFlatRadius, std::uint8_t(0));
    for (int y = -kFlatRadius; y < c.height; y++) {
        const int entering = y + kFlatRadius, leaving = y - kFlatRadius - 1;
        if (leaving >= 0) {
            const std::uint8_t *const old = counts(leaving);
            for (int x = 0; x < c.width; x++) total[x] = std::uint8_t(total[x] - old[x]);
        }
        if (entering < c.height) {
            mark_flat(c, entering, flat);
            std::uint8_t *const fresh = counts(entering);
            for (int x = 0; x < c.width; x++) {
                const std::uint8_t *const f = flat + x;
                fresh[x] = std::uint8_t(f[-3] + f[-2] + f[-1] + f[0] + f[1] + f[2] + f[3]);
                total[x] = std::uint8_t(total[x] + fresh[x]);
            }
        }
        if (y < 0) continue;
        std::uint8_t *const mask = c.mask_row(y);
        for (int x = 0; x < c.width; x++) mask[x] = total[x] > threshold;
    }
}

// Every second pixel of every second row.
void decimate(Canvas &c) {
    c.width = (c.width + 1) >> 1;
    c.height = (c.height + 1) >> 1;
    for (int y = 0; y < c.height; y++) {
        const std::uint16_t *const from = c.image_row(2 * y);
        const std::uint8_t *const from_mask = c.mask_row(2 * y);
        std::uint16_t *const to = c.image_row(y);
        std::uint8_t *const to_mask = c.mask_row(y);
        for (int x = 0; x < c.width; x++) {
            to[x] = from[2 * x];
            to_mask[x] = from_mask[2 * x];
        }
    }
}

// The first and last rows stay as they are; three filtered rows are kept in a ring.
void mode_filter(const Canvas &c, Workspace &room) {
    if (c.height < 3) return;
    const auto filtered = [&](int y) { return room.filtered_rows.data() + (y % 3) * room.row_stride; };
    mode_filter_row(c.image_row(0), c.width, filtered(0));
    mode_filter_row(c.image_row(1), c.width, filtered(1));
    for (int y = 1; y < c.height - 1; y++) {
        mode_filter_row(c.image_row(y + 1), c.width, filtered(y + 1));
        const std::uint16_t *const above = filtered(y - 1), *const here = filtered(y), *const below = filtered(y + 1);
        std::uint16_t *const out = c.image_row(y);
        for (int x = 0; x < c.width; x++) out[x] = mode_of_three(above[x], here[x], below[x]);
    }
}

} // namespace vmaf::cambi
