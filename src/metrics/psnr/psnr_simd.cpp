// Sums of squared errors on vectors. Integers, or doubles that stay exact: the order does not matter.
#include <cstdint>

#include "metrics/psnr/float_psnr.hpp"
#include "metrics/psnr/psnr.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/psnr/psnr_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_squares-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::psnr::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace vmaf::HWY_NAMESPACE;

template <class T> hn::Vec<hn::ScalableTag<T>> absolute_error(const T *ref, const T *dist) {
    const hn::ScalableTag<T> d;
    const auto a = hn::LoadU(d, ref), b = hn::LoadU(d, dist);
    return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

template <class T>
std::uint64_t squared_error(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end) {
    VecU64 total = hn::Zero(DU64());
    for (int y = begin; y < end; y++) {
        const T *const r = ref.row(y), *const s = dist.row(y);
        const auto error = [&](int x) HWY_ATTR { return absolute_error(r + x, s + x); };
        if constexpr (sizeof(T) == 2) {
            total = bits <= 12 ? row_squares<T>(ref.width, total, error) : row_squares_16bit(ref.width, total, error);
        } else {
            total = row_squares<T>(ref.width, total, error);
        }
    }
    return hn::GetLane(hn::SumOfLanes(DU64(), total));
}

double rounded_squared_error(const PlaneView<std::uint16_t> &ref, const PlaneView<std::uint16_t> &dist) {
    VecF64 total = hn::Zero(DF64());
    for (int y = 0; y < ref.height; y++) {
        const std::uint16_t *const r = ref.row(y), *const s = dist.row(y);
        total = row_rounded_squares(ref.width, total, [&](int x) HWY_ATTR { return absolute_error(r + x, s + x); });
    }
    const double sum = hn::GetLane(hn::SumOfLanes(DF64(), total));
    return sum < kExactLimit ? sum : psnr::rounded_squared_error(ref, dist);
}

} // namespace vmaf::psnr::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::psnr {

template <class T> SquaredError<T> *pick_squared_error(Isa isa) {
    static constexpr SimdTable<SquaredError<T>> kTable = {.scalar = &squared_error<T>,
                                                          VMAF_VECTOR_VERSIONS(squared_error<T>)};
    return kTable.pick(isa);
}
template SquaredError<std::uint8_t> *pick_squared_error<std::uint8_t>(Isa);
template SquaredError<std::uint16_t> *pick_squared_error<std::uint16_t>(Isa);

RoundedSquaredError *pick_rounded_squared_error(Isa isa) {
    static constexpr SimdTable<RoundedSquaredError> kTable = {.scalar = &rounded_squared_error,
                                                              VMAF_VECTOR_VERSIONS(rounded_squared_error)};
    return kTable.pick(isa);
}

} // namespace vmaf::psnr
#endif
