// Section 11: the c-values of the distorted picture as 16-bit grey maps, one file per scale.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/cambi/cambi_setup.hpp"
#include "system/files.hpp"

namespace vmaf::cambi {

class HeatmapFiles {
  public:
    // Creates the folder and the five files; throws Error if that fails.
    explicit HeatmapFiles(const Setup &setup);

    // Every frame has a fixed place in the file, so threads may write in any order; skipped frames leave zero-filled
    // holes. `pixels` has room for as many values.
    void write(unsigned frame, int scale, std::span<const float> c_values, std::span<std::uint16_t> pixels) const;
    void write(unsigned frame, int scale, std::span<const std::uint16_t> pixels) const;
    double gain() const { return gain_; } // pixel value per c-value

  private:
    double gain_;                           // 65535 / C, or 0 if C is 0
    std::vector<system::OffsetFile> files_; // one per scale
};

} // namespace vmaf::cambi
