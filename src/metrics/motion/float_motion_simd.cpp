// motion.md 3.3 and 3.4 on vectors, with the same bits: products and sums are rounded one by one in the order of the
// scalar code.
#include <algorithm>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/motion/float_motion.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/motion/float_motion_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_ordered_sum-inl.hpp"
#include "metrics/common/float_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::float_motion::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using vmaf::HWY_NAMESPACE::kOrderedRows;
using vmaf::HWY_NAMESPACE::ordered_sums;
using vmaf::HWY_NAMESPACE::vector_to_float_row;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

constexpr int kPadding = int(kAlignment / sizeof(float)); // before a row, so that it stays aligned
constexpr int kRing = 5;

int row_stride(int width) { return round_up(width, 2 * kPadding) + 2 * kPadding; }

// ((t0 * v0 + t1 * v1) + t2 * v2) + ...; `value` loads v_k
template <int Taps, class Value> HWY_INLINE VF weighted(const VF (&taps)[Taps], const Value &value) {
    VF sum = hn::Mul(taps[0], value(0));
    for (int k = 1; k < Taps; k++) sum = hn::Add(sum, hn::Mul(taps[k], value(k)));
    return sum;
}

template <int Taps>
HWY_INLINE void blur_columns(const float *const *rows, const VF (&taps)[Taps], int width, float *out) {
    const DF d;
    for (int x = 0; x < width; x += int(hn::Lanes(d)))
        hn::Store(weighted(taps, [&](int k) HWY_ATTR { return hn::Load(d, rows[k] + x); }), d, out + x);
}

// |blur(a) - blur(b)| along a row
template <int Taps>
HWY_INLINE void difference_along(const float *a, const float *b, const VF (&taps)[Taps], int width, float *out) {
    const DF d;
    for (int x = 0; x < width; x += int(hn::Lanes(d))) {
        const auto at = [&](const float *row) HWY_ATTR {
            return weighted(taps, [&](int k) HWY_ATTR { return hn::LoadU(d, row + x - Taps / 2 + k); });
        };
        hn::Store(hn::Abs(hn::Sub(at(a), at(b))), d, out + x);
    }
}

template <int Taps, class T>
void lines_with(const PlaneView<T> &a, const PlaneView<T> &b, unsigned bits, const float *tap_values, int begin,
                int end, float *lines, std::byte *scratch) {
    constexpr int kRadius = Taps / 2;
    const int width = a.width, height = a.height, stride = row_stride(width);
    float *const memory = reinterpret_cast<float *>(scratch) + kPadding;
    const PlaneView<T> planes[2] = {a, b};
    float *const rings[2] = {memory, memory + kRing * stride};
    float *const blurred[2] = {memory + 2 * kRing * stride, memory + (2 * kRing + 1) * stride};
    float *const differences = memory + (2 * kRing + 2) * stride; // kOrderedRows rows
    VF taps[Taps];
    for (int k = 0; k < Taps; k++) taps[k] = hn::Set(DF(), tap_values[k]);

    int next = std::max(0, begin - kRadius); // first row that is not in the rings
    for (int top = begin; top < end; top += kOrderedRows) {
        const int rows = std::min(kOrderedRows, end - top);
        for (int y = top; y < top + rows; y++) {
            for (; next < std::min(height, y + kRadius + 1); next++)
                for (int p = 0; p < 2; p++)
                    vector_to_float_row(planes[p].row(next), width, bits, kOffset, rings[p] + next % kRing * stride);
            for (int p = 0; p < 2; p++) {
                const float *around[Taps];
                for (int k = 0; k < Taps; k++) around[k] = rings[p] + reflect(y - kRadius + k, height) % kRing * stride;
                blur_columns(around, taps, width, blurred[p]);
                extend_line(blurred[p], width, kRadius);
            }
            difference_along(blurred[0], blurred[1], taps, width, differences + (y - top) * stride);
        }
        float sums[kOrderedRows];
        ordered_sums(differences, stride, width, sums);
        std::copy_n(sums, rows, lines + top);
    }
}

template <class T>
void line_differences(const PlaneView<T> &a, const PlaneView<T> &b, unsigned bits, std::span<const float> taps,
                      int begin, int end, float *lines, std::byte *scratch) {
    if (taps.size() == 5)
        lines_with<5>(a, b, bits, taps.data(), begin, end, lines, scratch);
    else if (taps.size() == 3)
        lines_with<3>(a, b, bits, taps.data(), begin, end, lines, scratch);
    else
        lines_with<1>(a, b, bits, taps.data(), begin, end, lines, scratch);
}

} // namespace vmaf::float_motion::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::float_motion {

std::size_t scratch_bytes(int width) {
    constexpr std::size_t kRows = 2 * 5 + 2 + 16; // two rings, two blurred rows, rows of differences
    return kRows * sizeof(float) * (round_up(std::size_t(width), kAlignment) + kAlignment);
}

template <class T> LineDifferences<T> *pick_line_differences(Isa isa) {
    static constexpr SimdTable<LineDifferences<T>> kTable = {.scalar = &line_differences<T>,
                                                             VMAF_VECTOR_VERSIONS(line_differences<T>)};
    return kTable.pick(isa);
}
template LineDifferences<std::uint8_t> *pick_line_differences<std::uint8_t>(Isa);
template LineDifferences<std::uint16_t> *pick_line_differences<std::uint16_t>(Isa);

} // namespace vmaf::float_motion
#endif
