// `ciede`: the mean CIEDE2000 colour difference on a decibel-like scale (fidelity.md 10).
#pragma once

#include <cstdint>

#include "cpu/cpu.hpp"
#include "metrics/metric.hpp"

namespace vmaf {

extern const MetricInfo ciede_metric;

namespace ciede {

// A row of colours, chroma at luma resolution.
template <class T> struct ColourRow { const T *y, *cb, *cr; };

// The colour difference at every position of a row.
struct Functions {
    void (*row_u8)(const ColourRow<std::uint8_t> &ref, const ColourRow<std::uint8_t> &dist, int width, unsigned bits,
                   float *out);
    void (*row_u16)(const ColourRow<std::uint16_t> &ref, const ColourRow<std::uint16_t> &dist, int width, unsigned bits,
                    float *out);
    // Adds `count` differences to `so_far`. The scalar sum runs in raster order (10.4).
    double (*add)(double so_far, const float *differences, int count);
};

extern const Functions scalar_functions;
const Functions &pick_functions(Isa isa);

// For a device; fills a FrameResult like the CPU's scorer, to within 1e-9. `tiles`: also summed; null: none.
std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, const TileGrid *tiles, Device &device);

} // namespace ciede

} // namespace vmaf
