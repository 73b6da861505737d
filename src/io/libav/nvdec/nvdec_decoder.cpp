#include "io/libav/nvdec/nvdec_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <mutex>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "io/libav/nvdec/cuvid.hpp"
#include "io/libav/nvdec/primary_context.hpp"

extern "C" {
#include <libavcodec/bsf.h>
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

namespace {

using namespace nvdec;

constexpr unsigned kDisplayDelay = 4; // pictures decoded before waiting for one
constexpr unsigned kMoreSurfaces = 4, kMostSurfaces = 32;
constexpr unsigned kMapped = 6; // pictures in use at once
constexpr Result kOutOfMemory = 2;
constexpr std::uint8_t kFullRangeBit = 8;

using Filter = std::unique_ptr<AVBSFContext, ByAddress<av_bsf_free>>;

std::optional<Codec> codec_of(AVCodecID id) {
    switch (id) {
    case AV_CODEC_ID_H264: return Codec::h264;
    case AV_CODEC_ID_HEVC: return Codec::hevc;
    case AV_CODEC_ID_VP8: return Codec::vp8;
    case AV_CODEC_ID_VP9: return Codec::vp9;
    case AV_CODEC_ID_AV1: return Codec::av1;
    default: return std::nullopt;
    }
}

// A decoder for one geometry.
struct OpenDecoder {
    std::shared_ptr<const Library> library;
    void *context = nullptr;
    DecoderHandle handle = nullptr;
    CreateInfo info{};

    OpenDecoder() = default;
    OpenDecoder(const OpenDecoder &) = delete;
    OpenDecoder &operator=(const OpenDecoder &) = delete;
    ~OpenDecoder() {
        if (handle) library->destroy_decoder(handle);
    }
};

// Creating a decoder takes a tenth of a second and blocks others: finished ones serve the process's next file. They
// live until the process ends, together with the context; those of other devices, whose contexts end before, do not.
class IdleDecoders {
  public:
    static IdleDecoders &of_process() {
        static auto *const idle = new IdleDecoders;
        return *idle;
    }
    // Null if there is none of this kind.
    std::unique_ptr<OpenDecoder> take(const CreateInfo &info, const void *context) {
        const std::lock_guard lock(mutex_);
        for (auto at = idle_.begin(); at != idle_.end(); ++at)
            if ((*at)->context == context && std::memcmp(&(*at)->info, &info, sizeof info) == 0) {
                std::unique_ptr<OpenDecoder> found = std::move(*at);
                idle_.erase(at);
                return found;
            }
        return nullptr;
    }
    void give(std::unique_ptr<OpenDecoder> decoder) noexcept {
        const std::lock_guard lock(mutex_);
        try {
            if (!context_) context_ = primary_context();
            if (decoder->context != context_.get()) return;
            idle_.push_back(std::move(decoder));
            if (idle_.size() > kMost) idle_.erase(idle_.begin());
        } catch (...) { // drop it
        }
    }
    // Returns whether there were some.
    bool clear() {
        const std::lock_guard lock(mutex_);
        const bool had_some = !idle_.empty();
        if (had_some) try {
                const CurrentContext current(context_.get());
                idle_.clear();
            } catch (const Error &) { // the device is lost
                idle_.clear();
            }
        context_.reset();
        return had_some;
    }

  private:
    static constexpr std::size_t kMost = 16;
    std::mutex mutex_;
    std::shared_ptr<void> context_;
    std::vector<std::unique_ptr<OpenDecoder>> idle_;
};

class NvdecPartDecoder final : public PartDecoder {
  public:
    NvdecPartDecoder(std::shared_ptr<PartSource> source, const DecodingDevice &device, void *stream,
                     const FrameKind &kind, Codec codec)
        : source_(std::move(source)), device_(device), stream_(stream), kind_(kind), codec_(codec),
          library_(Library::load()), expected_(source_) {}
    ~NvdecPartDecoder() override {
        if (parser_) library_->destroy_parser(parser_);
    }
    NvdecPartDecoder(const NvdecPartDecoder &) = delete;
    NvdecPartDecoder &operator=(const NvdecPartDecoder &) = delete;

    void decode(const Take &take) override {
        take_ = &take;
        while (!is_stopped_) {
            std::optional<Part> part = source_->take();
            if (!part) break;
            if (part->is_rest) {
                finish();
                if (is_stopped_) return;
                others_ = make_libav_decoder(source_, device_, stream_, kind_, std::move(part));
                others_->decode(take);
                return;
            }
            expected_.add(*part);
            for (Packet &packet : part->packets) {
                send(packet.get());
                if (is_stopped_) return;
            }
        }
        finish();
    }

    std::uint64_t position() const override { return others_ ? others_->position() : expected_.position(); }

  private:
    void start() {
        const AVCodecParameters &stream = source_->container()->parameters();
        // Converts length prefixes to start codes.
        const char *const filter = codec_ == Codec::h264   ? "h264_mp4toannexb"
                                   : codec_ == Codec::hevc ? "hevc_mp4toannexb"
                                                           : nullptr;
        if (filter && stream.extradata_size > 0 && stream.extradata[0] == 1) {
            const AVBitStreamFilter *const found = av_bsf_get_by_name(filter);
            AVBSFContext *context = nullptr;
            if (!found || av_bsf_alloc(found, &context) < 0)
                throw invalid(std::string("FFmpeg has no filter ") + filter);
            filter_.reset(context);
            if (avcodec_parameters_copy(context->par_in, &stream) < 0) throw std::bad_alloc();
            context->time_base_in = source_->container()->stream().time_base;
            if (const int code = av_bsf_init(context); code < 0) throw damaged(reason(code));
        }
        if (codec_ == Codec::av1 && stream.extradata_size > 4) { // after the record's four bytes: the sequence header
            const std::size_t bytes =
                std::min<std::size_t>(static_cast<std::size_t>(stream.extradata_size) - 4, extension_.header.size());
            std::memcpy(extension_.header.data(), stream.extradata + 4, bytes);
            extension_.format.header_bytes = static_cast<unsigned>(bytes);
        }
        ParserParameters parameters{};
        parameters.codec = codec_;
        parameters.max_decode_surfaces = 1; // on_sequence() sets the number
        parameters.max_display_delay = kDisplayDelay;
        parameters.user = this;
        parameters.on_sequence = [](void *self, Format *format) {
            return static_cast<NvdecPartDecoder *>(self)->guarded(
                [&](NvdecPartDecoder &d) { return d.on_sequence(*format); });
        };
        parameters.on_decode = [](void *self, PictureParameters *picture) {
            return static_cast<NvdecPartDecoder *>(self)->guarded(
                [&](NvdecPartDecoder &d) { return d.on_decode(picture); });
        };
        parameters.on_display = [](void *self, DisplayInfo *info) {
            return static_cast<NvdecPartDecoder *>(self)->guarded(
                [&](NvdecPartDecoder &d) { return info ? d.on_display(*info) : 1; });
        };
        if (extension_.format.header_bytes) parameters.extension = &extension_;
        check(library_->create_parser(&parser_, &parameters), "cuvidCreateVideoParser");
    }

    // Exceptions must not pass through C. 0 tells the parser to stop.
    template <class Action> int guarded(Action action) noexcept {
        if (failure_) return 0;
        try {
            return action(*this);
        } catch (...) {
            failure_ = std::current_exception();
            return 0;
        }
    }

    // Without a packet: what remains in the filter.
    void send(AVPacket *packet) {
        if (!parser_) start();
        if (!filter_) {
            if (packet) parse(*packet);
            return;
        }
        if (const int code = av_bsf_send_packet(filter_.get(), packet); code < 0) throw damaged(reason(code));
        for (;;) {
            const int code = av_bsf_receive_packet(filter_.get(), filtered_.get());
            if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
            if (code < 0) throw damaged(reason(code));
            parse(*filtered_);
            av_packet_unref(filtered_.get());
        }
    }
    void parse(const AVPacket &packet) {
        SourcePacket data{};
        data.flags = SourcePacket::kHasTimestamp;
        data.bytes = static_cast<unsigned long>(packet.size);
        data.data = packet.data;
        data.timestamp = packet.pts;
        parse(data);
    }
    void parse(SourcePacket &data) {
        const Result result = library_->parse(parser_, &data);
        if (failure_) std::rethrow_exception(failure_);
        if (!is_stopped_) check(result, "cuvidParseVideoData");
    }
    // Frames that remain in the parser.
    void finish() {
        if (!parser_) return;
        if (filter_) send(nullptr);
        SourcePacket end{};
        end.flags = SourcePacket::kEndOfStream;
        parse(end);
        if (!is_stopped_) expected_.check_end();
    }

    // Whether pictures are like the first of the file.
    void check_kind(const Format &format) const {
        FrameKind other = kind_;
        other.width = format.display_area.right - format.display_area.left;
        other.height = format.display_area.bottom - format.display_area.top;
        if (open_ && ((format.signal ^ format_.signal) & kFullRangeBit))
            other.range = format.signal & kFullRangeBit ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        const bool is_wide = format.luma_bits_above_8 > 0, is_444 = format.chroma == Chroma::yuv444;
        const AVPixFmtDescriptor &known = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(kind_.format));
        const bool is_other = (known.log2_chroma_w == 0) != is_444 || (known.comp[0].depth > 8) != is_wide ||
                              (open_ && format_.luma_bits_above_8 != format.luma_bits_above_8);
        if (is_other)
            other.format = is_444 ? (is_wide ? AV_PIX_FMT_YUV444P16 : AV_PIX_FMT_YUV444P)
                                  : (is_wide ? AV_PIX_FMT_P016 : AV_PIX_FMT_NV12);
        if (is_other && other.format == kind_.format) throw damaged("its depth changes");
        kind_.check(other, position(), source_->container()->name());
    }

    int on_sequence(const Format &format) {
        check_kind(format);
        CreateInfo info;
        std::memset(&info, 0, sizeof info); // it is compared byte by byte
        info.width = info.target_width = format.coded_width;
        info.height = info.target_height = format.coded_height;
        info.decode_surfaces = std::min(format.min_decode_surfaces + kMoreSurfaces, kMostSurfaces);
        info.codec = format.codec;
        info.chroma = format.chroma;
        info.bits_above_8 = format.luma_bits_above_8;
        const bool is_wide = format.luma_bits_above_8 > 0;
        info.layout = format.chroma == Chroma::yuv444 ? (is_wide ? Layout::yuv444_16 : Layout::yuv444)
                                                      : (is_wide ? Layout::p016 : Layout::nv12);
        info.output_surfaces = kMapped;
        format_ = format;
        if (!open_ || std::memcmp(&open_->info, &info, sizeof info) != 0) open(info);
        return static_cast<int>(info.decode_surfaces);
    }

    void open(const CreateInfo &info) {
        open_.reset();
        std::unique_ptr<OpenDecoder> decoder = IdleDecoders::of_process().take(info, device_.context);
        if (!decoder) {
            Capabilities can{};
            can.codec = info.codec;
            can.chroma = info.chroma;
            can.bits_above_8 = static_cast<unsigned>(info.bits_above_8);
            check(library_->capabilities(&can), "cuvidGetDecoderCaps");
            if (!can.is_supported || info.width > can.max_width || info.height > can.max_height ||
                (info.chroma != Chroma::yuv420 && info.chroma != Chroma::yuv444))
                throw invalid(source_->container()->name() +
                              " cannot be decoded on cuda: the device's decoder does not take pictures of this size, "
                              "depth or chroma format");
            decoder = std::make_unique<OpenDecoder>();
            decoder->library = library_;
            decoder->context = device_.context;
            decoder->info = info;
            CreateInfo asked = info; // the library may write to it
            Result result = library_->create_decoder(&decoder->handle, &asked);
            if (result == kOutOfMemory && IdleDecoders::of_process().clear()) {
                asked = info;
                result = library_->create_decoder(&decoder->handle, &asked);
            }
            check(result, "cuvidCreateDecoder");
        }
        // Returned when the last of its pictures is released.
        open_ = {decoder.release(),
                 [](OpenDecoder *done) { IdleDecoders::of_process().give(std::unique_ptr<OpenDecoder>(done)); }};
    }

    int on_decode(PictureParameters *picture) {
        if (!open_) throw damaged("pictures precede the headers that describe them");
        check(library_->decode(open_->handle, picture), "cuvidDecodePicture");
        return 1;
    }

    int on_display(const DisplayInfo &info) {
        if (is_stopped_) return 0;
        MapParameters how{};
        how.is_progressive = 1; // keeps lines in place
        how.is_top_first = info.is_top_first;
        how.stream = stream_;
        unsigned long long at = 0;
        unsigned pitch = 0;
        check(library_->map(open_->handle, info.picture, &at, &pitch, &how), "cuvidMapVideoFrame");
        std::shared_ptr<void> hold(reinterpret_cast<void *>(at), [decoder = open_](void *mapped) {
            decoder->library->unmap(decoder->handle, reinterpret_cast<unsigned long long>(mapped));
        });
        Status status{}; // not available for every codec
        const bool is_known = library_->status(open_->handle, info.picture, &status) == 0;
        if (is_known && (status.status == Status::kError || status.status == Status::kConcealed))
            throw invalid("frame " + std::to_string(position()) + " of " + source_->container()->name() +
                          " is damaged; the file or its transfer is");
        Frame frame{
            .number = expected_.arrived(info.timestamp), .stamp = expected_.nanoseconds(info.timestamp), .surface = {}};
        frame.surface.components = components(static_cast<const std::byte *>(hold.get()), pitch);
        frame.surface.hold = std::move(hold);
        is_stopped_ = !(*take_)(std::move(frame));
        return is_stopped_ ? 0 : 1;
    }

    std::array<ComponentView, 3> components(const std::byte *first, unsigned pitch) const {
        const Format &format = format_;
        const bool is_444 = format.chroma == Chroma::yuv444, is_wide = format.luma_bits_above_8 > 0;
        const std::ptrdiff_t sample = is_wide ? 2 : 1;
        const std::ptrdiff_t plane_bytes = std::ptrdiff_t{pitch} * round_up(format.coded_height, 2u);
        std::array<ComponentView, 3> list;
        for (std::ptrdiff_t c = 0; c < 3; c++) {
            ComponentView &view = list[static_cast<std::size_t>(c)];
            const bool is_woven = c > 0 && !is_444; // chroma: both components in one plane
            const int across = is_woven ? 1 : 0;
            view.across = is_woven ? 2 * sample : sample;
            view.down = pitch;
            view.first = first + (is_woven ? 1 : c) * plane_bytes + (is_woven && c == 2 ? sample : 0) +
                         (format.display_area.top >> across) * view.down +
                         (format.display_area.left >> across) * view.across;
            view.bits = 8u + format.luma_bits_above_8;
            view.is_wide = is_wide;
            view.shift = is_wide ? 16 - view.bits : 0;
        }
        return list;
    }

    Error damaged(const std::string &how) const { return source_->container()->damaged(position(), how); }
    void check(Result result, const char *call) const {
        if (result == 0) return;
        const std::string name = source_->container()->name();
        if (result == kOutOfMemory)
            throw Error(ENOMEM, name + " cannot be decoded on cuda: the device has too little memory: " + call +
                                    " failed with " + describe(result));
        throw Error(EIO, "frame " + std::to_string(position()) + " of " + name + " cannot be decoded on cuda: " + call +
                             " failed with " + describe(result));
    }

    std::shared_ptr<PartSource> source_;
    DecodingDevice device_;
    void *stream_;
    FrameKind kind_;
    Codec codec_;
    std::shared_ptr<const Library> library_;
    ExpectedFrames expected_;
    struct {
        Format format{};
        std::array<unsigned char, 1024> header{};
    } extension_;
    Filter filter_;
    Packet filtered_ = new_packet();
    ParserHandle parser_ = nullptr;
    Format format_{}; // of the sequence
    std::shared_ptr<OpenDecoder> open_;
    const Take *take_ = nullptr;
    std::exception_ptr failure_;
    bool is_stopped_ = false;
    std::unique_ptr<PartDecoder> others_; // of the rest
};

// Profiles of H.264 with lossless coding, which the decoder does not have, nor asks for.
bool may_be_lossless(const AVCodecParameters &stream) {
    constexpr int kHigh444Predictive = 244, kCavlc444 = 44, kOfProfile = 0xff; // flags are above
    const int profile = stream.profile < 0 ? stream.profile : stream.profile & kOfProfile;
    return stream.codec_id == AV_CODEC_ID_H264 && (profile == kHigh444Predictive || profile == kCavlc444);
}

} // namespace

