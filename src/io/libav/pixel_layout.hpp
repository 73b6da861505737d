// Describes the samples of a decoder's pixel format, and where they are.
#pragma once

#include <string>

#include "io/component_copy.hpp"
#include "io/libav/libav.hpp"
#include "picture/picture.hpp"

namespace vmaf::libav {

struct PixelLayout {
    PixelFormat chroma = PixelFormat::unknown; // our format that holds every sample
    unsigned bits = 0;
    bool is_planar = false; // samples can be used unchanged
    bool is_rgb = false, has_alpha = false;
    bool is_full = false; // by its name ("yuvj420p")
};

// Throws Error for formats that are not pictures (hardware surfaces, floating point, ...).
PixelLayout pixel_layout(AVPixelFormat format, const std::string &clip);

// The location of component 0 (Y), 1 (Cb) or 2 (Cr) of a frame. `format`: of its samples, if the frame is in device
// memory.
ComponentView component_view(const AVFrame &frame, AVPixelFormat format, int component);
// Only the upper bits of each sample.
ComponentView with_bits(ComponentView view, unsigned bits);
// The number of meaningful bits: devices store 12 bits in a format for 16.
unsigned bits_of_samples(AVPixelFormat format, AVPixelFormat processors_format);
// Width and height of a component's plane; rounded up, as in the libraries.
struct PlaneExtent {
    unsigned width, height;
};
PlaneExtent plane_extent(const AVFrame &frame, int component);

// The libraries' planar format with our format and depth; AV_PIX_FMT_NONE if there is none.
AVPixelFormat planar_format(PixelFormat chroma, unsigned bits);

} // namespace vmaf::libav
