// The fast rows of `adm`: one sweep of vectors with the same bits as the scalar code. adm_simd_first-inl.hpp and
// adm_simd_pool0-inl.hpp have scale 0, adm_simd_later-inl.hpp the others.
#include "metrics/adm/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/adm/adm_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "metrics/adm/adm_simd_first-inl.hpp"
#include "metrics/adm/adm_simd_later-inl.hpp"
#include "metrics/adm/adm_simd_pool0-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::adm::HWY_NAMESPACE {

template <class Dot> RowFunctions make_rows() {
    return {
        .vertical0_bytes = vertical0<Dot, std::uint8_t>,
        .vertical0_words = vertical0<Dot, std::uint16_t>,
        .horizontal0 = horizontal0<Dot>,
        .decouple0 = decouple0,
        .restore0 = restore0,
        .limit0 = limit0,
        .denominator0 = denominator0<Dot>,
        .tile_denominator0 = tile_denominator0<Dot>,
        .mask0 = scalar_rows().mask0,
        .pool0 = scalar_rows().pool0,
        .tile_pool0 = scalar_rows().tile_pool0,
        .narrow_mask0 = narrow_mask0<Dot>,
        .narrow_pool0 = narrow_pool0<Dot>,
        .narrow_tile_pool0 = narrow_tile_pool0<Dot>,
        .vertical1 = vertical1<Dot>,
        .vertical23 = vertical23<Dot>,
        .horizontal = horizontal<Dot>,
        .decouple = decouple,
        .restore = restore,
        .limit = limit,
        .denominator = denominator,
        .tile_denominator = tile_denominator,
        .mask = mask,
        .pool = pool,
        .tile_pool = tile_pool,
    };
}

const RowFunctions &rows() {
    static const RowFunctions functions = make_rows<vmaf::HWY_NAMESPACE::MulThenAdd>();
    return functions;
}

#if HWY_TARGET == HWY_AVX3
const RowFunctions &vnni_rows() {
    static const RowFunctions functions = make_rows<vmaf::HWY_NAMESPACE::Vnni>();
    return functions;
}
#endif

} // namespace vmaf::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::adm {

const RowFunctions &rows_for(Isa isa) {
    static constexpr SimdTable<const RowFunctions &()> kTable = {
        .scalar = &scalar_rows, VMAF_VECTOR_VERSIONS(rows) VMAF_VNNI_VERSION(vnni_rows)};
    return kTable.pick(isa)();
}

} // namespace vmaf::adm
#endif
