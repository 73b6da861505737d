// Per target: rows in segment order. A row is cut into as many segments as a vector has 32-bit lanes; vector j holds
// column pair j of every segment, two 16-bit samples in each lane. A horizontal neighbour is then the neighbouring
// vector: all loads of the filters are aligned. To be included inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_SEGMENTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_SEGMENTS_INL_HPP
#undef VMAF_VIF_SEGMENTS_INL_HPP
#else
#define VMAF_VIF_SEGMENTS_INL_HPP
#endif

#include "cpu/simd_transpose-inl.hpp"
#include "metrics/common/reflect.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using DU16 = hn::ScalableTag<std::uint16_t>;
using DU32 = hn::ScalableTag<std::uint32_t>;
using DU64 = hn::ScalableTag<std::uint64_t>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using VU16 = hn::Vec<DU16>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;

constexpr int kLanes = HWY_LANES(std::int32_t);
constexpr int kVector = 2 * kLanes; // 16-bit elements

// Offsets in a row of `width` columns.
struct Segments {
    explicit Segments(int row_width) : width(row_width), vectors(((row_width + 1) / 2 + kLanes - 1) / kLanes) {
        for (int parity = 0; parity < 2; parity++) {
            const int pairs = (width + 1 - parity) / 2;
            full_lanes_[parity] = pairs / vectors;
            further_vectors_[parity] = pairs % vectors;
        }
    }

    // The offset of a column inside the row or less than 2 kLanes columns past its end, in 16-bit elements.
    int offset(int column) const {
        const int pair = column / 2, lane = pair / vectors < kLanes ? pair / vectors : kLanes - 1;
        return ((pair - lane * vectors) * kLanes + lane) * 2 + column % 2;
    }
    // How many lanes of vector j have an existing column, for even (0) or odd (1) columns.
    int valid_lanes(int j, int parity) const { return full_lanes_[parity] + (j < further_vectors_[parity] ? 1 : 0); }

    int width;
    int vectors; // per row

  private:
    int full_lanes_[2], further_vectors_[2];
};

using vmaf::HWY_NAMESPACE::transpose;

// Pins a computation to its place: GCC would otherwise compute all products of a filter first and spill them, and
// rebuild constants inside loops.
template <class V> HWY_INLINE void compute_now(V &v) {
#if HWY_TARGET == HWY_NEON
    __asm__("" : "+w"(v.raw));
#elif HWY_TARGET == HWY_WASM
    (void)v;
#else
    __asm__("" : "+v"(v.raw));
#endif
}

// Vectors j ... j + kLanes - 1 of a row of samples, shifted to 16 bits. Reads less than 4 kLanes samples beyond the
// row.
HWY_INLINE void load_block(const std::uint16_t *row, const Segments &segments, int j, int shift, VU32 (&out)[kLanes]) {
    HWY_UNROLL(16)
    for (int lane = 0; lane < kLanes; lane++) {
        const VU16 samples = hn::LoadU(DU16(), row + 2 * (lane * segments.vectors + j));
        out[lane] = hn::BitCast(DU32(), hn::ShiftLeftSame(samples, shift));
    }
    transpose(out);
}

// The bytes of vectors j ... j + 2 kLanes - 1, two vectors in one. Reads less than 6 kLanes samples beyond the
// row.
HWY_INLINE void load_block(const std::uint8_t *row, const Segments &segments, int j, VU32 (&out)[kLanes]) {
    const hn::ScalableTag<std::uint8_t> d;
    HWY_UNROLL(16)
    for (int lane = 0; lane < kLanes; lane++)
        out[lane] = hn::BitCast(DU32(), hn::LoadU(d, row + 2 * (lane * segments.vectors + j)));
    transpose(out);
}

