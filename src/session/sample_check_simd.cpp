// The union of the bits of all samples: one load and at most one instruction for each vector.
#include "session/sample_check.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "session/sample_check_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_ends-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where pictures come from memory, one row after the other waits for it: the processor fetches ahead for each of
// several places at once.
constexpr int kPlaces = 8;

std::uint16_t bits_of_rows(const PlaneView<std::uint16_t> &plane, int begin, int end) {
    const hn::ScalableTag<std::uint16_t> d;
    const int lanes = int(hn::Lanes(d)), width = plane.width, apart = (end - begin) / kPlaces;
    hn::Vec<decltype(d)> some[kPlaces];
    for (auto &bits : some) bits = hn::Zero(d);
    const auto end_of_row = [&](const std::uint16_t *row, int x) HWY_ATTR {
        auto bits = hn::Zero(d);
        for (; x + lanes <= width; x += lanes) bits = hn::Or(bits, hn::LoadU(d, row + x));
        if (x == width) return bits;
        return hn::Or(bits, first_lanes(hn::LoadU(d, row + x), width - x));
    };
    for (int y = begin; y < begin + apart; y++) {
        int x = 0;
        for (; x + 2 * lanes <= width; x += 2 * lanes)
            for (int i = 0; i < kPlaces; i++) {
                const std::uint16_t *const at = plane.row(y + i * apart) + x;
                some[i] = hn::Or3(some[i], hn::LoadU(d, at), hn::LoadU(d, at + lanes));
            }
        for (int i = 0; i < kPlaces; i++) some[i] = hn::Or(some[i], end_of_row(plane.row(y + i * apart), x));
    }
    for (int y = begin + kPlaces * apart; y < end; y++) some[0] = hn::Or(some[0], end_of_row(plane.row(y), 0));
    auto sum = some[0];
    for (const auto &bits : some) sum = hn::Or(sum, bits);
    HWY_ALIGN std::uint16_t bits[hn::MaxLanes(d)];
    hn::Store(sum, d, bits);
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
