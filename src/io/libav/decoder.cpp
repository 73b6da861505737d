#include "io/libav/decoder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/libav/stream_start.hpp"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
}

namespace vmaf::libav {

namespace {

constexpr unsigned kMaxDecoderThreads = 16;
constexpr unsigned kMostProbedBytes = 1 << 20; // to find the kind of a file

std::string quoted(const std::string &path) { return path == "-" ? "standard input" : "'" + path + "'"; }

// Decoders of a codec that work with a kind of device.
std::vector<std::pair<const AVCodec *, AVPixelFormat>> device_decoders(AVCodecID id, AVHWDeviceType type) {
    std::vector<std::pair<const AVCodec *, AVPixelFormat>> list;
    void *position = nullptr;
    while (const AVCodec *codec = av_codec_iterate(&position)) {
        if (codec->id != id || !av_codec_is_decoder(codec)) continue;
        for (int i = 0; const AVCodecHWConfig *config = avcodec_get_hw_config(codec, i); i++)
            if (config->device_type == type && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
                list.emplace_back(codec, config->pix_fmt);
    }
    return list;
}

std::string device_names() {
    std::string list;
    for (auto type = AV_HWDEVICE_TYPE_NONE; (type = av_hwdevice_iterate_types(type)) != AV_HWDEVICE_TYPE_NONE;)
        list += std::string(list.empty() ? "" : ", ") + av_hwdevice_get_type_name(type);
    return list;
}

} // namespace

Decoder::Decoder(const VideoRequest &request) : request_(request) {
    decoder_complaints_.decoder = this;
    capture_messages();
    forget_messages();
    check_is_file();
    bytes_ = std::make_unique<ByteInput>(request.path);
    open_container();
    find_stream();
    open_codec();
}

std::string Decoder::name() const { return quoted(request_.path); }

void Decoder::check_is_file() const {
    std::error_code error;
    const auto type = std::filesystem::status(request_.path, error).type();
    if (type == std::filesystem::file_type::directory)
        throw Error(EISDIR, name() + " is a directory; give a video file");
    if (type == std::filesystem::file_type::not_found && request_.path.find("://") != std::string::npos)
        throw Error(ENOENT, name() + " is an address; only local files are read, so fetch it first");
}

const AVInputFormat *Decoder::find_format() const {
    if (request_.is_y4m) return av_find_input_format("yuv4mpegpipe");
    const AVInputFormat *format = nullptr;
    const int code =
        av_probe_input_buffer2(bytes_->context(), &format, request_.path.c_str(), nullptr, 0, kMostProbedBytes);
    if (code < 0 || !format) throw invalid(name() + " cannot be read as a video file: " + reason(code));
    // What such a file shows lies elsewhere, or is what a program makes.
    static constexpr std::array<std::string_view, 8> kElsewhere = {"hls",      "dash",        "concat", "imf",
                                                                   "avisynth", "vapoursynth", "sdp",    "rtsp"};
    for (const std::string_view kind : kElsewhere)
        if (av_match_name(kind.data(), format->name))
            throw invalid(name() + " is no video but names other files (" + std::string(kind) +
                          "); only the file that is given is read, so give one of those, or join them first");
    return format;
}

void Decoder::open_container() {
    const AVInputFormat *const input = find_format();
    AVFormatContext *context = avformat_alloc_context();
    if (!context) throw std::bad_alloc();
    context->interrupt_callback = {[](void *self) -> int { return static_cast<Decoder *>(self)->is_cancelled_; }, this};
    context->opaque = &demuxer_complaints_;
    context->pb = bytes_->context();
    AVDictionary *options = nullptr;
    av_dict_set(&options, "protocol_whitelist", "none", 0); // a file may name others, on disks and networks
    const int code = avformat_open_input(&context, request_.path.c_str(), const_cast<AVInputFormat *>(input), &options);
    av_dict_free(&options);
    if (code < 0 && request_.is_y4m)
        throw invalid(name() + " is not a YUV4MPEG2 clip, as pipes and files named .y4m must be: " + reason(code));
    if (code < 0) throw invalid(name() + " cannot be read as a video file: " + reason(code));
    format_.reset(context);
}

void Decoder::find_stream() {
    forget_messages();
    // Some decoders complain once in a process: of the first frames that may be here, where they are only tried.
    const Hearing hearing(decoder_complaints_);
    if (const int code = avformat_find_stream_info(format_.get(), nullptr); code < 0)
        throw invalid("the streams of " + name() + " cannot be read: " + reason(code));
    for (unsigned i = 0; i < format_->nb_streams; i++) {
        const AVStream &s = *format_->streams[i];
        if (s.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !(s.disposition & AV_DISPOSITION_ATTACHED_PIC))
            video_streams_++;
    }
    const int index = av_find_best_stream(format_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (index < 0 || video_streams_ == 0)
        throw invalid(name() + " has no video stream" +
                      (format_->nb_streams ? "; it holds sound or other data only" : ""));
    stream_ = format_->streams[index];
    for (unsigned i = 0; i < format_->nb_streams; i++)
        if (static_cast<int>(i) != index) format_->streams[i]->discard = AVDISCARD_ALL;
}

AVPixelFormat Decoder::choose_format(AVCodecContext *context, const AVPixelFormat *offered) {
    Decoder &self = *static_cast<Owner *>(static_cast<Complaints *>(context->opaque))->decoder;
    for (const AVPixelFormat *format = offered; *format != AV_PIX_FMT_NONE; format++)
        if (*format == self.device_format_) return *format;
    if (self.is_strict_) return AV_PIX_FMT_NONE; // the decoder fails, which is what was asked for
    self.has_fallen_back_ = true;
    return avcodec_default_get_format(context, offered);
}

void Decoder::open_context(const AVCodec *codec, AVBufferRef *device) {
    CodecContext context(avcodec_alloc_context3(codec));
    if (!context) throw std::bad_alloc();
    if (const int code = avcodec_parameters_to_context(context.get(), stream_->codecpar); code < 0)
        throw invalid("the video stream of " + name() + " cannot be used: " + reason(code));
    context->pkt_timebase = stream_->time_base;
    context->thread_count = static_cast<int>(std::clamp(request_.threads, 1u, kMaxDecoderThreads));
    context->max_pixels = std::int64_t{32768} * 32768; // as large as pictures can be
    if (request_.drop_film_grain) context->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
    context->opaque = static_cast<Complaints *>(&decoder_complaints_);
    context->err_recognition = AV_EF_CRCCHECK;
    if (device) {
        context->get_format = choose_format;
        context->hw_device_ctx = av_buffer_ref(device);
    }
    forget_messages();
    if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0)
        throw invalid("the " + std::string(codec->name) + " decoder cannot be started for " + name() + ": " +
                      reason(code));
    codec_ = std::move(context);
}

bool Decoder::open_on_device(AVHWDeviceType type, std::string &why) {
    const auto decoders = device_decoders(stream_->codecpar->codec_id, type);
    if (decoders.empty()) {
        why = "it does not decode " + std::string(avcodec_get_name(stream_->codecpar->codec_id)) + " here";
        return false;
    }
    AVBufferRef *device = nullptr;
    forget_messages();
    if (const int code = av_hwdevice_ctx_create(&device, type, nullptr, nullptr, 0); code < 0) {
        why = "it cannot be started: " + reason(code);
        return false;
    }
    device_context_.reset(device);
    device_ = av_hwdevice_get_type_name(type);
    device_format_ = decoders[0].second;
    open_context(decoders[0].first, device);
    return true;
}

void Decoder::open_codec() {
    const AVCodecID id = stream_->codecpar->codec_id;
    const std::string &wanted = request_.hwaccel;
    if (!wanted.empty() && wanted != "none" && wanted != "auto") {
        const AVHWDeviceType type = av_hwdevice_find_type_by_name(wanted.c_str());
        if (type == AV_HWDEVICE_TYPE_NONE)
            throw invalid("--hwaccel " + wanted + ": there is no such device; this FFmpeg knows " + device_names());
        is_strict_ = true;
        if (std::string why; !open_on_device(type, why))
            throw invalid("--hwaccel " + wanted + " cannot be used for " + name() + ": " + why +
                          "; leave the option out, or use auto");
        return;
    }
    if (wanted == "auto") {
        std::string why;
        for (auto type = AV_HWDEVICE_TYPE_NONE; (type = av_hwdevice_iterate_types(type)) != AV_HWDEVICE_TYPE_NONE;)
            if (open_on_device(type, why)) return;
        remark_ = "no hardware decodes " + name() + "; the processor does";
    }
    const AVCodec *const codec = avcodec_find_decoder(id);
    if (!codec)
        throw invalid("the video of " + name() + " is " + avcodec_get_name(id) +
                      ", for which this FFmpeg has no decoder");
    if (request_.drop_film_grain && id == AV_CODEC_ID_AV1 && std::string_view(codec->name) != "libdav1d")
        throw invalid("--film_grain drop cannot be used for " + name() + ": the decoder " + codec->name +
                      " always adds the grain; an FFmpeg with libdav1d can leave it out");
    open_context(codec, nullptr);
}

Error Decoder::damaged(const std::string &how) const {
    return invalid(name() + " is damaged behind frame " + std::to_string(frames_) + ": " + how);
}

// Decoders and demuxers often say that something is wrong and go on with what they make up.
void Decoder::check() const {
    if (const std::string heard = demuxer_complaints_.first(); !heard.empty()) throw damaged(heard);
    if (first_is_damaged_) throw damaged_frame(0);
    if (is_forgiving_) return;
    if (const std::string heard = decoder_complaints_.first(); !heard.empty()) throw damaged(heard);
}

Error Decoder::damaged_frame(std::uint64_t frame) const {
    return invalid("frame " + std::to_string(frame) + " of " + name() + " is damaged; the file or its transfer is");
}

// Pictures before the first key picture, and those behind it that are shown before it, may refer to what is not there.
void Decoder::look_at_start(const AVPacket &packet) {
    const bool is_key = packet.flags & AV_PKT_FLAG_KEY, has_time = packet.pts != AV_NOPTS_VALUE;
    const bool is_shown = !(packet.flags & AV_PKT_FLAG_DISCARD); // an edit list may leave out the first ones
    if (is_shown && has_time && (earliest_ == AV_NOPTS_VALUE || packet.pts < earliest_)) earliest_ = packet.pts;
    if (packets_++ == 0 && !is_key) {
        begins_without_key_ = true;
        is_forgiving_ = may_be_joined_anywhere(*format_->iformat) &&
                        !announces_key_picture(stream_->codecpar->codec_id,
                                               {packet.data, static_cast<std::size_t>(std::max(packet.size, 0))});
    }
    if (is_key && first_key_ == AV_NOPTS_VALUE) first_key_ = packet.pts;
    if (has_time && first_key_ != AV_NOPTS_VALUE && packet.pts < first_key_ && frames_ == 0) is_forgiving_ = true;
}

// Gives the decoder another packet, or the end. False when nothing more can be given.
bool Decoder::feed() {
    if (is_drained_) return false;
    for (;;) {
        av_packet_unref(packet_.get());
        forget_messages();
        const int code = av_read_frame(format_.get(), packet_.get());
        if (is_cancelled_) throw Error(ECANCELED, "reading was cancelled");
        if (code == AVERROR_EOF) {
            // Some containers (Matroska) end quietly where they were cut off: only a message tells.
            if (const std::string heard = demuxer_complaints_.first(); !heard.empty())
                throw invalid(name() + " is damaged or cut off, its end is missing: " + heard);
            is_drained_ = true;
            avcodec_send_packet(codec_.get(), nullptr);
            return true;
        }
        if (code < 0) throw damaged(reason(code));
        if (packet_->stream_index != stream_->index) continue;
        if (packet_->flags & AV_PKT_FLAG_CORRUPT) throw damaged(reason(AVERROR_INVALIDDATA));
        look_at_start(*packet_);
        const int sent = avcodec_send_packet(codec_.get(), packet_.get());
        if (sent == AVERROR(ENOMEM)) throw std::bad_alloc();
        if (sent < 0 && sent != AVERROR(EAGAIN) && !is_forgiving_) throw damaged(reason(sent));
        return true;
    }
}

bool Decoder::receive(AVFrame *frame) {
    for (;;) {
        const int code = avcodec_receive_frame(codec_.get(), frame);
        if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
        if (code != 0 && code != AVERROR(EAGAIN) && code != AVERROR_EOF && (!is_forgiving_ || is_strict_))
            throw invalid("frame " + std::to_string(frames_) + " of " + name() + " cannot be decoded" +
                          (is_strict_ ? " on " + request_.hwaccel : "") + ": " + reason(code));
        // Several frames are in work at once: what is wrong with a later one may be heard before the first is out, or
        // behind it. The run shall not end now with one code and then with another.
        if (frames_ > 0 || code == AVERROR_EOF) check();
        if (code == 0) return true;
        if (code == AVERROR_EOF) return false;
        if (!feed()) return false;
    }
}

// The next frame that nothing is missing from.
bool Decoder::receive_whole(AVFrame *frame) {
    while (receive(frame)) {
        const bool is_damaged = (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags;
        // What is shown from the first key picture on refers to nothing before it.
        const bool is_before_key = first_key_ == AV_NOPTS_VALUE || frame->best_effort_timestamp < first_key_;
        const bool is_forgiven = is_forgiving_ && is_before_key;
        if (is_damaged && !is_forgiven && frames_ > 0) throw damaged_frame(frames_);
        if (is_damaged && !is_forgiven) {
            first_is_damaged_ = true;
            return true;
        }
        if (is_damaged) continue;
        const bool lacks_start =
            frames_ == 0 && earliest_ != AV_NOPTS_VALUE && frame->best_effort_timestamp > earliest_;
        // Some decoders pass over what they cannot decode without a word.
        if (lacks_start && begins_without_key_ && !is_forgiving_) first_is_damaged_ = true;
        if (is_forgiving_ && (lacks_start || (frames_ == 0 && !decoder_complaints_.first().empty())))
            remark_ += std::string(remark_.empty() ? "" : "; ") +
                       "it begins with pictures that cannot be decoded, since they refer to others before its start; "
                       "they are left out";
        // Frames come in order: what was decoded before this one is done.
        if (is_forgiving_ && (first_key_ == AV_NOPTS_VALUE || frame->best_effort_timestamp > first_key_)) {
            is_forgiving_ = false;
            decoder_complaints_.forget();
        }
        return true;
    }
    return false;
}

bool Decoder::next(AVFrame *frame) {
    av_frame_unref(frame);
    if (device_.empty()) {
        if (!receive_whole(frame)) return false;
    } else {
        av_frame_unref(on_device_.get());
        if (!receive_whole(on_device_.get())) return false;
        if (on_device_->format != device_format_) {
            av_frame_move_ref(frame, on_device_.get());
        } else {
            forget_messages();
            int code = av_hwframe_transfer_data(frame, on_device_.get(), 0);
            if (code >= 0) code = av_frame_copy_props(frame, on_device_.get());
            if (code < 0)
                throw invalid("frame " + std::to_string(frames_) + " of " + name() + " cannot be fetched from " +
                              device_ + ": " + reason(code));
        }
    }
    frames_++;
    return true;
}

} // namespace vmaf::libav
