#include "io/libav/decoder.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "io/libav/cuda_device.hpp"
#include "io/libav/nvdec/nvdec_decoder.hpp"
#include "io/libav/nvdec/primary_context.hpp"
#include "system/filesystem.hpp"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
}

namespace vmaf::libav {

namespace {

// FFmpeg's native AV1 decoder has no software implementation.
bool needs_device(const AVCodec &codec) { return std::string_view(codec.name) == "av1"; }

constexpr unsigned kMaxDecoderThreads = 16;
constexpr int kTrialThreads = 4; // each decodes one more frame before the first comes out
constexpr int kHeldSurfaces = 6; // frames in use at once, for a decoder on a device

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
    return list.empty() ? "none" : list;
}

} // namespace

BufferRef open_cuda_device(void *context, void *stream) {
    BufferRef device(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
    if (!device) throw std::bad_alloc();
    auto &cuda = *static_cast<AVCUDADeviceContext *>(reinterpret_cast<AVHWDeviceContext *>(device->data)->hwctx);
    cuda.cuda_ctx = static_cast<CUcontext>(context);
    cuda.stream = static_cast<CUstream>(stream);
    forget_messages();
    if (const int code = av_hwdevice_ctx_init(device.get()); code < 0) throw invalid(reason(code));
    return device;
}

BufferRef Decoder::open_device(AVHWDeviceType type) {
    // One context per process and device: others cost memory and time.
    if (type == AV_HWDEVICE_TYPE_CUDA) {
        primary_context_ = nvdec::primary_context();
        return open_cuda_device(primary_context_.get(), nullptr);
    }
    AVBufferRef *device = nullptr;
    forget_messages();
    if (const int code = av_hwdevice_ctx_create(&device, type, nullptr, nullptr, 0); code < 0)
        throw invalid(reason(code));
    return BufferRef(device);
}

Decoder::Decoder(const std::shared_ptr<Container> &container)
    : Decoder(container, [&file = *container, this](AVPacket *packet) { return file.read(packet, frames_); }) {
    open_codec();
    demuxer_ = container_.get();
}

Decoder::Decoder(std::shared_ptr<Container> container, Read read, BufferRef device)
    : Decoder(std::move(container), std::move(read)) {
    device_context_ = std::move(device);
    mode_ = Mode::part;
    threads_ = 1; // others decode other parts
    const AVCodecID id = container_->parameters().codec_id;
    if (device_context_) {
        const auto type = reinterpret_cast<const AVHWDeviceContext *>(device_context_->data)->type;
        const auto decoders = device_decoders(id, type);
        if (decoders.empty()) throw invalid(name() + " cannot be decoded on " + av_hwdevice_get_type_name(type));
        device_ = av_hwdevice_get_type_name(type);
        device_format_ = decoders[0].second;
        open_context(decoders[0].first, device_context_.get());
    } else {
        const AVCodec *const codec = avcodec_find_decoder(id);
        if (!codec) throw invalid("there is no decoder for " + name());
        open_context(codec, nullptr);
    }
}

Decoder::Decoder(std::shared_ptr<Container> container, Read read)
    : container_(std::move(container)), request_(container_->request()), read_(std::move(read)),
      threads_(static_cast<int>(std::clamp(request_.threads, 1u, kMaxDecoderThreads))),
      start_(*container_->format().iformat, container_->parameters().codec_id) {
    decoder_complaints_.decoder = this;
    const AVCodec *const tried = avcodec_find_decoder(container_->parameters().codec_id);
    if (tried && needs_device(*tried)) return; // its complaint only says that it cannot work
    if (const std::string heard = container_->complaint_of_trial(); !heard.empty()) decoder_complaints_.add(heard);
}

AVPixelFormat Decoder::choose_format(AVCodecContext *context, const AVPixelFormat *offered) {
    Decoder &self = *static_cast<Owner *>(static_cast<Complaints *>(context->opaque))->decoder;
    for (const AVPixelFormat *format = offered; *format != AV_PIX_FMT_NONE; format++)
        if (*format == self.device_format_) return *format;
    if (self.is_strict()) return AV_PIX_FMT_NONE; // the decoder fails, as requested
    self.mode_ = Mode::fallen_back;
    return avcodec_default_get_format(context, offered);
}

int Decoder::get_buffer(AVCodecContext *context, AVFrame *frame, int flags) {
    const Decoder &self = *static_cast<Owner *>(static_cast<Complaints *>(context->opaque))->decoder;
    const FrameMemory *const memory = self.used_memory_;
    if (memory && memory->fill(*context, *frame)) return 0;
    return avcodec_default_get_buffer2(context, frame, flags);
}

void Decoder::decode_into(const PictureMemory &memory) {
    frame_memory_ = std::make_unique<FrameMemory>(memory);
    used_memory_ = frame_memory_.get();
}

void Decoder::open_context(const AVCodec *codec, AVBufferRef *device) {
    CodecContext context(avcodec_alloc_context3(codec));
    if (!context) throw std::bad_alloc();
    if (const int code = avcodec_parameters_to_context(context.get(), &container_->parameters()); code < 0)
        throw invalid("the video stream of " + name() + " cannot be used: " + reason(code));
    context->pkt_timebase = container_->stream().time_base;
    context->thread_count = threads_;
    context->max_pixels = std::int64_t{32768} * 32768; // the largest possible pictures
    // Of AV1 on request. In a trial of other codecs to learn whether there is some: devices do not add it.
    const bool is_av1 = container_->parameters().codec_id == AV_CODEC_ID_AV1;
    if (is_av1 ? request_.drop_film_grain : is_trial()) context->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
    context->opaque = static_cast<Complaints *>(&decoder_complaints_);
    context->err_recognition = AV_EF_CRCCHECK;
    if (request_.may_be_uploaded && !device && (codec->capabilities & AV_CODEC_CAP_DR1)) {
        context->get_buffer2 = get_buffer;
#if LIBAVCODEC_VERSION_MAJOR < 60 // later ones call it from any thread
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        context->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
    }
    if (is_trial()) context->apply_cropping = 0; // examined first, then applied
    if (device) {
        context->get_format = choose_format;
        context->hw_device_ctx = av_buffer_ref(device);
        if (mode_ == Mode::part) context->extra_hw_frames = kHeldSurfaces;
    }
    forget_messages();
    if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0)
        throw invalid("the " + std::string(codec->name) + " decoder cannot be started for " + name() + ": " +
                      reason(code));
    codec_ = std::move(context);
}