NvdecAnswer nvdec_answer(const AVCodecParameters &stream) try {
    if (may_be_lossless(stream)) return NvdecAnswer::no;
    const auto codec = codec_of(stream.codec_id);
    const AVPixFmtDescriptor *const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.format));
    if (!codec || !format || format->nb_components != 3 || (format->flags & AV_PIX_FMT_FLAG_RGB))
        return NvdecAnswer::unknown;
    const bool is_420 = format->log2_chroma_w == 1 && format->log2_chroma_h == 1;
    const bool is_444 = format->log2_chroma_w == 0 && format->log2_chroma_h == 0;
    if (!is_420 && !is_444) return NvdecAnswer::unknown;
    const auto library = Library::load();
    const std::shared_ptr<void> context = primary_context();
    const CurrentContext current(context.get());
    Capabilities can{};
    can.codec = *codec;
    can.chroma = is_420 ? Chroma::yuv420 : Chroma::yuv444;
    can.bits_above_8 = static_cast<unsigned>(format->comp[0].depth - 8);
    if (library->capabilities(&can) != 0) return NvdecAnswer::unknown;
    const bool fits = can.is_supported && stream.width >= can.min_width && stream.height >= can.min_height &&
                      static_cast<unsigned>(stream.width) <= can.max_width &&
                      static_cast<unsigned>(stream.height) <= can.max_height;
    return fits ? NvdecAnswer::yes : NvdecAnswer::no;
} catch (const Error &) {
    return NvdecAnswer::unknown;
}

void release_idle_decoders() { IdleDecoders::of_process().clear(); }

std::unique_ptr<PartDecoder> make_nvdec_decoder(std::shared_ptr<PartSource> source, const DecodingDevice &device,
                                                void *stream, const FrameKind &kind) {
    const auto codec = codec_of(source->container()->parameters().codec_id);
    if (!codec) return make_libav_decoder(std::move(source), device, stream, kind);
    return std::make_unique<NvdecPartDecoder>(std::move(source), device, stream, kind, *codec);
}

} // namespace vmaf::libav
