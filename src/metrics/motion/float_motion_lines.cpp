#include <algorithm>
#include <cmath>

#include "base/aligned.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/float_plane.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/motion/float_motion.hpp"

namespace vmaf::float_motion {

namespace {

constexpr int kRing = 5;
constexpr std::size_t kPadding = kAlignment / sizeof(float); // before a row, to keep it aligned

// Blurs the rows of one picture, in order.
template <class T> class Blur {
  public:
    Blur(const PlaneView<T> &plane, unsigned bits, std::span<const float> taps, float *memory)
        : plane_(plane), bits_(bits), taps_(taps), radius_(int(taps.size()) / 2) {
        const std::size_t stride = row_floats(plane.width);
        for (int i = 0; i < kRing; i++) ring_[i] = memory + kPadding + std::size_t(i) * stride;
        line_ = ring_[kRing - 1] + stride;
        out_ = line_ + stride;
    }

    static constexpr std::size_t row_floats(int width) {
        return round_up(std::size_t(width), kAlignment) + 2 * kPadding;
    }
    static constexpr std::size_t memory_floats(int width) { return (kRing + 2) * row_floats(width); }

    const float *row(int y) {
        const float *rows[kRing];
        next_ = std::max(next_, y - radius_);
        for (; next_ < std::min(plane_.height, y + radius_ + 1); next_++)
            to_float_row(plane_.row(next_), plane_.width, bits_, kOffset, ring_[next_ % kRing]);
        if (taps_.size() == 1) return ring_[y % kRing];
        for (int k = 0; k < int(taps_.size()); k++) rows[k] = ring_[reflect(y - radius_ + k, plane_.height) % kRing];
        filter_rows(rows, taps_, plane_.width, line_);
        extend_line(line_, plane_.width, radius_);
        horizontal_pass(line_, taps_, 1, plane_.width, out_);
        return out_;
    }

  private:
    PlaneView<T> plane_;
    unsigned bits_;
    std::span<const float> taps_;
    int radius_;
    int next_ = 0; // first row not yet in the ring
    float *ring_[kRing];
    float *line_, *out_;
};

} // namespace

template <class T>
void line_differences(const PlaneView<T> &a, const PlaneView<T> &b, unsigned bits, std::span<const float> taps,
                      int begin, int end, float *lines, std::byte *scratch) {
    float *const memory = reinterpret_cast<float *>(scratch);
    Blur<T> blur_a(a, bits, taps, memory), blur_b(b, bits, taps, memory + Blur<T>::memory_floats(a.width));
    for (int y = begin; y < end; y++) {
        const float *const p = blur_a.row(y), *const q = blur_b.row(y);
        float line = 0.0f;
        for (int x = 0; x < a.width; x++) line += std::fabs(p[x] - q[x]);
        lines[y] = line;
    }
}

template LineDifferences<std::uint8_t> line_differences<std::uint8_t>;
template LineDifferences<std::uint16_t> line_differences<std::uint16_t>;

} // namespace vmaf::float_motion
