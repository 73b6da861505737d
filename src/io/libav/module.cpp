// The interface of the module: a VideoFile over the decoder.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "io/frame_clock.hpp"
#include "io/libav/decoder.hpp"
#include "io/libav/deinterlacer.hpp"
#include "io/libav/nvdec/nvdec_decoder.hpp"
#include "io/libav/part_decoder.hpp"
#include "io/libav/picture_maker.hpp"
#include "io/libav/upload_parts.hpp"
#include "io/video_file.hpp"
#include "system/filesystem.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

namespace {

Fraction fraction(AVRational r) {
    if (r.num <= 0 || r.den <= 0) return {0, 1};
    av_reduce(&r.num, &r.den, r.num, r.den, INT32_MAX);
    return {r.num, r.den};
}

// A damaged file can put any number into an enum, and reading that as one is undefined.
template <class Value> int number_of(const Value &value) {
    static_assert(sizeof value == sizeof(int));
    return std::bit_cast<int>(value);
}

template <class Value> std::string tag(const char *(*name)(Value), const Value &value, Value count) {
    const int number = number_of(value);
    const char *const text = number >= 0 && number < count ? name(static_cast<Value>(number)) : nullptr;
    const std::string found = text ? text : "";
    return found == "unknown" || found == "reserved" ? "" : found;
}

const std::int32_t *display_matrix(const AVStream &stream) {
    constexpr std::size_t kBytes = 9 * sizeof(std::int32_t);
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVPacketSideData *const data = av_packet_side_data_get(
        stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= kBytes ? reinterpret_cast<const std::int32_t *>(data->data) : nullptr;
#else
    std::size_t bytes = 0;
    const std::uint8_t *const data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
    return data && bytes >= kBytes ? reinterpret_cast<const std::int32_t *>(data) : nullptr;
#endif
}

// As ffmpeg rotates pictures by default.
void find_orientation(const std::int32_t *matrix, VideoFacts &facts) {
    if (!matrix) return;
    std::array<double, 9> numbers{};
    std::copy_n(matrix, numbers.size(), numbers.begin());
    constexpr double kTolerance = 0.5; // angles are rounded to whole degrees
    static_cast<Orientation &>(facts) = orientation_of(numbers, kTolerance);
    if (facts.odd_angle != 0)
        facts.remark = "the file asks for a rotation of " + std::to_string((std::lround(facts.odd_angle) + 360) % 360) +
                       " degrees, which is left out";
}

class LibavFile final : public VideoFile {
  public:
    explicit LibavFile(const VideoRequest &request) : request_(request) {
        open();
        if (const char *const why = reason_for_processor()) leave_to_processor(why);
        find_facts();
    }

    const VideoFacts &facts() const override { return facts_; }

    void set_output(const VideoOutput &output) override {
        maker_ = std::make_unique<PictureMaker>(*frame_, facts_, output);
        output_ = output;
    }

    std::optional<std::int64_t> next() override {
        if (decoder_->is_trial()) begin_again();
        if (is_first_) {
            is_first_ = false;
            decoder_->check();
            return time_;
        }
        read_ahead();
        if (!has_frame_) return std::nullopt;
        return time_;
    }

    void store(const Picture &picture) override { maker_->store(*frame_, picture); }

    void cancel() noexcept override { decoder_->cancel(); }

    std::unique_ptr<VideoParts> on_device(const DecodingDevice &device, std::string &why) override {
        decoder_->check();
        why = reason_to_fetch(device);
        if (!why.empty()) return nullptr;
        FrameKind kind = first_;
        if (!decoder_->device().empty()) kind.format = decoder_->processors_format();
        if (!decoder_->is_trial()) return make_parts(std::make_shared<Container>(request_), device, kind);
        decoder_->shared_container()->replay(); // there is no other reader: next() starts again
        return make_parts(decoder_->shared_container(), device, kind);
    }

    std::unique_ptr<VideoParts> for_upload(const PictureMemory &memory, std::string &why) override {
        decoder_->check();
        why = reason_to_copy();
        if (!why.empty()) return nullptr;
        decoder_->decode_into(memory);
        return make_upload_parts(std::move(decoder_), std::move(frame_), first_);
    }

  private:
    // From the start; reads the first frame.
    void open() {
        decoder_ = std::make_unique<Decoder>(std::make_shared<Container>(request_));
        clock_ = FrameClock(fraction(decoder_->stream().avg_frame_rate));
        decoded_frames_ = 0;
        if (request_.deinterlace)
            deinterlacer_ =
                std::make_unique<Deinterlacer>([this](AVFrame *frame) { return decode(frame); }, decoder_->stream());
        read_ahead();
        if (!has_frame_)
            throw invalid(decoder_->name() + " has no frame that can be decoded: " + reason(AVERROR_INVALIDDATA));
    }

    // Why a device would decode other samples; null if it would not.
    const char *reason_for_processor() const {
        // Software decoders crop less at the left than requested, to keep alignment, and device decoders do not;
        // NVIDIA's parser does not even report the cropping.
        if (decoder_->is_cropped_at_origin())
            return "its pictures are cropped at the left or top, which GPUs decode differently";
        if (decoder_->device().empty() && !decoder_->is_trial()) return nullptr;
        const bool is_av1 = decoder_->stream().codecpar->codec_id == AV_CODEC_ID_AV1;
        if (!is_av1 && av_frame_get_side_data(frame_.get(), AV_FRAME_DATA_FILM_GRAIN_PARAMS))
            return "its film grain is added by software decoders only";
        const auto format = decoder_->device().empty() ? AVPixelFormat(first_.format) : decoder_->processors_format();
        const AVPixFmtDescriptor *const pixels = av_pix_fmt_desc_get(format);
        if (decoder_->stream().codecpar->codec_id == AV_CODEC_ID_HEVC && pixels && pixels->nb_components >= 3 &&
            pixels->log2_chroma_w == 0 && pixels->comp[0].depth > 10)
            return "GPUs decode the chroma of HEVC 4:4:4 above 10 bits differently";
        return nullptr;
    }

    void leave_to_processor(const std::string &why) {
        if (request_.hwaccel != "auto")
            throw invalid("--hwaccel " + request_.hwaccel + " cannot be used for " + decoder_->name() + ": " + why +
                          "; leave the option out, or use auto");
        request_.hwaccel = "none";
        open();
        facts_.remark = decoder_->name() + " is decoded by the processor: " + why;
    }

    // Frames come through host memory after all, from the selected device.
    void begin_again() {
        request_.may_stay_on_device = false;
        open();
        if (maker_) maker_ = std::make_unique<PictureMaker>(*frame_, facts_, output_);
    }

    // Decodes a frame like the first; everything later relies on that.
    bool decode(AVFrame *frame) {
        if (!decoder_->next(frame)) return false;
        const FrameKind kind = kind_of(*frame, frame->format);
        if (decoded_frames_++ == 0)
            first_ = kind;
        else
            first_.check(kind, decoded_frames_ - 1, decoder_->name());
        if (request_.crop) crop(*request_.crop, *frame);
        return true;
    }

    void crop(const Crop &part, AVFrame &frame) {
        const auto width = static_cast<unsigned>(frame.width), height = static_cast<unsigned>(frame.height);
        if (part.width == width && part.height == height) return;
        const AVPixFmtDescriptor &pixels = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
        check_crop(part, width, height, 1u << pixels.log2_chroma_w, 1u << pixels.log2_chroma_h,
                   decoder_->name() + " (" + pixels.name + ")");
        frame.crop_left = part.x;
        frame.crop_right = width - part.width - part.x;
        frame.crop_top = part.y;
        frame.crop_bottom = height - part.height - part.y;
        if (av_frame_apply_cropping(&frame, AV_FRAME_CROP_UNALIGNED) < 0)
            throw invalid("--crop " + to_string(part) + " cannot be applied to the pictures of " + decoder_->name());
        facts_.is_cropped = true;
    }

    // Decodes a frame into frame_, through the deinterlacer if there is one.
    void read_ahead() {
        has_frame_ = deinterlacer_ ? deinterlacer_->next(frame_.get()) : decode(frame_.get());
        if (!has_frame_) return;
        const std::int64_t stamp = frame_->best_effort_timestamp;
        time_ = clock_.next(stamp == AV_NOPTS_VALUE
                                ? std::nullopt
                                : std::optional(av_rescale_q(stamp, decoder_->stream().time_base, kNanoseconds)));
    }

    // Why frames cannot stay on a device; empty: they can.
    std::string reason_to_fetch(const DecodingDevice &device) const {
        std::error_code error;
        if (facts_.hwaccel != (device.kind == "host" ? "" : device.kind)) return "is not decoded on " + device.kind;
        if (!system::fs::is_regular_file(request_.path, error)) return "is a pipe, which can be read once only";
        if (request_.drop_film_grain && facts_.codec == "av1") return "is decoded without its film grain";
        const bool is_known =
            device.kind == "host" || facts_.chroma == PixelFormat::yuv420p || facts_.chroma == PixelFormat::yuv444p;
        if (!is_known) return "has pixel format " + facts_.pixel_format;
        return reason_to_compute();
    }

    // The same for software-decoded frames.
    std::string reason_to_copy() const {
        if (!facts_.hwaccel.empty()) return "is decoded on " + facts_.hwaccel;
        if (!decoder_->can_decode_into()) return "is decoded by " + facts_.decoder + ", which has memory of its own";
        const AVPixFmtDescriptor *const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame_->format));
        bool is_known = !(format->flags & AV_PIX_FMT_FLAG_BE);
        for (int c = 1; c < format->nb_components && c < 3; c++) // kernels treat all alike
            is_known = is_known && format->comp[c].depth == format->comp[0].depth &&
                       format->comp[c].shift == format->comp[0].shift;
        if (!is_known) return "has pixel format " + facts_.pixel_format;
        return reason_to_compute();
    }

