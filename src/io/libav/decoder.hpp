// Decodes the video stream of a file, or parts of it: frames in order, with their times.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/libav/container.hpp"
#include "io/libav/frame_memory.hpp"
#include "io/libav/libav.hpp"
#include "io/libav/stream_start.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

// A CUDA device with the caller's context and stream. Throws Error.
BufferRef open_cuda_device(void *context, void *stream);

class Decoder {
  public:
    // The source of packets; false at the end.
    using Read = std::function<bool(AVPacket *)>;

    // Decodes the whole file as requested. Throws Error with the file's name if it cannot be opened.
    explicit Decoder(const std::shared_ptr<Container> &container);
    // Decodes packets that others read, on this device only; null: on one software thread.
    Decoder(std::shared_ptr<Container> container, Read read, BufferRef device);
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    // The next frame, in system memory; false at the end. Throws Error for damaged data.
    bool next(AVFrame *frame);
    // The same, in device memory.
    bool next_where_it_is(AVFrame *frame);
    // Throws Error for damage found so far; no other call does so with the first frame.
    void check() const;
    // Frames go to this memory from now on. For decoders that support it, if the request announced it.
    bool can_decode_into() const { return codec_->get_buffer2 == get_buffer; }
    void decode_into(const PictureMemory &memory);
    // For messages: sets the next frame's number in the file.
    void count_from(std::uint64_t number) { first_number_ = number - frames_; }

    const Container &container() const { return *container_; }
    const std::shared_ptr<Container> &shared_container() const { return container_; }
    const AVStream &stream() const { return container_->stream(); }
    const AVCodec &codec() const { return *codec_->codec; }
    // The format of software decoding, and its number of bits.
    AVPixelFormat processors_format() const { return codec_->sw_pix_fmt; }
    std::string device() const { return mode_ == Mode::fallen_back ? "" : device_; } // empty: software decoding
    // Whether software decodes the first frame of a file that cuda will decode.
    bool is_trial() const { return mode_ == Mode::trial; }
    // On a device, or in a trial: whether frames had hidden columns at the left or rows at the top.
    bool is_cropped_at_origin() const { return is_cropped_at_origin_; }
    const std::string &remark() const { return remark_; }   // complete with the first frame
    std::string name() const { return container_->name(); } // for messages
    void cancel() noexcept { container_->cancel(); }

  private:
    enum class Mode {
        willing,     // on the device if possible, else in software
        fallen_back, // it was not possible
        strict,      // only on the device selected by name
        part,        // the same for a part of a file; the consumer holds a few frames at once
        trial,       // in software, the first frame of a file that cuda will decode
    };
    bool is_strict() const { return mode_ == Mode::strict || mode_ == Mode::part; }

    // Where a decoder's context points to.
    struct Owner final : Complaints {
        Decoder *decoder = nullptr;
    };

    Decoder(std::shared_ptr<Container> container, Read read);
    void open_codec();
    bool tries_first_frame() const;
    bool open_on_device(AVHWDeviceType type, std::string &why);
    BufferRef open_device(AVHWDeviceType type);
    void open_context(const AVCodec *codec, AVBufferRef *device);
    bool feed();
    bool receive(AVFrame *frame);
    bool receive_whole(AVFrame *frame);
    void crop(AVFrame *frame);
    void note_cropping(const AVFrame &frame);
    void look_at_headers(const AVPacket &packet);
    std::uint64_t number() const { return first_number_ + frames_; } // of the next frame
    Error damaged(const std::string &how) const { return container_->damaged(number(), how); }
    Error no_decoder() const;
    Error damaged_frame(std::uint64_t frame) const;

    static AVPixelFormat choose_format(AVCodecContext *context, const AVPixelFormat *offered);
    static int get_buffer(AVCodecContext *context, AVFrame *frame, int flags);

    std::shared_ptr<Container> container_;
    VideoRequest request_;
    Read read_;
    int threads_;
    const Container *demuxer_ = nullptr;    // whose complaints are about what this decodes
    Owner decoder_complaints_;              // outlives what it listens to
    std::shared_ptr<void> primary_context_; // outlives what follows
    std::unique_ptr<FrameMemory> frame_memory_;
    std::atomic<const FrameMemory *> used_memory_ = nullptr; // the same, for the decoder's threads
    BufferRef device_context_;
    CodecContext codec_;
    std::string device_, remark_;
    AVPixelFormat device_format_ = AV_PIX_FMT_NONE;
    std::atomic<Mode> mode_ = Mode::willing; // a decoder's threads may see it change
    bool is_cropped_at_origin_ = false;
    Packet packet_ = new_packet();
    Frame on_device_ = new_frame();
    bool is_drained_ = false;
    std::uint64_t frames_ = 0, first_number_ = 0;
    StreamStart start_;
    bool first_is_damaged_ = false;
    std::optional<unsigned> mpeg2_chroma_; // of the first header
};

} // namespace vmaf::libav
