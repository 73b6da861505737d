#include "io/libav/picture_maker.hpp"

#include <map>

#include "base/error.hpp"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

namespace {

int scaler_flag(const std::string &name) {
    static const std::map<std::string, int> flags = {
        {"bilinear", SWS_BILINEAR}, {"bicubic", SWS_BICUBIC}, {"lanczos", SWS_LANCZOS},
        {"spline", SWS_SPLINE},     {"area", SWS_AREA},       {"nearest", SWS_POINT},
    };
    const auto found = flags.find(name);
    if (found == flags.end()) throw invalid("there is no scaler '" + name + "'");
    return found->second;
}

int matrix_table(const std::string &name) {
    if (name == "bt709") return SWS_CS_ITU709;
    if (name == "bt2020nc" || name == "bt2020c") return SWS_CS_BT2020;
    if (name == "smpte240m") return SWS_CS_SMPTE240M;
    if (name == "fcc") return SWS_CS_FCC;
    return SWS_CS_ITU601;
}

// The position of vertically subsampled chroma that FFmpeg's scale filter assumes.
constexpr int kVerticalChromaPosition = 128;

bool halves_lines(AVPixelFormat format) { return av_pix_fmt_desc_get(format)->log2_chroma_h == 1; }

} // namespace

PictureMaker::PictureMaker(const AVFrame &first, const VideoFacts &facts, const VideoOutput &output)
    : output_(output), layout_(pixel_layout(static_cast<AVPixelFormat>(first.format), "the clip")),
      unused_bits_(layout_.bits - facts.bits), rotation_(facts.rotation), is_mirrored_(facts.is_mirrored) {
    keeps_size_ = facts.width == output.picture.width && facts.height == output.picture.height && !layout_.is_rgb;
    // 4:0:0 is filled with grey. Rotated by 90 degrees, 4:2:2 would become 4:4:0.
    const bool keeps_chroma =
        layout_.is_planar &&
        (output.picture.pixel_format == layout_.chroma || layout_.chroma == PixelFormat::yuv400p) &&
        !(rotation_ % 180 != 0 && layout_.chroma == PixelFormat::yuv422p);
    if (!keeps_size_ || !keeps_chroma) prepare_scaling(first, facts);
    range_ = range_tables(output.range_change, output.picture.bits);
}

void PictureMaker::prepare_scaling(const AVFrame &first, const VideoFacts &facts) {
    const PictureFormat &target = output_.picture;
    const bool is_quarter_turn = rotation_ % 180 != 0;
    const auto from = static_cast<AVPixelFormat>(first.format);
    // Scaled at the clip's own depth and shifted afterwards; RGB is converted to the requested depth.
    const AVPixelFormat to =
        planar_format(layout_.chroma == PixelFormat::yuv400p ? layout_.chroma : target.pixel_format,
                      layout_.is_rgb ? target.bits : layout_.bits);
    if (to == AV_PIX_FMT_NONE || !sws_isSupportedInput(from) || !sws_isSupportedOutput(to))
        throw invalid(std::string("pixel format ") + av_get_pix_fmt_name(from) + " cannot be converted to " +
                      to_string(target.pixel_format) + ", " + std::to_string(target.bits) + " bit");
    scaled_->format = to;
    scaled_->width = static_cast<int>(is_quarter_turn ? target.height : target.width);
    scaled_->height = static_cast<int>(is_quarter_turn ? target.width : target.height);
    if (av_frame_get_buffer(scaled_.get(), 0) < 0) throw std::bad_alloc();

    scaling_.reset(sws_alloc_context());
    if (!scaling_) throw std::bad_alloc();
    SwsContext *const s = scaling_.get();
    const int range = facts.range == SampleRange::full && !layout_.is_rgb;
    av_opt_set_int(s, "srcw", first.width, 0);
    av_opt_set_int(s, "srch", first.height, 0);
    av_opt_set_pixel_fmt(s, "src_format", from, 0);
    av_opt_set_int(s, "dstw", scaled_->width, 0);
    av_opt_set_int(s, "dsth", scaled_->height, 0);
    av_opt_set_pixel_fmt(s, "dst_format", to, 0);
    av_opt_set_int(s, "src_range", layout_.is_rgb ? 1 : range, 0);
    av_opt_set_int(s, "dst_range", range, 0);
    av_opt_set_int(s, "sws_flags", scaler_flag(output_.scaler) | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, 0);
    if (halves_lines(from)) av_opt_set_int(s, "src_v_chr_pos", kVerticalChromaPosition, 0);
    if (halves_lines(to)) av_opt_set_int(s, "dst_v_chr_pos", kVerticalChromaPosition, 0);
    forget_messages();
    if (const int code = sws_init_context(s, nullptr, nullptr); code < 0)
        throw invalid("pictures cannot be scaled from " + std::to_string(first.width) + "x" +
                      std::to_string(first.height) + " to " + std::to_string(scaled_->width) + "x" +
                      std::to_string(scaled_->height) + ": " + reason(code));
    if (layout_.is_rgb) {
        const int *const table = sws_getCoefficients(matrix_table(output_.matrix));
        sws_setColorspaceDetails(s, table, 1, table, 0, 0, 1 << 16, 1 << 16);
    }
}

void PictureMaker::scale(const AVFrame &frame) {
    if (av_frame_make_writable(scaled_.get()) < 0) throw std::bad_alloc();
    const int lines =
        sws_scale(scaling_.get(), frame.data, frame.linesize, 0, frame.height, scaled_->data, scaled_->linesize);
    if (lines != scaled_->height) throw invalid("a picture cannot be scaled: " + reason(lines));
}

void PictureMaker::store(const AVFrame &frame, const Picture &picture) {
    const PictureFormat &format = picture.format();
    const unsigned planes = picture.data(1) ? format.planes() : 1; // chroma may not be needed
    if (scaling_ && (planes > 1 || !keeps_size_)) scale(frame);
    for (unsigned p = 0; p < planes; p++) {
        const PlaneTarget target{picture.data(p), picture.stride_bytes(p), format.plane_width(p),
                                 format.plane_height(p), format.bits};
        if (p > 0 && layout_.chroma == PixelFormat::yuv400p) {
            fill_plane(target, 1u << (format.bits - 1));
            continue;
        }
        const bool is_moved = !scaling_ || (p == 0 && keeps_size_);
        const AVFrame &source = is_moved ? frame : *scaled_;
        const auto component = static_cast<int>(p);
        const PlaneExtent extent = plane_extent(source, component);
        ComponentView view = component_view(source, static_cast<AVPixelFormat>(source.format), component);
        view = with_bits(view, view.bits - unused_bits_);
        copy_component(turned(view, extent.width, extent.height, rotation_, is_mirrored_), target);
        const auto &table = p == 0 ? range_.luma : range_.chroma;
        if (!table.empty()) map_samples(target, table);
    }
}

} // namespace vmaf::libav
