// A file as its packets: opened, its video stream chosen, read from the beginning.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>

#include "io/libav/byte_input.hpp"
#include "io/libav/libav.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

class Container {
  public:
    // Throws Error naming the file for what cannot be opened or has no video.
    explicit Container(const VideoRequest &request);

    // The next packet of the video; false at the end. Throws Error for damage, `frames` being those that came before.
    bool read(AVPacket *packet, std::uint64_t frames);
    // Packets that are read from now on come once more after replay().
    void keep_packets() { keeps_packets_ = true; }
    void replay();
    // What the demuxer has reported so far; empty: nothing. It often goes on.
    std::string complaint() const { return complaints_.first(); }
    // What decoders said while they were only tried, to find out about the streams: some complain once in a process.
    std::string complaint_of_trial() const { return trial_complaints_.first(); }

    const AVFormatContext &format() const { return *format_; }
    AVStream &stream() const { return *stream_; }
    // What is coded there, as the file's start says. The stream's own is written to while packets are read.
    const AVCodecParameters &parameters() const { return *parameters_; }
    unsigned video_streams() const { return video_streams_; }
    const VideoRequest &request() const { return request_; }
    std::string name() const; // for sentences
    Error damaged(std::uint64_t frames, const std::string &how) const;

    void cancel() noexcept {
        is_cancelled_ = true;
        if (bytes_) bytes_->cancel();
    }

  private:
    void check_is_file() const;
    const AVInputFormat *find_format() const;
    void open();
    void find_stream();
    bool read_next(AVPacket *packet, std::uint64_t frames);
    int read_and_hear(AVPacket *packet);

    VideoRequest request_;
    std::atomic<bool> is_cancelled_ = false;
    Complaints complaints_, trial_complaints_, parser_complaints_; // outlive what they hear from
    bool has_key_ = false;                                         // among the packets that were read
    std::unique_ptr<ByteInput> bytes_;
    FormatContext format_;
    AVStream *stream_ = nullptr;
    CodecParameters parameters_;
    unsigned video_streams_ = 0;
    bool keeps_packets_ = false;
    std::deque<Packet> kept_, again_; // read; to be read again before others
};

} // namespace vmaf::libav
