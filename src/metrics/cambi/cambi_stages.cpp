#include "metrics/cambi/cambi_stages.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace vmaf::cambi {

namespace {

// Where rows of a picture pass through: a whole canvas, or only the rows in use.
struct PassingRows {
    std::uint16_t *first;
    std::ptrdiff_t stride;
    int width, height, wrap;

    std::uint16_t *row(int y) const { return first + (y & wrap) * stride; }
};
constexpr int kAllRows = -1, kFourRows = 3; // wrap

void convert_row(const RowFunctions &rows, const std::uint8_t *from, std::uint16_t *to, int count, unsigned) {
    rows.widen(from, to, count);
}
void convert_row(const RowFunctions &rows, const std::uint16_t *from, std::uint16_t *to, int count, unsigned bits) {
    rows.convert(from, to, count, bits);
}

// Calls take(y, samples) for every row of the target; the samples are valid until the next call.
template <class T, class Take>
void for_each_row(const PlaneView<T> &luma, int width, int height, Workspace &room, const Take &take) {
    if (luma.width == width && luma.height == height) {
        for (int y = 0; y < height; y++) take(y, luma.row(y));
        return;
    }
    SourcePositions columns(luma.width, width), rows(luma.height, height);
    for (int x = 0; x < width; x++) room.columns[std::size_t(x)] = columns.next();
    T *const picked = reinterpret_cast<T *>(room.filtered_rows.data());
    for (int y = 0; y < height; y++) {
        const T *const from = luma.row(rows.next());
        for (int x = 0; x < width; x++) picked[x] = from[room.columns[std::size_t(x)]];
        take(y, picked);
    }
}

// Needs the unfiltered row below.
void remove_dither_of_row(const PassingRows &image, const RowFunctions &rows, int y) {
    const int right = image.width - 1;
    std::uint16_t *const row = image.row(y);
    if (y == image.height - 1) {
        for (int x = 0; x < right; x++) row[x] = std::uint16_t((row[x] + row[x + 1]) >> 1);
        return;
    }
    const std::uint16_t *const below = image.row(y + 1);
    rows.remove_dither(row, below, right);
    row[right] = std::uint16_t((row[right] + below[right]) >> 1);
}

// Both steps for 8-bit samples: a quarter of the sum of four samples, each multiplied by four, is their sum.
void widen_without_dither(const PlaneView<std::uint8_t> &luma, const PassingRows &image, const RowFunctions &rows,
                          int y) {
    const int right = image.width - 1;
    const std::uint8_t *const from = luma.row(y);
    std::uint16_t *const to = image.row(y);
    if (y == image.height - 1) {
        for (int x = 0; x < right; x++) to[x] = std::uint16_t(2 * (from[x] + from[x + 1]));
        to[right] = std::uint16_t(4 * from[right]);
        return;
    }
    const std::uint8_t *const below = luma.row(y + 1);
    rows.sum_of_four(from, below, to, right);
    to[right] = std::uint16_t(2 * (from[right] + below[right]));
}

// Calls done(y) when row y is complete, and filtered if requested.
template <class T, class Done>
void load_plane(const PlaneView<T> &luma, const Setup &setup, const PassingRows &image, Workspace &room,
                const Done &done) {
    if constexpr (sizeof(T) == 1)
        if (setup.remove_dither && luma.width == image.width && luma.height == image.height) {
            for (int y = 0; y < image.height; y++) {
                widen_without_dither(luma, image, room.rows, y);
                done(y);
            }
            return;
        }
    for_each_row(luma, image.width, image.height, room, [&](int y, const T *from) {
        convert_row(room.rows, from, image.row(y), image.width, setup.bits);
        if (!setup.remove_dither) {
            done(y);
        } else if (y > 0) {
            remove_dither_of_row(image, room.rows, y - 1);
            done(y - 1);
        }
    });
    if (setup.remove_dither) {
        remove_dither_of_row(image, room.rows, image.height - 1);
        done(image.height - 1);
    }
}

// Keeps flatness for seven rows in a ring; its column totals move from row to row. Calls marked(y) after the last use
// of row y of the image, and counted(y, totals) when the totals around its pixels are complete.
template <class Marked, class Counted> class FlatRows {
  public:
    FlatRows(const PassingRows &image, Workspace &room, const Marked &marked, const Counted &counted)
        : image_(image), room_(room), marked_(marked), counted_(counted) {
        std::fill_n(room.flat_rows.data(), room.flat_rows.size(), std::uint8_t(0));
        std::fill_n(room.flat_totals.data(), room.flat_totals.size(), std::uint8_t(0));
    }

    // Row by row, each once the row below it is available.
    void enter(int entering) const {
        std::uint8_t *const totals = room_.flat_totals.data() + kFlatRadius;
        std::uint8_t *const flat = room_.flat_rows.data() + (entering % kSide) * room_.row_stride;
        const int y = entering - kFlatRadius, right = image_.width - 1;
        if (entering < image_.height) {
            const std::uint16_t *const row = image_.row(entering);
            // The last row and column have no further neighbour to differ from.
            const std::uint16_t *const below = image_.row(std::min(entering + 1, image_.height - 1));
            room_.rows.mark_flat(row, below, flat, totals, right);
            change(flat[right], totals[right], row[right] == below[right]);
            marked_(entering);
        } else {
            for (int x = 0; x < image_.width; x++) change(flat[x], totals[x], false);
        }
        if (y >= 0) counted_(y, totals);
    }
    void finish() const { // when all rows except the last have entered
        for (int y = image_.height - 1; y < image_.height + kFlatRadius; y++) enter(y);
    }

  private:
    static constexpr int kSide = 2 * kFlatRadius + 1;

    static void change(std::uint8_t &flat, std::uint8_t &total, bool is_flat) {
        total = std::uint8_t(total + is_flat - flat);
        flat = is_flat;
    }

    const PassingRows &image_;
    Workspace &room_;
    const Marked &marked_;
    const Counted &counted_;
};

// Filters and examines every row while it is in the cache.
template <class Marked, class Counted>
void load_rows(const Picture &picture, const Setup &setup, const PassingRows &image, Workspace &room,
               const Marked &marked, const Counted &counted) {
    const FlatRows flat(image, room, marked, counted);
    const auto done = [&](int y) {
        if (y > 0) flat.enter(y - 1);
    };
    if (picture.format().bits == 8)
        load_plane(picture.plane<std::uint8_t>(0), setup, image, room, done);
    else
        load_plane(picture.plane<std::uint16_t>(0), setup, image, room, done);
    flat.finish();
}

} // namespace

