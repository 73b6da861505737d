#include "io/libav/pixel_layout.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

PixelLayout pixel_layout(AVPixelFormat format, const std::string &clip) {
    const AVPixFmtDescriptor *const desc = av_pix_fmt_desc_get(format);
    if (!desc) throw invalid("the pixel format of " + clip + " is not known");
    const auto unsupported = [&] {
        return invalid("the pixel format of " + clip + ", " + desc->name +
                       ", is not supported; convert it to integers of at most 16 bits");
    };
    const std::string name = desc->name;
    if (desc->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT)) throw unsupported();
    PixelLayout layout;
    constexpr auto kComputed =
        AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_BITSTREAM;
    layout.is_rgb = (desc->flags & kComputed) != 0 || name.starts_with("xyz");
    layout.has_alpha = (desc->flags & AV_PIX_FMT_FLAG_ALPHA) != 0 && !(desc->flags & AV_PIX_FMT_FLAG_PAL);
    layout.is_full = name.starts_with("yuvj");
    layout.bits = 8;
    for (int i = 0; i < desc->nb_components; i++)
        layout.bits = std::max(layout.bits, static_cast<unsigned>(desc->comp[i].depth));
    if (layout.bits > 16) throw unsupported();
    layout.is_planar = !layout.is_rgb;
    const int across = desc->log2_chroma_w, down = desc->log2_chroma_h;
    if (layout.is_rgb) {
        layout.chroma = PixelFormat::yuv444p;
    } else if (desc->nb_components < 3) {
        layout.chroma = PixelFormat::yuv400p;
    } else if (down == 0) { // 4:1:1 becomes 4:2:2
        layout.chroma = across == 0 ? PixelFormat::yuv444p : PixelFormat::yuv422p;
        if (across > 1) layout.is_planar = false;
    } else if (across == 0) { // 4:4:0
        layout.chroma = PixelFormat::yuv444p;
        layout.is_planar = false;
    } else {
        layout.chroma = PixelFormat::yuv420p;
        if (across > 1 || down > 1) layout.is_planar = false;
    }
    return layout;
}

ComponentView component_view(const AVFrame &frame, AVPixelFormat format, int component) {
    const AVPixFmtDescriptor &desc = *av_pix_fmt_desc_get(format);
    const AVComponentDescriptor &c = desc.comp[component];
    ComponentView view;
    view.first = reinterpret_cast<const std::byte *>(frame.data[c.plane]) + c.offset;
    view.across = c.step;
    view.down = frame.linesize[c.plane];
    view.bits = static_cast<unsigned>(c.depth);
    view.shift = static_cast<unsigned>(c.shift);
    view.is_wide = c.depth + c.shift > 8;
    view.is_big_endian = view.is_wide && (desc.flags & AV_PIX_FMT_FLAG_BE) != 0;
    return view;
}

ComponentView with_bits(ComponentView view, unsigned bits) {
    if (bits >= view.bits) return view;
    view.shift += view.bits - bits;
    view.bits = bits;
    return view;
}

unsigned bits_of_samples(AVPixelFormat format, AVPixelFormat processors_format) {
    const AVPixFmtDescriptor *const here = av_pix_fmt_desc_get(format);
    const AVPixFmtDescriptor *const there = av_pix_fmt_desc_get(processors_format);
    return static_cast<unsigned>(there ? std::min(here->comp[0].depth, there->comp[0].depth) : here->comp[0].depth);
}

PlaneExtent plane_extent(const AVFrame &frame, int component) {
    const AVPixFmtDescriptor &desc = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const int across = component ? desc.log2_chroma_w : 0, down = component ? desc.log2_chroma_h : 0;
    return {static_cast<unsigned>(AV_CEIL_RSHIFT(frame.width, across)),
            static_cast<unsigned>(AV_CEIL_RSHIFT(frame.height, down))};
}

AVPixelFormat planar_format(PixelFormat chroma, unsigned bits) {
    std::string name = chroma == PixelFormat::yuv420p   ? "yuv420p"
                       : chroma == PixelFormat::yuv422p ? "yuv422p"
                       : chroma == PixelFormat::yuv444p ? "yuv444p"
                                                        : "gray";
    if (bits > 8) name += std::to_string(bits); // av_get_pix_fmt adds the machine's byte order
    return av_get_pix_fmt(name.c_str());
}

} // namespace vmaf::libav
