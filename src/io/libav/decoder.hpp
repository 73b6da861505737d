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
    // Throws Error for damage that has shown so far; with the first frame, nothing else does.
    void check() const;

    const AVFormatContext &container() const { return *format_; }
    const AVStream &stream() const { return *stream_; }
    const AVCodec &codec() const { return *codec_->codec; }
    unsigned video_streams() const { return video_streams_; }
    std::string device() const { return has_fallen_back_ ? std::string() : device_; } // empty: a processor decodes
    const std::string &remark() const { return remark_; }                             // complete with the first frame
    std::string name() const;                                                         // for sentences

    void cancel() noexcept {
        is_cancelled_ = true;
        if (bytes_) bytes_->cancel();
    }

  private:
    // What a decoder's context leads back to.
    struct Owner final : Complaints {
        Decoder *decoder = nullptr;
    };

    void check_is_file() const;
    const AVInputFormat *find_format() const;
    void open_container();
    void find_stream();
    void open_codec();
    bool open_on_device(AVHWDeviceType type, std::string &why);
    void open_context(const AVCodec *codec, AVBufferRef *device);
    bool feed();
    bool receive(AVFrame *frame);
    bool receive_whole(AVFrame *frame);
    void look_at_start(const AVPacket &packet);
    Error damaged(const std::string &how) const;
    Error damaged_frame(std::uint64_t frame) const;

    static AVPixelFormat choose_format(AVCodecContext *context, const AVPixelFormat *offered);

    VideoRequest request_;
    std::atomic<bool> is_cancelled_ = false;
    Complaints demuxer_complaints_; // outlives what it hears from, like the next
    Owner decoder_complaints_;
    std::unique_ptr<ByteInput> bytes_;
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
    std::uint64_t packets_ = 0, frames_ = 0;
    // A stream may begin with pictures whose references lie before its start: that is no damage.
    bool is_forgiving_ = false;
    bool begins_without_key_ = false, first_is_damaged_ = false;
    std::int64_t first_key_ = AV_NOPTS_VALUE, earliest_ = AV_NOPTS_VALUE; // times of packets
};

} // namespace vmaf::libav