Workspace::Workspace(const Setup &setup, Isa isa)
    : rows(pick_rows(isa)), halved_(setup.speedup && setup.windows_fit()) {
    int width = setup.encoded.width, height = setup.encoded.height;
    if (setup.full_ref) {
        width = std::max(width, setup.source.width);
        height = std::max(height, setup.source.height);
    }
    row_stride = round_up(width, 64);
    const auto row = std::size_t(row_stride);
    flat_rows = AlignedArray<std::uint8_t>(row * (2 * kFlatRadius + 1));
    flat_totals = AlignedArray<std::uint8_t>(row + 2 * kFlatRadius);
    filtered_rows = AlignedArray<std::uint16_t>(row * 3);
    columns = AlignedArray<int>(row);
    if (halved_) passing_rows_ = AlignedArray<std::uint16_t>(row * (kFourRows + 1));
    width_ = halved_ ? half(width) : width;
    height = halved_ ? half(height) : height;
    stride_ = round_up(width_, 64);
    const std::size_t area = std::size_t(stride_) * std::size_t(height);
    image_ = AlignedArray<std::uint16_t>(area);
    mask_ = AlignedArray<std::uint8_t>(area);
    c_values = AlignedArray<float>(std::size_t(width_) * std::size_t(height));
}

Canvas Workspace::load(const Picture &picture, const Target &target, const Setup &setup) {
    const int width = halved_ ? half(target.width) : target.width,
              height = halved_ ? half(target.height) : target.height;
    Canvas c{width, height, width, height, stride_, image_.data(), mask_.data()};
    const auto threshold = mask_threshold(target.width, target.height);
    if (halved_) { // keeps only the rows of the pictures in use
        const PassingRows image{passing_rows_.data(), row_stride, target.width, target.height, kFourRows};
        load_rows(
            picture, setup, image, *this,
            [&](int y) {
                if (y % 2 == 0) rows.decimate_image(image.row(y), c.image_row(y / 2), c.width);
            },
            [&](int y, const std::uint8_t *totals) {
                if (y % 2 == 0) rows.mask_halved(totals, threshold, c.mask_row(y / 2), c.width);
            });
        return c;
    }
    const PassingRows image{c.image, stride_, target.width, target.height, kAllRows};
    load_rows(
        picture, setup, image, *this, [](int) {},
        [&](int y, const std::uint8_t *totals) { rows.mask(totals, threshold, c.mask_row(y), c.width); });
    if (setup.speedup) decimate(c, *this);
    return c;
}

int mask_threshold(int width, int height) {
    const int blocks = (width >> 6) * (height >> 6);
    int log = 0;
    while ((1 << log) < blocks) log++;
    return (15 + 3 * log) >> 1;
}

// Every second pixel of every second row.
void decimate(Canvas &c, const Workspace &room) {
    c.width = half(c.width);
    c.height = half(c.height);
    for (int y = 0; y < c.height; y++) {
        room.rows.decimate_image(c.image_row(2 * y), c.image_row(y), c.width);
        room.rows.decimate_mask(c.mask_row(2 * y), c.mask_row(y), c.width);
    }
}

// The first and last rows stay unchanged; three filtered rows are kept in a ring.
void mode_filter(const Canvas &c, Workspace &room) {
    if (c.height < 3) return;
    const auto filtered = [&](int y) { return room.filtered_rows.data() + (y % 3) * room.row_stride; };
    const auto filter_along = [&](int y) {
        const std::uint16_t *const row = c.image_row(y);
        std::uint16_t *const out = filtered(y);
        out[0] = row[0];
        room.rows.mode_along(row + 1, out + 1, c.width - 2);
        out[c.width - 1] = row[c.width - 1];
    };
    filter_along(0);
    filter_along(1);
    for (int y = 1; y < c.height - 1; y++) {
        filter_along(y + 1);
        room.rows.mode_across(filtered(y - 1), filtered(y), filtered(y + 1), c.image_row(y), c.width);
    }
}

} // namespace vmaf::cambi
