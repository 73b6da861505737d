// What the samples of a decoder's pixel format are, and where they lie.
#pragma once

#include "io/component_copy.hpp"
#include "io/libav/libav.hpp"
#include "picture/picture.hpp"

namespace vmaf::libav {

struct PixelLayout {
    PixelFormat chroma = PixelFormat::unknown; // the format of ours that holds every sample
    unsigned bits = 0;
    bool is_planar = false; // samples can be taken as they are
    bool is_rgb = false, has_alpha = false;
    bool is_full = false; // by its very name ("yuvj420p")
};

// Throws Error for formats that are no pictures (hardware surfaces, floating point, ...).
PixelLayout pixel_layout(AVPixelFormat format);

// Where component 0 (Y), 1 (Cb) or 2 (Cr) of a frame lies. `format`: of its samples, where the frame itself is in
// memory of a device.
ComponentView component_view(const AVFrame &frame, AVPixelFormat format, int component);
// The upper bits of each sample alone.
ComponentView with_bits(ComponentView view, unsigned bits);
// How many bits of samples in a format mean something: devices give 12 bits in a format for 16.
unsigned bits_of_samples(AVPixelFormat format, AVPixelFormat processors_format);
// Width and height of a component's plane; rounded up, as the libraries do.
struct PlaneExtent {
    unsigned width, height;
};
PlaneExtent plane_extent(const AVFrame &frame, int component);

// The libraries' planar format with our format and depth; AV_PIX_FMT_NONE where there is none.
AVPixelFormat planar_format(PixelFormat chroma, unsigned bits);

} // namespace vmaf::libav
