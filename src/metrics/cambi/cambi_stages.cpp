#include "metrics/cambi/cambi_stages.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace vmaf::cambi {

namespace {

void convert_row(const RowFunctions &rows, const std::uint8_t *from, std::uint16_t *to, int count, unsigned) {
    rows.widen(from, to, count);
}
void convert_row(const RowFunctions &rows, const std::uint16_t *from, std::uint16_t *to, int count, unsigned bits) {
    rows.convert(from, to, count, bits);
}

// after_row(y) is called when row y of the canvas is there.
template <class T, class AfterRow>
void load_same_size(const PlaneView<T> &luma, unsigned bits, const Canvas &canvas, const Workspace &room,
                    const AfterRow &after_row) {
    for (int y = 0; y < canvas.height; y++) {
        convert_row(room.rows, luma.row(y), canvas.image_row(y), canvas.width, bits);
        after_row(y);
    }
}

template <class T, class AfterRow>
void load_resampled(const PlaneView<T> &luma, unsigned bits, const Canvas &canvas, Workspace &room,
                    const AfterRow &after_row) {
    SourcePositions columns(luma.width, canvas.width), rows(luma.height, canvas.height);
    for (int x = 0; x < canvas.width; x++) room.columns[std::size_t(x)] = columns.next();
    std::uint16_t *const picked16 = room.filtered_rows.data();
    T *const picked = reinterpret_cast<T *>(picked16);
    for (int y = 0; y < canvas.height; y++) {
        const T *const from = luma.row(rows.next());
        for (int x = 0; x < canvas.width; x++) picked[x] = from[room.columns[std::size_t(x)]];
        convert_row(room.rows, picked, canvas.image_row(y), canvas.width, bits);
        after_row(y);
    }
}

template <class T, class AfterRow>
void load_plane(const PlaneView<T> &luma, unsigned bits, const Canvas &canvas, Workspace &room,
                const AfterRow &after_row) {
    if (luma.width == canvas.width && luma.height == canvas.height)
        load_same_size(luma, bits, canvas, room, after_row);
    else
        load_resampled(luma, bits, canvas, room, after_row);
}

template <class AfterRow>
void load_picture(const Picture &picture, const Canvas &canvas, Workspace &room, const AfterRow &after_row) {
    const unsigned bits = picture.format().bits;
    if (bits == 8)
        load_plane(picture.plane<std::uint8_t>(0), bits, canvas, room, after_row);
    else
        load_plane(picture.plane<std::uint16_t>(0), bits, canvas, room, after_row);
}

// Needs the row below as it was before the filter.
void remove_dither_of_row(const Canvas &c, const Workspace &room, int y) {
    const int right = c.width - 1;
    std::uint16_t *const row = c.image_row(y);
    if (y == c.height - 1) {
        for (int x = 0; x < right; x++) row[x] = std::uint16_t((row[x] + row[x + 1]) >> 1);
        return;
    }
    const std::uint16_t *const below = c.image_row(y + 1);
    room.rows.remove_dither(row, below, right);
    row[right] = std::uint16_t((row[right] + below[right]) >> 1);
}

// The sums over seven columns are kept for seven rows in a ring; their total moves from row to row.
class MaskRows {
  public:
    MaskRows(const Canvas &canvas, Workspace &room)
        : c_(canvas), room_(room), threshold_(mask_threshold(canvas.width, canvas.height)) {
        std::fill_n(room.flat_counts.data(), room.flat_counts.size(), std::uint8_t(0));
        std::fill_n(room.flat_row.data(), room.flat_row.size(), std::uint8_t(0));
    }

    // Up to the last row but `behind`, once all rows before that are there, filtered.
    void enter_all_but(int behind) {
        for (; next_ < c_.height - behind; next_++) enter(next_);
    }
    void finish() { enter_all_but(-kFlatRadius); }

  private:
    static constexpr int kSide = 2 * kFlatRadius + 1;