bool Decoder::open_on_device(AVHWDeviceType type, std::string &why) {
    const auto decoders = device_decoders(container_->parameters().codec_id, type);
    if (decoders.empty()) {
        why = "it does not decode " + std::string(avcodec_get_name(container_->parameters().codec_id)) + " here";
        return false;
    }
    if (type == AV_HWDEVICE_TYPE_CUDA && nvdec_answer(container_->parameters()) == NvdecAnswer::no) {
        why = "this GPU does not decode " + std::string(avcodec_get_name(container_->parameters().codec_id)) +
              " of this profile, size, depth and chroma format";
        return false;
    }
    try {
        device_context_ = open_device(type);
    } catch (const Error &e) {
        why = std::string("it cannot be started: ") + e.what();
        return false;
    }
    threads_ = 1; // more would need more device memory, and decode no faster
    device_ = av_hwdevice_get_type_name(type);
    device_format_ = decoders[0].second;
    open_context(decoders[0].first, device_context_.get());
    return true;
}

// Starting a decoder on the device is slow, and those of parts are separate: a software decoder can examine the first
// frame.
bool Decoder::tries_first_frame() const {
    std::error_code error;
    const AVCodec *const codec = avcodec_find_decoder(container_->parameters().codec_id);
    return request_.may_stay_on_device && codec && !needs_device(*codec) && !request_.deinterlace &&
           system::fs::is_regular_file(request_.path, error) &&
           nvdec_answer(container_->parameters()) == NvdecAnswer::yes;
}

