// The activity of rows of luma, as defined in xpsnr.md 3 and 4. 16-bit samples count as signed (8.1).
#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "metrics/xpsnr/xpsnr.hpp"
#include "metrics/xpsnr/xpsnr_formula.hpp"

namespace vmaf::xpsnr {

namespace {

template <class T> int sample(const T *row, int x) {
    if constexpr (sizeof(T) == 1)
        return row[x];
    else
        return std::int16_t(row[x]);
}

template <class T> int difference(const T *now, const T *before, const T *earlier, int x) {
    return earlier ? kernels::xpsnr_change(sample(now, x), sample(before, x), sample(earlier, x))
                   : kernels::xpsnr_change(sample(now, x), sample(before, x));
}

} // namespace

// 3.1
template <class T>
void spatial_row(const T *const *rows, int, int begin, int end, std::int32_t *, std::uint32_t *columns) {
    for (int x = begin; x < end; x++)
        columns[x] += std::uint32_t(
            std::abs(kernels::xpsnr_high_pass([&](int dx, int dy) { return sample(rows[1 + dy], x + dx); })));
}

// 3.2
template <class T>
void large_spatial_row(const T *const *rows, int width, int begin, int end, std::int32_t *, std::uint32_t *columns) {
    for (int x = begin; x < end; x += 2)
        columns[x] += std::uint32_t(std::abs(kernels::xpsnr_large_high_pass(
            [&](int i, int j) { return sample(rows[j], std::min(x - 2 + i, width - 1)); })));
}

// 4
template <class T>
void temporal_row(const T *const *now, const T *const *before, const T *const *earlier, int width, std::int32_t *,
                  std::uint32_t *columns) {
    for (int x = 0; x < width; x++)
        columns[x] += std::uint32_t(std::abs(difference(now[0], before[0], earlier ? earlier[0] : nullptr, x)));
}

template <class T>
void large_temporal_row(const T *const *now, const T *const *before, const T *const *earlier, int width, std::int32_t *,
                        std::uint32_t *columns) {
    for (int x = 0; x < width; x += 2) {
        int sum = 0;
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                sum += difference(now[j], before[j], earlier ? earlier[j] : nullptr, std::min(x + i, width - 1));
        columns[x] += std::uint32_t(std::abs(sum));
    }
}

template SpatialRow<std::uint8_t> spatial_row<std::uint8_t>;
template SpatialRow<std::uint16_t> spatial_row<std::uint16_t>;
template SpatialRow<std::uint8_t> large_spatial_row<std::uint8_t>;
template SpatialRow<std::uint16_t> large_spatial_row<std::uint16_t>;
template TemporalRow<std::uint8_t> temporal_row<std::uint8_t>;
template TemporalRow<std::uint16_t> temporal_row<std::uint16_t>;
template TemporalRow<std::uint8_t> large_temporal_row<std::uint8_t>;
template TemporalRow<std::uint16_t> large_temporal_row<std::uint16_t>;

} // namespace vmaf::xpsnr