// Vectors j ... j + kLanes - 1 of 32-bit elements, one per column pair, as 16-bit samples in natural order. Writes up
// to kLanes - 1 samples past the end of each segment: blocks must arrive in descending order of j.
HWY_INLINE void store_block(VU32 (&v)[kLanes], const Segments &segments, int j, std::uint16_t *row) {
    transpose(v);
    const hn::Rebind<std::uint16_t, DU32> d;
    HWY_UNROLL(16)
    for (int lane = 0; lane < kLanes; lane++)
        hn::StoreU(hn::DemoteTo(d, hn::BitCast(D32(), v[lane])), d, row + lane * segments.vectors + j);
}

HWY_INLINE V16 rotate_lanes(V16 v, int by) {
    alignas(64) std::int32_t index[kLanes];
    for (int i = 0; i < kLanes; i++) index[i] = (i + kLanes - by) % kLanes;
    const D32 d;
    return hn::BitCast(D16(), hn::TableLookupLanes(hn::BitCast(d, v), hn::SetTableIndices(d, index)));
}

// Extends rows at both ends by reflection: `Halo` vectors before vector 0 and after the last one. `Step` elements
// separate the vectors of a row. Not inlined: many filters share it.
template <int Radius, int Halo, int Step> class Borders {
  public:
    // Needs segments of at least Halo vectors.
    HWY_NOINLINE explicit Borders(const Segments &segments)
        : vectors_(segments.vectors), full_(segments.width == kVector * segments.vectors && segments.vectors > Halo) {
        int inside = 0, outside = 0;
        const auto at = [&](int column) {
            const int offset = segments.offset(column);
            return offset / kVector * Step + offset % kVector;
        };
        const auto source = [&](int column) { return at(reflect(column, segments.width)); };
        for (int i = 0; i < Radius; i++) {
            const int column = segments.width + i;
            const Copy copy = {at(column), source(column)};
            (column / 2 < kLanes * segments.vectors ? inside_[inside++] : outside_[outside++]) = copy;
        }
        for (int i = 1; i <= Radius; i++) outside_[outside++] = {-(i + 1) / 2 * Step + i % 2, source(-i)};
        inside_count_ = inside;
        outside_count_ = outside;
    }

    HWY_NOINLINE void extend(std::int16_t *row) const {
        const D16 d;
        std::int16_t *const end = row + vectors_ * Step;
        if (full_) {
            // The mirrored samples are in the first lane of the first vectors and the last lane of the last vectors.
            V16 first[Halo + 1], last[Halo + 1];
            for (int k = 0; k <= Halo; k++) {
                first[k] = hn::Load(d, row + k * Step);
                last[k] = hn::Load(d, end - (k + 1) * Step);
            }
            for (int k = 1; k <= Halo; k++) {
                V16 left = rotate_lanes(last[k - 1], 1), right = rotate_lanes(first[k - 1], kLanes - 1);
                left = hn::IfThenElse(hn::FirstN(d, 2), first[k - 1], left);
                hn::Store(hn::IfThenElse(hn::FirstN(d, 1), first[k], left), d, row - k * Step);
                right = hn::IfThenElse(hn::FirstN(d, kVector - 2), right, last[k - 1]);
                hn::Store(hn::IfThenElse(hn::FirstN(d, kVector - 1), right, last[k]), d, end + (k - 1) * Step);
            }
            return;
        }
        for (int i = 0; i < inside_count_; i++) row[inside_[i].to] = row[inside_[i].from];
        HWY_UNROLL(4)
        for (int k = 1; k <= Halo; k++) {
            hn::Store(rotate_lanes(hn::Load(d, end - k * Step), 1), d, row - k * Step);
            hn::Store(rotate_lanes(hn::Load(d, row + (k - 1) * Step), kLanes - 1), d, end + (k - 1) * Step);
        }
        for (int i = 0; i < outside_count_; i++) row[outside_[i].to] = row[outside_[i].from];
    }

  private:
    struct Copy {
        int to, from;
    };
    int vectors_;
    bool full_;                                 // all lanes have equally many columns
    Copy inside_[Radius], outside_[2 * Radius]; // before and after filling the halo from neighbouring lanes
    int inside_count_, outside_count_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