    // Why samples must be computed on the host; empty: moving them suffices.
    std::string reason_to_compute() const {
        const PictureFormat &picture = output_.picture;
        if (request_.deinterlace) return "is deinterlaced";
        if (facts_.is_cropped) return "is cropped";
        if (facts_.rotation || facts_.is_mirrored) return "is rotated or mirrored";
        if (!facts_.is_planar || facts_.is_rgb) return "has pixel format " + facts_.pixel_format;
        if (picture.width != facts_.width || picture.height != facts_.height) return "is scaled";
        if (picture.pixel_format != facts_.chroma) return "is converted to " + to_string(picture.pixel_format);
        return "";
    }

    void find_facts() {
        const AVFrame &f = *frame_;
        const AVStream &stream = decoder_->stream();
        const AVFormatContext &container = decoder_->container().format();
        facts_.container = container.iformat->name;
        facts_.codec = avcodec_get_name(stream.codecpar->codec_id);
        facts_.decoder = decoder_->codec().name;
        facts_.hwaccel = decoder_->is_trial() ? "cuda" : decoder_->device();
        if (facts_.remark.empty()) facts_.remark = decoder_->remark();
        facts_.video_streams = decoder_->container().video_streams();
        facts_.video_stream = decoder_->container().video_stream();

        const PixelLayout layout = pixel_layout(static_cast<AVPixelFormat>(f.format), decoder_->name());
        facts_.pixel_format = av_get_pix_fmt_name(static_cast<AVPixelFormat>(f.format));
        facts_.chroma = layout.chroma;
        facts_.bits = layout.bits;
        if (!decoder_->device().empty() && !layout.is_rgb)
            facts_.bits = bits_of_samples(static_cast<AVPixelFormat>(f.format), decoder_->processors_format());
        facts_.is_planar = layout.is_planar;
        facts_.is_rgb = layout.is_rgb;
        facts_.has_alpha = layout.has_alpha;
        find_orientation(display_matrix(stream), facts_);
        if (facts_.is_cropped && (facts_.rotation || facts_.is_mirrored))
            throw invalid("--crop cannot be used for " + decoder_->name() +
                          ", whose file rotates or mirrors its pictures; cut it first");
        const bool is_quarter_turn = facts_.rotation % 180 != 0;
        if (is_quarter_turn && layout.chroma == PixelFormat::yuv422p) { // would become 4:4:0
            facts_.chroma = PixelFormat::yuv444p;
            facts_.is_planar = false;
        }
        facts_.width = static_cast<unsigned>(is_quarter_turn ? f.height : f.width);
        facts_.height = static_cast<unsigned>(is_quarter_turn ? f.width : f.height);

        const int range = number_of(f.color_range);
        facts_.range = layout.is_full || range == AVCOL_RANGE_JPEG ? SampleRange::full
                       : range == AVCOL_RANGE_MPEG                 ? SampleRange::limited
                                                                   : SampleRange::unknown;
        facts_.matrix = tag(av_color_space_name, f.colorspace, AVCOL_SPC_NB);
        facts_.primaries = tag(av_color_primaries_name, f.color_primaries, AVCOL_PRI_NB);
        facts_.transfer = tag(av_color_transfer_name, f.color_trc, AVCOL_TRC_NB);
        const AVRational aspect = av_guess_sample_aspect_ratio(const_cast<AVFormatContext *>(&container),
                                                               const_cast<AVStream *>(&stream), frame_.get());
        facts_.has_sample_aspect = aspect.num > 0 && aspect.den > 0;
        if (facts_.has_sample_aspect) facts_.sample_aspect = fraction(is_quarter_turn ? av_inv_q(aspect) : aspect);
        facts_.is_interlaced = deinterlacer_ ? deinterlacer_->was_interlaced() : is_interlaced(f);
        facts_.has_film_grain = av_frame_get_side_data(&f, AV_FRAME_DATA_FILM_GRAIN_PARAMS) != nullptr;
        if (!facts_.container.ends_with("_pipe") && facts_.container != "image2") { // images: their demuxers invent one
            facts_.average_rate = fraction(stream.avg_frame_rate);
            facts_.base_rate = fraction(stream.r_frame_rate);
        }
        facts_.start = time_;
        if (stream.nb_frames > 0) facts_.frames = static_cast<std::uint64_t>(stream.nb_frames);
        if (stream.duration > 0)
            facts_.seconds = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
        else if (container.duration > 0)
            facts_.seconds = static_cast<double>(container.duration) / AV_TIME_BASE;
    }

    VideoRequest request_;
    std::unique_ptr<Decoder> decoder_;
    std::unique_ptr<Deinterlacer> deinterlacer_;
    Frame frame_ = new_frame();
    VideoFacts facts_;
    VideoOutput output_;
    std::unique_ptr<PictureMaker> maker_;
    std::int64_t time_ = 0;
    FrameClock clock_;
    std::uint64_t decoded_frames_ = 0;
    FrameKind first_;
    bool has_frame_ = false, is_first_ = true;
};

std::unique_ptr<VideoFile> open(const VideoRequest &request) { return std::make_unique<LibavFile>(request); }

} // namespace

} // namespace vmaf::libav

extern "C" __attribute__((visibility("default"))) const vmaf::VideoModule vmaf_video_module;
const vmaf::VideoModule vmaf_video_module = {
    vmaf::kVideoInterface,
    LIBAVFORMAT_IDENT " " LIBAVCODEC_IDENT " " LIBAVFILTER_IDENT " " LIBSWSCALE_IDENT,
    vmaf::libav::open,
    vmaf::libav::release_idle_decoders,
};
