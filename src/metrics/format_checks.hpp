// Format requirements shared by several metrics, with their errors.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "picture/picture.hpp"

namespace vmaf {

// Only the depths of real video are scaled to 8 bits (fidelity.md 1.3).
inline void require_depth_8_10_12_16(std::string_view metric, const PictureFormat &format) {
    if (format.bits == 8 || format.bits == 10 || format.bits == 12 || format.bits == 16) return;
    throw invalid("feature '" + std::string(metric) +
                  "' works at 8, 10, 12 and 16 bits per sample; these pictures have " + std::to_string(format.bits));
}

inline void require_chroma(std::string_view metric, const PictureFormat &format) {
    if (format.has_chroma()) return;
    throw invalid("feature '" + std::string(metric) + "' needs chroma planes; 4:0:0 pictures have luma only");
}

inline void require_size(std::string_view metric, const PictureFormat &format, unsigned width, unsigned height) {
    if (format.width >= width && format.height >= height) return;
    throw invalid("feature '" + std::string(metric) + "' needs pictures of at least " + std::to_string(width) + "x" +
                  std::to_string(height) + "; these have " + std::to_string(format.width) + "x" +
                  std::to_string(format.height));
}

} // namespace vmaf
