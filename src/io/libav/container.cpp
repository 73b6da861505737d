#include "io/libav/container.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "system/filesystem.hpp"

extern "C" {
#include <libavutil/avstring.h>
}

namespace vmaf::libav {

namespace {

constexpr unsigned kMostProbedBytes = 1 << 20; // to detect the kind of a file

// Its decoder says that such a file has no image data.
bool is_animated_webp(AVIOContext *bytes) {
    constexpr std::size_t kKind = 12, kFlags = 20;
    constexpr unsigned kAnimated = 2;
    std::array<unsigned char, kFlags + 1> begin{};
    const bool is_read =
        avio_read(bytes, begin.data(), static_cast<int>(begin.size())) == static_cast<int>(begin.size());
    avio_seek(bytes, 0, SEEK_SET);
    const std::string_view kind(reinterpret_cast<const char *>(begin.data()) + kKind, 4);
    return is_read && kind == "VP8X" && (begin[kFlags] & kAnimated) != 0;
}

// The stream to use has the highest: the file's default one, of several (or none) the largest. Covers come last.
auto rank(const AVStream &stream) {
    const AVCodecParameters &p = *stream.codecpar;
    return std::tuple(p.codec_id != AV_CODEC_ID_NONE, stream.nb_frames != 1,
                      (stream.disposition & AV_DISPOSITION_DEFAULT) != 0, std::int64_t{p.width} * p.height);
}

} // namespace

Container::Container(const VideoRequest &request) : request_(request) {
    capture_messages();
    forget_messages();
    check_is_file();
    bytes_ = std::make_unique<ByteInput>(request.path);
    open();
    find_stream();
}

std::string Container::name() const { return request_.path == "-" ? "standard input" : "'" + request_.path + "'"; }

Error Container::damaged(std::uint64_t frames, const std::string &how) const {
    return invalid(name() + " is damaged after frame " + std::to_string(frames) + ": " + how);
}

void Container::check_is_file() const {
    std::error_code error;
    const auto type = system::fs::status(request_.path, error).type();
    if (type == system::fs::file_type::directory) throw Error(EISDIR, name() + " is a directory; give a video file");
    if (type == system::fs::file_type::not_found && request_.path.find("://") != std::string::npos)
        throw Error(ENOENT, name() + " is an address; only local files are read, so fetch it first");
}

const AVInputFormat *Container::find_format() const {
    if (request_.is_y4m) return av_find_input_format("yuv4mpegpipe");
    const AVInputFormat *format = nullptr;
    const int code =
        av_probe_input_buffer2(bytes_->context(), &format, request_.path.c_str(), nullptr, 0, kMostProbedBytes);
    if (code < 0 || !format) throw invalid(name() + " cannot be read as a video file: " + reason(code));
    // Such files refer to other files, or describe what a program generates.
    static constexpr std::array<std::string_view, 8> kElsewhere = {"hls",      "dash",        "concat", "imf",
                                                                   "avisynth", "vapoursynth", "sdp",    "rtsp"};
    for (const std::string_view kind : kElsewhere)
        if (av_match_name(kind.data(), format->name))
            throw invalid(name() + " is a list of other files, not a video (" + std::string(kind) +
                          "); give one of those files, or join them first");
    if (std::string_view(format->name) == "webp_pipe" && is_animated_webp(bytes_->context()))
        throw invalid(name() + " is an animated WebP image, which this FFmpeg does not decode; convert it to a video");
    return format;
}

void Container::open() {
    const AVInputFormat *const input = find_format();
    AVFormatContext *context = avformat_alloc_context();
    if (!context) throw std::bad_alloc();
    context->interrupt_callback = {[](void *self) -> int { return static_cast<Container *>(self)->is_cancelled_; },
                                   this};
    context->opaque = &complaints_;
    context->pb = bytes_->context();
    AVDictionary *options = nullptr;
    av_dict_set(&options, "protocol_whitelist", "none", 0); // a file may name others, on disks and networks
    const int code = avformat_open_input(&context, request_.path.c_str(), const_cast<AVInputFormat *>(input), &options);
    av_dict_free(&options);
    if (code < 0 && request_.is_y4m)
        throw invalid(name() + " is not a YUV4MPEG2 clip, as pipes and files named .y4m must be: " + reason(code));
    if (code < 0 && std::string_view(input->name) == "rawvideo")
        throw invalid(name() + " is raw video, which states no size; convert it to YUV4MPEG2 (.y4m), or, if both "
                               "clips are raw, give --width, --height, --pixel_format and --bitdepth");
    if (code < 0) throw invalid(name() + " cannot be read as a video file: " + reason(code));
    format_.reset(context);
}

void Container::find_stream() {
    forget_messages();
    // Some decoders complain once per process, about the first frames, which are only tried here.
    const Hearing hearing(trial_complaints_);
    if (const int code = avformat_find_stream_info(format_.get(), nullptr); code < 0)
        throw invalid("the streams of " + name() + " cannot be read: " + reason(code));
    for (AVStream *const s : std::span(format_->streams, format_->nb_streams)) {
        if (s->codecpar->codec_type != AVMEDIA_TYPE_VIDEO || (s->disposition & AV_DISPOSITION_ATTACHED_PIC)) continue;
        video_streams_++;
        if (stream_ && rank(*s) <= rank(*stream_)) continue;
        stream_ = s;
        video_stream_ = video_streams_;
    }
    if (!stream_)
        throw invalid(name() + " has no video stream" +
                      (format_->nb_streams ? "; it holds sound or other data only" : ""));
    parameters_.reset(avcodec_parameters_alloc());
    if (!parameters_ || avcodec_parameters_copy(parameters_.get(), stream_->codecpar) < 0) throw std::bad_alloc();
    for (AVStream *const s : std::span(format_->streams, format_->nb_streams))
        if (s != stream_) s->discard = AVDISCARD_ALL;
}

bool Container::read(AVPacket *packet, std::uint64_t frames) {
    if (!again_.empty()) {
        av_packet_unref(packet);
        av_packet_move_ref(packet, again_.front().get());
        again_.pop_front();
        return true;
    }
    if (!read_next(packet, frames)) return false;
    if (keeps_packets_) {
        kept_.push_back(new_packet());
        if (av_packet_ref(kept_.back().get(), packet) < 0) throw std::bad_alloc();
    }
    return true;
}

void Container::replay() {
    keeps_packets_ = false;
    again_ = std::move(kept_);
    kept_.clear();
}

// Parsers examine packets on the way.
int Container::read_and_hear(AVPacket *packet) {
    const Hearing hearing(parser_complaints_);
    return av_read_frame(format_.get(), packet);
}

bool Container::read_next(AVPacket *packet, std::uint64_t frames) {
    for (;;) {
        av_packet_unref(packet);
        forget_messages();
        const int code = read_and_hear(packet);
        if (is_cancelled_) throw Error(ECANCELED, "reading was cancelled");
        if (code == AVERROR_EOF) {
            // Some containers (Matroska) end silently where they were truncated: only a message reveals it.
            if (const std::string heard = complaint(); !heard.empty())
                throw invalid(name() + " is damaged or cut off, its end is missing: " + heard);
            return false;
        }
        if (code < 0) throw damaged(frames, reason(code));
        if (packet->stream_index != stream_->index) continue;
        if (packet->flags & AV_PKT_FLAG_CORRUPT)
            throw damaged(frames, "its container reports lost packets, as where files were joined");
        // In a stream joined in the middle, everything before its first key picture is meaningless.
        if (!has_key_)
            parser_complaints_.forget();
        else if (const std::string heard = parser_complaints_.first(); !heard.empty())
            throw damaged(frames, heard);
        has_key_ = has_key_ || (packet->flags & AV_PKT_FLAG_KEY);
        return true;
    }
}

} // namespace vmaf::libav
