// Owning wrappers for the libraries' types, and their errors as messages. FFmpeg 5.1 and later.
#pragma once

#include <memory>
#include <mutex>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

namespace vmaf::libav {

template <auto Free> struct ByAddress { // for functions that take the pointer's address
    template <class T> void operator()(T *object) const { Free(&object); }
};
template <auto Free> struct ByPointer {
    template <class T> void operator()(T *object) const { Free(object); }
};

using FormatContext = std::unique_ptr<AVFormatContext, ByAddress<avformat_close_input>>;
using CodecContext = std::unique_ptr<AVCodecContext, ByAddress<avcodec_free_context>>;
using CodecParameters = std::unique_ptr<AVCodecParameters, ByAddress<avcodec_parameters_free>>;
using Frame = std::unique_ptr<AVFrame, ByAddress<av_frame_free>>;
using Packet = std::unique_ptr<AVPacket, ByAddress<av_packet_free>>;
using BufferRef = std::unique_ptr<AVBufferRef, ByAddress<av_buffer_unref>>;
using FilterGraph = std::unique_ptr<AVFilterGraph, ByAddress<avfilter_graph_free>>;
using Scaling = std::unique_ptr<SwsContext, ByPointer<sws_freeContext>>;

Frame new_frame(); // throws std::bad_alloc
Packet new_packet();

// Keeps the libraries' messages off stderr; the last error explains a code. Decoders have their own threads, so it is
// the last error of the process: with two clips it may belong to the other one.
void capture_messages();
void forget_messages();
std::string reason(int code);

class Complaints;

// While it exists, it receives messages of decoders without an owner on this thread, such as those that a demuxer
// tries.
class Hearing {
  public:
    explicit Hearing(Complaints &complaints);
    ~Hearing();
    Hearing(const Hearing &) = delete;
    Hearing &operator=(const Hearing &) = delete;
};

// Errors reported by a demuxer or decoder, from any of its threads. They often continue and invent missing data, so
// this is the only sign of damage. Contexts refer to it as their `opaque`.
class Complaints {
  public:
    void add(const std::string &line);
    std::string first() const; // empty: none
    void forget();

  private:
    mutable std::mutex mutex_;
    std::string first_;
};

} // namespace vmaf::libav
