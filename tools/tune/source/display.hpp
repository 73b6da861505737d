// What a player does to stored pixels before it shows them: the container's cropping, rotation, the shape of samples.
// It is done once, when a source is opened; every later stage sees display pixels.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/fraction.hpp"
#include "source/source.hpp"

namespace vmaf::tune {

struct Cropping {
    int left = 0, top = 0, right = 0, bottom = 0;
    std::optional<Fraction> sample_aspect; // where the container tells the shape of the cropped picture
    bool any() const { return left || top || right || bottom; }
};

// The cropping that Matroska (PixelCrop*) or MP4 (clap) ask for, of the n-th video track. FFmpeg's own tools of many
// years neither tell nor apply it. Nothing where the file is another one or cannot be read.
Cropping container_cropping(const std::string &path, int video_track, int width, int height);

// How FFmpeg turns pictures by itself for a display matrix (the first two rows count): a chain of filters, empty for
// none. `swaps` tells whether width and height change places.
std::string turning_filter(const std::array<double, 9> &matrix, bool &swaps);

// Sets size and filter of `source` from what its stream says. FFmpeg itself turns what it reads; the rest is our
// filter. `ffmpeg_crops`: this FFmpeg knows of the cropping and would do it, too. Throws Error.
void apply_display(Source &source, const Cropping &cropping, const std::optional<std::array<double, 9>> &matrix,
                   bool ffmpeg_crops, bool deinterlace);

// What was done to the stored pixels, for people: "shown turned, 288x384"; empty for nothing.
std::string display_sentence(const Source &source);

} // namespace vmaf::tune
