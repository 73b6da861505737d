// A part of a picture to use in its place.
#pragma once

#include <string>

#include "picture/picture.hpp"

namespace vmaf {

// Everything else is cut off.
struct Crop {
    unsigned width = 0, height = 0, x = 0, y = 0;

    bool operator==(const Crop &) const = default;
};

std::string to_string(const Crop &crop); // as --crop takes it

// Luma samples per chroma sample.
unsigned columns_of_chroma(PixelFormat format);
unsigned rows_of_chroma(PixelFormat format);

// What is reported about a clip. `has_found_bars`: the crop was not asked for by size.
std::string crop_step(const std::string &role, const Crop &crop, bool has_found_bars);

// Throws Error if the part is not inside the pictures of the clip, or cuts through chroma samples of `across` by `down`
// luma samples.
void check_crop(const Crop &crop, unsigned width, unsigned height, unsigned across, unsigned down,
                const std::string &clip);

} // namespace vmaf
