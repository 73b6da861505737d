// `psnr_hvs`: PSNR of DCT coefficients, weighted by contrast sensitivity and reduced by masking (fidelity.md 9).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"
#include "metrics/psnr_hvs/contrast_tables.hpp"

namespace vmaf {

extern const MetricInfo psnr_hvs_metric;

namespace psnr_hvs {

inline constexpr int kBlockStep = 7; // 8x8 blocks overlap by one row and column

int blocks_along(unsigned size); // of a plane
// The score of a plane from the sum of its errors (9.1).
double plane_score(float sum, const PictureFormat &format, unsigned plane);
// For a device; fills a FrameResult like the CPU's scorer.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device);

// A row of blocks: their top left corners are kHvsBlockStep samples apart, starting at `ref` and `dist`.
template <class T> struct BlockRow {
    const T *ref, *dist;
    std::ptrdiff_t ref_stride, dist_stride; // samples
    int blocks;
    unsigned bits;
    const ContrastTables *tables;
};

// Squared errors of all nonzero coefficients, block by block in coefficient order (9.1 step 4); returns their number,
// at most 64 per block. `terms` has room for 64 * (blocks + 1).
struct Functions {
    std::size_t (*errors_u8)(const BlockRow<std::uint8_t> &row, float *terms);
    std::size_t (*errors_u16)(const BlockRow<std::uint16_t> &row, float *terms);
};

extern const Functions scalar_functions;
const Functions &pick_functions(Isa isa);

} // namespace psnr_hvs

} // namespace vmaf
