// What a player does to stored pixels before showing them: container cropping, rotation, sample aspect. Done once, when
// a source is opened; all later stages see display pixels.
#pragma once

#include <optional>
#include <string>

#include "base/fraction.hpp"
#include "source/source.hpp"

namespace vmaf::tune {

struct Cropping {
    int left = 0, top = 0, right = 0, bottom = 0;
    std::optional<Fraction> sample_aspect; // if the container states the shape of the cropped picture
    bool any() const { return left || top || right || bottom; }
};

// The cropping requested by Matroska (PixelCrop*) or MP4 (clap) for the n-th video track. Most versions of FFmpeg
// neither report nor apply it. Empty for other or unreadable files.
Cropping container_cropping(const std::string &path, int video_track, int width, int height);

// How FFmpeg makes such pictures upright: a filter chain, empty for none.
std::string turning_filter(const Orientation &orientation);

// Sets size and filter of `source` from its stream. FFmpeg itself rotates what it reads; our filter does the rest.
// `ffmpeg_crops`: this FFmpeg knows the cropping and would also apply it. Throws Error.
void apply_display(Source &source, const Cropping &cropping, const Orientation &orientation, bool ffmpeg_crops,
                   bool deinterlace);

// What was done to the stored pixels, for users: "rotated to 288x384"; empty for nothing.
std::string display_sentence(const Source &source);

} // namespace vmaf::tune
