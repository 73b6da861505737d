#include "commands/ladder_sizes.hpp"

#include <cmath>
#include <cstdio>
#include <sstream>

#include "cli/command_error.hpp"

namespace vmaf::tune {

namespace {

int nearest_even(double value) { return std::max(2, 2 * static_cast<int>(std::lround(value / 2))); }

// With the source's aspect ratio; always includes its own size.
std::vector<FrameSize> usual_sizes(const Source &source) {
    const FrameSize own{source.width - source.width % 2, source.height - source.height % 2};
    std::vector<FrameSize> sizes = {own};
    for (const int height : {2160, 1440, 1080, 720, 540, 432, 360, 270, 216}) {
        const FrameSize size{nearest_even(double(height) * source.width / source.height), height};
        if (size.height < own.height && size.width <= own.width) sizes.push_back(size);
    }
    return sizes;
}

} // namespace

std::vector<FrameSize> rung_sizes(const std::string &wish, const Source &source) {
    if (wish.empty()) return usual_sizes(source);
    std::vector<FrameSize> sizes;
    std::istringstream list(wish);
    for (std::string item; std::getline(list, item, ',');) {
        FrameSize size;
        char end = 0;
        if (std::sscanf(item.c_str(), "%dx%d%c", &size.width, &size.height, &end) != 2 || size.width < 16 ||
            size.height < 16 || size.width % 2 || size.height % 2)
            throw usage_error("--resolutions: '" + item + "' is not an even WxH");
        if (size.width > source.width || size.height > source.height)
            throw usage_error("--resolutions: " + item + " is larger than the source");
        sizes.push_back(size);
    }
    if (sizes.empty()) throw usage_error("--resolutions is empty");
    return sizes;
}

} // namespace vmaf::tune