    void enter(int entering) const {
        std::uint8_t *const totals = room_.flat_counts.data() + kSide * room_.row_stride;
        std::uint8_t *const flat = room_.flat_row.data() + kFlatRadius;
        const int y = entering - kFlatRadius, right = c_.width - 1;
        if (entering < c_.height) {
            const std::uint16_t *const row = c_.image_row(entering);
            // The last row and the last column have no further neighbour to differ from.
            const std::uint16_t *const below = c_.image_row(std::min(entering + 1, c_.height - 1));
            room_.rows.mark_flat(row, below, flat, right);
            flat[right] = row[right] == below[right];
        } else {
            std::fill_n(flat, c_.width, std::uint8_t(0));
        }
        room_.rows.count_flat(flat, room_.flat_counts.data() + (entering % kSide) * room_.row_stride, totals, c_.width);
        if (y >= 0) room_.rows.mask(totals, threshold_, c_.mask_row(y), c_.width);
    }

    const Canvas &c_;
    Workspace &room_;
    int threshold_, next_ = 0;
};

} // namespace

Workspace::Workspace(const Setup &setup, Isa isa) : rows(pick_rows(isa)) {
    int width = setup.encoded.width, height = setup.encoded.height;
    if (setup.full_ref) {
        width = std::max(width, setup.source.width);
        height = std::max(height, setup.source.height);
    }
    width_ = width;
    row_stride = round_up(width, 64);
    const auto row = std::size_t(row_stride);
    const std::size_t area = row * std::size_t(height);
    image_ = AlignedArray<std::uint16_t>(area);
    mask_ = AlignedArray<std::uint8_t>(area);
    flat_row = AlignedArray<std::uint8_t>(row + 2 * kFlatRadius);
    flat_counts = AlignedArray<std::uint8_t>(row * (2 * kFlatRadius + 2));
    filtered_rows = AlignedArray<std::uint16_t>(row * 3);
    columns = AlignedArray<int>(row);
    c_values = AlignedArray<float>(std::size_t(width) * std::size_t(height));
}

Canvas Workspace::canvas(const Target &target) {
    return {target.width, target.height, target.width, target.height, row_stride, image_.data(), mask_.data()};
}

void load_luma(const Picture &picture, const Canvas &canvas, Workspace &room) {
    load_picture(picture, canvas, room, [](int) {});
}

void remove_dither(const Canvas &c, const Workspace &room) {
    for (int y = 0; y < c.height; y++) remove_dither_of_row(c, room, y);
}

int mask_threshold(int width, int height) {
    const int blocks = (width >> 6) * (height >> 6);
    int log = 0;
    while ((1 << log) < blocks) log++;
    return (15 + 3 * log) >> 1;
}

void compute_mask(const Canvas &c, Workspace &room) { MaskRows(c, room).finish(); }

// Every row is filtered and looked at while it is near.
void load_masked(const Picture &picture, const Canvas &c, bool filter, Workspace &room) {
    MaskRows mask(c, room);
    load_picture(picture, c, room, [&](int y) {
        if (filter && y > 0) remove_dither_of_row(c, room, y - 1);
        // A row is marked when the one below it has been filtered.
        mask.enter_all_but(c.height - y + (filter ? 1 : 0));
    });
    if (filter) remove_dither_of_row(c, room, c.height - 1);
    mask.finish();
}

// Every second pixel of every second row.
void decimate(Canvas &c, const Workspace &room) {
    c.width = (c.width + 1) >> 1;
    c.height = (c.height + 1) >> 1;
    for (int y = 0; y < c.height; y++) {
        room.rows.decimate_image(c.image_row(2 * y), c.image_row(y), c.width);
        room.rows.decimate_mask(c.mask_row(2 * y), c.mask_row(y), c.width);
    }
}

// The first and last rows stay as they are; three filtered rows are kept in a ring.
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
