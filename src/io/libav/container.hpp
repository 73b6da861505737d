// Opens a file, selects its video stream, and reads packets from the start.
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
    // Throws Error with the file's name if it cannot be opened or has no video.
    explicit Container(const VideoRequest &request);

    // The next video packet; false at the end. Throws Error for damage; `frames` is the number before it.
    bool read(AVPacket *packet, std::uint64_t frames);
    // Packets read from now on are repeated after replay().
    void keep_packets() { keeps_packets_ = true; }
    void replay();
    // What the demuxer has reported so far; empty: nothing. It often continues.
    std::string complaint() const { return complaints_.first(); }
    // What decoders reported while they were only tried, to examine the streams: some complain once per process.
    std::string complaint_of_trial() const { return trial_complaints_.first(); }

    const AVFormatContext &format() const { return *format_; }
    AVStream &stream() const { return *stream_; }
    // The coding according to the start of the file. The stream's own parameters change while packets are read.
    const AVCodecParameters &parameters() const { return *parameters_; }
    unsigned video_streams() const { return video_streams_; }
    unsigned video_stream() const { return video_stream_; } // the selected one, from 1
    const VideoRequest &request() const { return request_; }
    std::string name() const; // for messages
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
    Complaints complaints_, trial_complaints_, parser_complaints_; // outlive what they listen to
    bool has_key_ = false;                                         // among the packets read
    std::unique_ptr<ByteInput> bytes_;
    FormatContext format_;
    AVStream *stream_ = nullptr;
    CodecParameters parameters_;
    unsigned video_streams_ = 0, video_stream_ = 0;
    bool keeps_packets_ = false;
    std::deque<Packet> kept_, again_; // read; to be read again before others
};

} // namespace vmaf::libav
