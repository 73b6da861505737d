#include "io/libav/deinterlacer.hpp"

#include <array>
#include <cstdio>
#include <new>

#include "base/error.hpp"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

namespace vmaf::libav {

namespace {

void check(int code, const char *what) {
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (code < 0) throw invalid(std::string(what) + ": " + reason(code));
}

AVFilterContext *add(AVFilterGraph *graph, const char *filter, const char *arguments) {
    AVFilterContext *context = nullptr;
    const AVFilter *const found = avfilter_get_by_name(filter);
    if (!found) throw invalid(std::string("--deinterlace: this FFmpeg has no filter ") + filter);
    check(avfilter_graph_create_filter(&context, found, filter, arguments, nullptr, graph), "--deinterlace");
    return context;
}

} // namespace

Deinterlacer::Deinterlacer(const AVFrame &first, AVRational time_base, AVRational frame_rate)
    : graph_(avfilter_graph_alloc()), time_base_(time_base) {
    if (!graph_) throw std::bad_alloc();
    std::array<char, 256> arguments{};
    const AVRational aspect = first.sample_aspect_ratio;
    std::snprintf(arguments.data(), arguments.size(),
                  "video_size=%dx%d:pix_fmt=%d:time_base=%d/%d:frame_rate=%d/%d:pixel_aspect=%d/%d", first.width,
                  first.height, first.format, time_base.num, time_base.den, frame_rate.num,
                  frame_rate.den ? frame_rate.den : 1, aspect.num, aspect.den ? aspect.den : 1);
    source_ = add(graph_.get(), "buffer", arguments.data());
    AVFilterContext *const filter = add(graph_.get(), "bwdif", "mode=send_frame:parity=auto:deint=interlaced");
    sink_ = add(graph_.get(), "buffersink", nullptr);
    check(avfilter_link(source_, 0, filter, 0), "--deinterlace");
    check(avfilter_link(filter, 0, sink_, 0), "--deinterlace");
    check(avfilter_graph_config(graph_.get(), nullptr), "--deinterlace");
}

void Deinterlacer::give(AVFrame *frame) { check(av_buffersrc_add_frame(source_, frame), "--deinterlace"); }

bool Deinterlacer::take(AVFrame *frame) {
    av_frame_unref(frame);
    const int code = av_buffersink_get_frame(sink_, frame);
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return false;
    check(code, "--deinterlace");
    if (frame->pts != AV_NOPTS_VALUE)
        frame->best_effort_timestamp = av_rescale_q(frame->pts, av_buffersink_get_time_base(sink_), time_base_);
    return true;
}

} // namespace vmaf::libav
