// The video stream of a file, decoded: frames in system memory, in order, with their times.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "io/libav/byte_input.hpp"
#include "io/libav/libav.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

class Decoder {
  public:
    // Throws Error naming the file for what cannot be opened or has no video.
    explicit Decoder(const VideoRequest &request);

    // The next frame; false at the end. Throws Error for damaged data.
    bool next(AVFrame *frame);

    const AVFormatContext &container() const { return *format_; }
    const AVStream &stream() const { return *stream_; }
    const AVCodec &codec() const { return *codec_->codec; }
    unsigned video_streams() const { return video_streams_; }
    std::string device() const { return has_fallen_back_ ? std::string() : device_; } // empty: a processor decodes
    const std::string &remark() const { return remark_; }
    std::string name() const; // for sentences

    void cancel() noexcept {
        is_cancelled_ = true;
        if (bytes_) bytes_->cancel();
    }

  private:
    void check_is_file() const;
    void open_container();
    void find_stream();
    void open_codec();
    bool open_on_device(AVHWDeviceType type, std::string &why);
    void open_context(const AVCodec *codec, AVBufferRef *device);
    bool feed();
    bool receive(AVFrame *frame);

    static AVPixelFormat choose_format(AVCodecContext *context, const AVPixelFormat *offered);

    VideoRequest request_;
    std::atomic<bool> is_cancelled_ = false;
    std::unique_ptr<ByteInput> bytes_; // of YUV4MPEG2, which may come from a pipe
    FormatContext format_;
    AVStream *stream_ = nullptr;
    unsigned video_streams_ = 0;
    BufferRef device_context_;
    CodecContext codec_;
    std::string device_, remark_;
    AVPixelFormat device_format_ = AV_PIX_FMT_NONE;
    bool is_strict_ = false; // a device was asked for by name
    std::atomic<bool> has_fallen_back_ = false;
    Packet packet_ = new_packet();
    Frame on_device_ = new_frame();
    bool is_drained_ = false;
    std::uint64_t frames_ = 0;
};

} // namespace vmaf::libav
