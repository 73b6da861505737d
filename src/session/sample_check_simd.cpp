// The union of the bits of all samples: one load and one instruction for each vector.
#include "session/sample_check.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/sample_check_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint16_t bits_of_rows(const PlaneView<std::uint16_t> &plane, int begin, int end) {
    const hn::ScalableTag<std::uint16_t> d;
    const int lanes = int(hn::Lanes(d)), width = plane.width;
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (int y = begin; y < end; y++) {
        const std::uint16_t *const row = plane.row(y);
        int x = 0;
        for (; x + 4 * lanes <= width; x += 4 * lanes) {
            a = hn::Or(a, hn::LoadU(d, row + x));
            b = hn::Or(b, hn::LoadU(d, row + x + lanes));
            c = hn::Or(c, hn::LoadU(d, row + x + 2 * lanes));
            e = hn::Or(e, hn::LoadU(d, row + x + 3 * lanes));
        }
        for (; x + lanes <= width; x += lanes) a = hn::Or(a, hn::LoadU(d, row + x));
        if (x < width) b = hn::Or(b, hn::IfThenElseZero(hn::FirstN(d, std::size_t(width - x)), hn::LoadU(d, row + x)));
    }
    HWY_ALIGN std::uint16_t bits[hn::MaxLanes(d)];
    hn::Store(hn::Or(hn::Or(a, b), hn::Or(c, e)), d, bits);
    std::uint16_t all = 0;
    for (int i = 0; i < lanes; i++) all = static_cast<std::uint16_t>(all | bits[i]);
    return all;
}

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf {

BitsOfRows *pick_bits_of_rows(Isa isa) {
    static constexpr SimdTable<BitsOfRows> kTable = {.scalar = &bits_of_rows, VMAF_VECTOR_VERSIONS(bits_of_rows)};
    return kTable.pick(isa);
}

} // namespace vmaf
#endif