void Decoder::open_codec() {
    const AVCodecID id = container_->parameters().codec_id;
    const std::string &wanted = request_.hwaccel;
    if ((wanted == "cuda" || wanted == "auto") && tries_first_frame()) {
        container_->keep_packets();
        mode_ = Mode::trial;
        threads_ = std::min(threads_, kTrialThreads);
        open_context(avcodec_find_decoder(id), nullptr);
        return;
    }
    if (!wanted.empty() && wanted != "none" && wanted != "auto") {
        const AVHWDeviceType type = av_hwdevice_find_type_by_name(wanted.c_str());
        if (type == AV_HWDEVICE_TYPE_NONE)
            throw invalid("--hwaccel " + wanted + ": there is no such device; this FFmpeg knows " + device_names());
        mode_ = Mode::strict;
        if (std::string why; !open_on_device(type, why))
            throw invalid("--hwaccel " + wanted + " cannot be used for " + name() + ": " + why +
                          "; leave the option out, or use auto");
        return;
    }
    if (wanted == "auto") {
        std::string why;
        if (open_on_device(AV_HWDEVICE_TYPE_CUDA, why)) return; // first, since it also scores
        // Frames of other hardware would have to be fetched and uploaded; processors decode into page-locked memory.
        const bool scores_on_cuda = request_.may_stay_on_device;
        for (auto type = AV_HWDEVICE_TYPE_NONE; (type = av_hwdevice_iterate_types(type)) != AV_HWDEVICE_TYPE_NONE;)
            if (type != AV_HWDEVICE_TYPE_CUDA && !scores_on_cuda && open_on_device(type, why)) return;
        remark_ = (scores_on_cuda ? "the GPU that scores does not decode " : "no hardware decodes ") + name() +
                  "; the processor does";
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

// Decoders and demuxers often report an error and continue with invented data.
void Decoder::check() const {
    if (demuxer_)
        if (const std::string heard = demuxer_->complaint(); !heard.empty()) throw damaged(heard);
    if (first_is_damaged_) throw damaged_frame(number());
    if (start_.forgives()) return;
    if (const std::string heard = decoder_complaints_.first(); !heard.empty()) throw damaged(heard);
}

Error Decoder::no_decoder() const {
    return invalid("no decoder works here for " + name() + ": its video is " + avcodec_get_name(codec_->codec_id) +
                   ", which this FFmpeg decodes on a GPU only (--hwaccel); use an FFmpeg with a decoder for it");
}

Error Decoder::damaged_frame(std::uint64_t frame) const {
    return invalid("frame " + std::to_string(frame) + " of " + name() + " is damaged; the file or its transfer is");
}

void Decoder::look_at_headers(const AVPacket &packet) {
    if (container_->parameters().codec_id != AV_CODEC_ID_MPEG2VIDEO) return;
    const auto chroma = chroma_of_mpeg2(packet);
    if (!chroma) return;
    if (mpeg2_chroma_.value_or(*chroma) != *chroma)
        throw invalid(name() + " has pictures after frame " + std::to_string(number()) +
                      " with another chroma format; cut the file where its pictures change");
    mpeg2_chroma_ = chroma;
}

// Passes another packet, or the end, to the decoder. False if there is nothing more to pass.
bool Decoder::feed() {
    if (is_drained_) return false;
    av_packet_unref(packet_.get());
    if (!read_(packet_.get())) {
        is_drained_ = true;
        avcodec_send_packet(codec_.get(), nullptr);
        return true;
    }
    start_.saw_packet(*packet_, frames_ > 0);
    look_at_headers(*packet_);
    const int sent = avcodec_send_packet(codec_.get(), packet_.get());
    if (sent == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (sent == AVERROR(ENOSYS)) throw no_decoder();
    if (sent < 0 && sent != AVERROR(EAGAIN) && !start_.forgives()) throw damaged(reason(sent));
    return true;
}

bool Decoder::receive(AVFrame *frame) {
    for (;;) {
        const int code = avcodec_receive_frame(codec_.get(), frame);
        if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
        if (code == AVERROR(ENOSYS)) throw no_decoder();
        if (code != 0 && code != AVERROR(EAGAIN) && code != AVERROR_EOF && (!start_.forgives() || is_strict()))
            throw invalid("frame " + std::to_string(number()) + " of " + name() + " cannot be decoded" +
                          (is_strict() && !device_.empty() ? " on " + device_ : "") + ": " + reason(code));
        // Several frames are decoded at once: an error in a later one may be reported before or after the first is
        // output. The exit code must not depend on that.
        if (frames_ > 0 || code == AVERROR_EOF) check();
        if (code == 0) return true;
        if (code == AVERROR_EOF) return false;
        if (!feed()) return false;
    }
}

// The next complete frame.
bool Decoder::receive_whole(AVFrame *frame) {
    while (receive(frame)) {
        const bool is_damaged = (frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags;
        const bool is_forgiven = start_.forgives(*frame), is_first = frames_ == 0;
        if (is_damaged && !is_forgiven && !is_first) throw damaged_frame(number());
        if (is_damaged && !is_forgiven) {
            first_is_damaged_ = true;
            return true;
        }
        if (is_damaged) continue;
        if (is_first && start_.hides_damage_before(*frame)) first_is_damaged_ = true;
        if (is_first && start_.forgives() &&
            (start_.lacks_pictures_before(*frame) || !decoder_complaints_.first().empty()))
            remark_ += std::string(remark_.empty() ? "" : "; ") +
                       "it begins with pictures that depend on others before its start; "
                       "they are left out";
        if (start_.ends_at(*frame)) decoder_complaints_.forget();
        return true;
    }
    return false;
}

bool Decoder::next_where_it_is(AVFrame *frame) {
    av_frame_unref(frame);
    if (!receive_whole(frame)) return false;
    if (!device_.empty() && frame->format != device_format_)
        throw invalid("frame " + std::to_string(number()) + " of " + name() + " cannot be decoded on " + device_);
    frames_++;
    return true;
}

void Decoder::note_cropping(const AVFrame &frame) {
    is_cropped_at_origin_ = is_cropped_at_origin_ || frame.crop_left > 0 || frame.crop_top > 0;
}

// As decoders do it.
void Decoder::crop(AVFrame *frame) {
    note_cropping(*frame);
    if (av_frame_apply_cropping(frame, 0) >= 0) return;
    frame->crop_left = frame->crop_right = frame->crop_top = frame->crop_bottom = 0; // nonsense
}

bool Decoder::next(AVFrame *frame) {
    av_frame_unref(frame);
    if (device_.empty()) {
        if (!receive_whole(frame)) return false;
        if (is_trial()) crop(frame);
    } else {
        av_frame_unref(on_device_.get());
        if (!receive_whole(on_device_.get())) return false;
        note_cropping(*on_device_);
        if (on_device_->format != device_format_) {
            av_frame_move_ref(frame, on_device_.get());
        } else {
            forget_messages();
            int code = av_hwframe_transfer_data(frame, on_device_.get(), 0);
            if (code >= 0) code = av_frame_copy_props(frame, on_device_.get());
            // Devices leave cropping at the left and top to the consumer.
            if (code >= 0) code = av_frame_apply_cropping(frame, AV_FRAME_CROP_UNALIGNED);
            if (code < 0)
                throw invalid("frame " + std::to_string(frames_) + " of " + name() + " cannot be fetched from " +
                              device_ + ": " + reason(code));
        }
    }
    frames_++;
    return true;
}

} // namespace vmaf::libav
