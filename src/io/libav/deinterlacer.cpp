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

bool is_interlaced(const AVFrame &frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
    return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame.interlaced_frame != 0;
#endif
}

Deinterlacer::Deinterlacer(Decode decode, const AVStream &stream) : decode_(std::move(decode)), stream_(stream) {}

void Deinterlacer::open(const AVFrame &first) {
    was_interlaced_ = is_interlaced(first);
    graph_.reset(avfilter_graph_alloc());
    if (!graph_) throw std::bad_alloc();
    std::array<char, 256> arguments{};
    const AVRational time_base = stream_.time_base, rate = stream_.avg_frame_rate, aspect = first.sample_aspect_ratio;
    std::snprintf(arguments.data(), arguments.size(),
                  "video_size=%dx%d:pix_fmt=%d:time_base=%d/%d:frame_rate=%d/%d:pixel_aspect=%d/%d", first.width,
                  first.height, first.format, time_base.num, time_base.den, rate.num, rate.den ? rate.den : 1,
                  aspect.num, aspect.den ? aspect.den : 1);
    source_ = add(graph_.get(), "buffer", arguments.data());
    AVFilterContext *const filter = add(graph_.get(), "bwdif", "mode=send_frame:parity=auto:deint=interlaced");
    sink_ = add(graph_.get(), "buffersink", nullptr);
    check(avfilter_link(source_, 0, filter, 0), "--deinterlace");
    check(avfilter_link(filter, 0, sink_, 0), "--deinterlace");
    check(avfilter_graph_config(graph_.get(), nullptr), "--deinterlace");
}

bool Deinterlacer::next(AVFrame *frame) {
    while (!graph_ || !take(frame)) {
        if (is_ended_) return false;
        is_ended_ = !decode_(decoded_.get());
        if (is_ended_ && !graph_) return false;
        if (!graph_) open(*decoded_);
        decoded_->pts = decoded_->best_effort_timestamp;
        check(av_buffersrc_add_frame(source_, is_ended_ ? nullptr : decoded_.get()), "--deinterlace");
    }
    return true;
}

bool Deinterlacer::take(AVFrame *frame) {
    av_frame_unref(frame);
    const int code = av_buffersink_get_frame(sink_, frame);
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return false;
    check(code, "--deinterlace");
    if (frame->pts != AV_NOPTS_VALUE)
        frame->best_effort_timestamp = av_rescale_q(frame->pts, av_buffersink_get_time_base(sink_), stream_.time_base);
    return true;
}

} // namespace vmaf::libav
