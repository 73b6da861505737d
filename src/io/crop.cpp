#include "io/crop.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace vmaf {

namespace {

// Chroma samples at the end of an odd side have fewer luma samples.
bool is_on_chroma(unsigned position, unsigned side, unsigned step) { return position == side || position % step == 0; }

} // namespace

std::string to_string(const Crop &crop) {
    return std::to_string(crop.width) + ":" + std::to_string(crop.height) + ":" + std::to_string(crop.x) + ":" +
           std::to_string(crop.y);
}

unsigned columns_of_chroma(PixelFormat format) {
    return format == PixelFormat::yuv420p || format == PixelFormat::yuv422p ? 2 : 1;
}
unsigned rows_of_chroma(PixelFormat format) { return format == PixelFormat::yuv420p ? 2 : 1; }

std::string crop_step(const std::string &role, const Crop &crop, bool has_found_bars) {
    return "the " + role + " clip is cropped to " + std::to_string(crop.width) + "x" + std::to_string(crop.height) +
           " at " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
           (has_found_bars ? ": the clips have different black bars" : "");
}

void check_crop(const Crop &crop, unsigned width, unsigned height, unsigned across, unsigned down,
                const std::string &clip) {
    const std::string option = "--crop " + to_string(crop);
    if (crop.width > width || crop.x > width - crop.width || crop.height > height || crop.y > height - crop.height)
        throw invalid(option + " (width, height, x, y) is not inside the " + std::to_string(width) + "x" +
                      std::to_string(height) + " pictures of " + clip);
    if (crop.x % across || crop.y % down || !is_on_chroma(crop.x + crop.width, width, across) ||
        !is_on_chroma(crop.y + crop.height, height, down))
        throw invalid(option + " cuts through chroma samples of " + clip + "; use multiples of " +
                      std::to_string(std::max(across, down)));
}

} // namespace vmaf
