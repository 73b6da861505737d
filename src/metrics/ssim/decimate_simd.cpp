// fidelity.md 8.2 on vectors, with the same bits and the same order of additions as decimate.cpp. The rows of the
// low-pass are symmetric and so is the whole: equal weights share their rounded products.
#include <algorithm>

#include "metrics/ssim/decimate.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/ssim/decimate_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "metrics/ssim/float_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::decimation::HWY_NAMESPACE {

using namespace vmaf::float_vectors::HWY_NAMESPACE;

constexpr int kTile = 192;      // output columns whose products are kept while they are summed
constexpr int kBefore = kLanes; // room for the two columns before a tile

// Products of a tile by distances (row, column) from the centre; entry kBefore is the tile's first column. Samples at
// even positions meet even column distances, those at odd ones odd distances. [i][j] and [j][i] are the same.
struct Products {
    HWY_ALIGN float at[5][5][kBefore + kTile + kLanes];
};

// For rows at even (Parity 0) or odd positions.
template <int Parity> HWY_INLINE void make_products(const float *row, int count, Products &products) {
    const Df d;
    for (int i = -2; i < count + 2; i += kLanes) {
        const Vf first = hn::LoadU(d, row + 2 * i), second = hn::LoadU(d, row + 2 * i + kLanes);
        const Vf even = hn::ConcatEven(d, second, first), odd = hn::ConcatOdd(d, second, first);
        for (int v = Parity; v < 5; v += 2)
            for (int u = 0; u < 5; u++) {
                if (u % 2 == Parity && u < v) continue; // [u][v] has it
                const Vf product = hn::Mul(u % 2 == 0 ? even : odd, hn::Set(d, kLowPass[v][u]));
                hn::StoreU(product, d, products.at[v][u] + kBefore + i);
            }
    }
}

template <int Parity, int Distance> HWY_INLINE void sum_row(const Products &products, int count, double *sums) {
    const Dd d;
    const auto taps = [&](int u) HWY_ATTR {
        const bool swapped = u % 2 == Parity && u < Distance;
        return (swapped ? products.at[u][Distance] : products.at[Distance][u]) + kBefore;
    };
    const float *const t0 = taps(0), *const t1 = taps(1), *const t2 = taps(2), *const t3 = taps(3), *const t4 = taps(4);
    const auto widened = [](const float *p) HWY_ATTR { return hn::PromoteTo(Dd(), hn::LoadU(Dh(), p)); };
    for (int x = 0; x < count; x += kHalf) {
        Vd sum = widened(t4 + x - 2);
        sum = hn::Add(sum, widened(t3 + x - 2));
        sum = hn::Add(sum, widened(t2 + x - 1));
        sum = hn::Add(sum, widened(t1 + x - 1));
        sum = hn::Add(sum, widened(t0 + x));
        sum = hn::Add(sum, widened(t1 + x));
        sum = hn::Add(sum, widened(t2 + x + 1));
        sum = hn::Add(sum, widened(t3 + x + 1));
        sum = hn::Add(sum, widened(t4 + x + 2));
        hn::StoreU(sum, d, sums + x);
    }
}

void row_sums(const float *row, int columns, bool odd, const RowSums &sums, double *) {
    Products products;
    for (int first = 0; first < columns; first += kTile) {
        const int count = std::min(kTile, columns - first);
        if (odd) {
            make_products<1>(row + 2 * first, count, products);
            sum_row<1, 1>(products, count, sums[0] + first);
            sum_row<1, 3>(products, count, sums[1] + first);
        } else {
            make_products<0>(row + 2 * first, count, products);
            sum_row<0, 0>(products, count, sums[0] + first);
            sum_row<0, 2>(products, count, sums[1] + first);
            sum_row<0, 4>(products, count, sums[2] + first);
        }
    }
}

void add_rows(const std::array<const double *, 9> &sums, int columns, float *out) {
    const Dd d;
    const Dh dh;
    for (int x = 0; x < columns; x += kHalf) {
        Vd sum = hn::LoadU(d, sums[0] + x);
        for (std::size_t i = 1; i < 9; i++) sum = hn::Add(sum, hn::LoadU(d, sums[i] + x));
        hn::StoreU(hn::DemoteTo(dh, sum), dh, out + x);
    }
}

const DecimateFunctions functions = {row_sums, add_rows};

} // namespace vmaf::decimation::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf {

namespace decimation {} // namespace decimation
using namespace decimation;

const DecimateFunctions &decimate_functions(Isa isa) {
    static constexpr SimdTable<const DecimateFunctions> kTable = {.scalar = &decimate_scalar,
                                                                  VMAF_VECTOR_VERSIONS(functions)};
    return *kTable.pick(isa);
}

} // namespace vmaf
#endif
