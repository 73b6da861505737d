// Sums of samples and of their squares on vectors. Integers, or doubles that stay exact: the order does not matter.
#include <cstdint>

#include "metrics/moment/moment.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/moment/moment_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_squares-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::moment::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace vmaf::HWY_NAMESPACE;

VecU64 row_sum(const std::uint8_t *row, int width, VecU64 total) {
    const DU8 d;
    const int lanes = int(hn::Lanes(d));
    int x = 0;
    for (; x + lanes <= width; x += lanes) total = hn::Add(total, hn::SumsOf8(hn::LoadU(d, row + x)));
    if (x == width) return total;
    return hn::Add(total, hn::SumsOf8(first_lanes(hn::LoadU(d, row + x), width - x)));
}

VecU64 row_sum(const std::uint16_t *row, int width, VecU64 total) {
    const DU16 d;
    const DU32 d32;
    const int lanes = int(hn::Lanes(d));
    const auto mask = hn::Set(d32, 0xffffu);
    auto sum = hn::Zero(d32); // two samples of a vector to a lane: enough for 32768 vectors
    for (int x = 0; x < width; x += lanes) {
        auto v = hn::LoadU(d, row + x);
        if (x + lanes > width) v = first_lanes(v, width - x);
        const auto pairs = hn::BitCast(d32, v);
        sum = hn::Add(sum, hn::Add(hn::And(pairs, mask), hn::ShiftRight<16>(pairs)));
    }
    return add_halves(total, sum);
}

template <class T> Sums plane_sums(const PlaneView<T> &plane, unsigned bits) {
    VecU64 first = hn::Zero(DU64()), second = hn::Zero(DU64());
    VecF64 rounded = hn::Zero(DF64());
    for (int y = 0; y < plane.height; y++) {
        const T *const row = plane.row(y);
        const auto value = [&](int x) HWY_ATTR { return hn::LoadU(hn::ScalableTag<T>(), row + x); };
        first = row_sum(row, plane.width, first);
        if (sizeof(T) == 1 || bits <= 12) {
            second = row_squares<T>(plane.width, second, value);
        } else {
            if constexpr (sizeof(T) == 2) rounded = row_rounded_squares(plane.width, rounded, value);
        }
    }
    const auto first_sum = double(hn::GetLane(hn::SumOfLanes(DU64(), first)));
    if (sizeof(T) == 1 || bits <= 12) return {first_sum, double(hn::GetLane(hn::SumOfLanes(DU64(), second)))};
    const double sum = hn::GetLane(hn::SumOfLanes(DF64(), rounded));
    return sum < kExactLimit ? Sums{first_sum, sum} : moment::plane_sums(plane, bits);
}

} // namespace vmaf::moment::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::moment {

template <class T> PlaneSums<T> *pick_plane_sums(Isa isa) {
    static constexpr SimdTable<PlaneSums<T>> kTable = {.scalar = &plane_sums<T>, VMAF_VECTOR_VERSIONS(plane_sums<T>)};
    return kTable.pick(isa);
}
template PlaneSums<std::uint8_t> *pick_plane_sums<std::uint8_t>(Isa);
template PlaneSums<std::uint16_t> *pick_plane_sums<std::uint16_t>(Isa);

} // namespace vmaf::moment
#endif
