#include "io/libav/part_decoder.hpp"

#include <bit>

#include "base/error.hpp"
#include "io/libav/decoder.hpp"
#include "io/libav/nvdec/nvdec_decoder.hpp"
#include "io/libav/pixel_layout.hpp"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

namespace {

BufferRef open_device(const DecodingDevice &device, void *stream) {
    if (device.kind != "cuda") return nullptr; // software
    return open_cuda_device(device.context, stream);
}

class LibavPartDecoder final : public PartDecoder {
  public:
    LibavPartDecoder(std::shared_ptr<PartSource> source, const DecodingDevice &device, void *stream,
                     const FrameKind &kind, std::optional<Part> first)
        : source_(std::move(source)), kind_(kind), expected_(source_),
          decoder_(
              source_->container(), [this](AVPacket *packet) { return feed(packet); }, open_device(device, stream)) {
        if (first) begin(std::move(*first));
    }

    void decode(const Take &take) override {
        for (;;) {
            decoder_.count_from(position());
            Holder holder(new_frame().release(), [](AVFrame *frame) { av_frame_free(&frame); });
            if (!decoder_.next_where_it_is(holder.get())) break;
            const AVFrame &frame = *holder;
            const auto *const frames =
                frame.hw_frames_ctx ? reinterpret_cast<const AVHWFramesContext *>(frame.hw_frames_ctx->data) : nullptr;
            const auto format = frames ? frames->sw_format : static_cast<AVPixelFormat>(frame.format);
            kind_.check(kind_of(frame, frames ? decoder_.processors_format() : format), position(),
                        source_->container()->name());
            const std::int64_t stamp = frame.best_effort_timestamp;
            Frame out{.number = expected_.arrived(stamp), .stamp = expected_.nanoseconds(stamp), .surface = {}};
            out.surface = surface_of(std::move(holder), format);
            if (!take(std::move(out))) return;
        }
        expected_.check_end();
    }

    std::uint64_t position() const override { return expected_.position(); }

  private:
    using Holder = std::shared_ptr<AVFrame>;

    void begin(Part part) {
        part_ = std::move(part);
        fed_ = 0;
        expected_.add(*part_);
    }

    // Passes on the packets of parts: each part starts with a picture that resets the decoder.
    bool feed(AVPacket *packet) {
        if (!part_ || (fed_ == part_->packets.size() && !part_->is_rest)) {
            std::optional<Part> next = source_->take();
            if (!next) return false;
            begin(std::move(*next));
        }
        if (fed_ == part_->packets.size()) return source_->read_rest(packet);
        av_packet_move_ref(packet, part_->packets[fed_++].get());
        return true;
    }

    DeviceSurface surface_of(Holder holder, AVPixelFormat format) const {
        DeviceSurface surface;
        const unsigned bits = bits_of_samples(format, decoder_.processors_format());
        const AVPixFmtDescriptor &description = *av_pix_fmt_desc_get(format);
        for (int c = 0; c < std::min<int>(description.nb_components, 3); c++) {
            ComponentView view = with_bits(component_view(*holder, format, c), bits);
            const int across = c ? description.log2_chroma_w : 0, down = c ? description.log2_chroma_h : 0;
            view.first += static_cast<std::ptrdiff_t>(holder->crop_top >> down) * view.down +
                          static_cast<std::ptrdiff_t>(holder->crop_left >> across) * view.across;
            surface.components[static_cast<std::size_t>(c)] = view;
        }
        surface.hold = std::move(holder);
        return surface;
    }

    std::shared_ptr<PartSource> source_;
    FrameKind kind_;
    std::optional<Part> part_;
    std::size_t fed_ = 0; // of its packets
    ExpectedFrames expected_;
    Decoder decoder_; // last: reads the above
};

class LibavParts final : public VideoParts {
  public:
    LibavParts(std::shared_ptr<Container> container, const DecodingDevice &device, const FrameKind &kind)
        : source_(std::make_shared<PartSource>(std::move(container))), device_(device), kind_(kind) {}

    std::unique_ptr<PartDecoder> make_decoder(void *stream) override {
        if (device_.kind == "cuda") return make_nvdec_decoder(source_, device_, stream, kind_);
        return make_libav_decoder(source_, device_, stream, kind_);
    }
    bool has_many() const override { return true; }
    std::string remark() const override { return source_->remark(); }
    void cancel() noexcept override { source_->container()->cancel(); }

  private:
    std::shared_ptr<PartSource> source_;
    DecodingDevice device_;
    FrameKind kind_;
};

} // namespace

FrameKind kind_of(const AVFrame &frame, int format) {
    // A damaged file can put any number into an enum, and reading that as one is undefined.
    static_assert(sizeof frame.color_range == sizeof(int));
    const bool is_cropped = frame.hw_frames_ctx != nullptr; // left and top are left to us
    return {frame.width - (is_cropped ? static_cast<int>(frame.crop_left) : 0),
            frame.height - (is_cropped ? static_cast<int>(frame.crop_top) : 0), format,
            std::bit_cast<int>(frame.color_range)};
}

void FrameKind::check(const FrameKind &other, std::uint64_t number, const std::string &name) const {
    const bool is_other_range =
        other.range != range && other.range != AVCOL_RANGE_UNSPECIFIED && range != AVCOL_RANGE_UNSPECIFIED;
    if (other.width == width && other.height == height && other.format == format && !is_other_range) return;
    throw invalid("frame " + std::to_string(number) + " of " + name + " is " + std::to_string(other.width) + "x" +
                  std::to_string(other.height) + " " + av_get_pix_fmt_name(static_cast<AVPixelFormat>(other.format)) +
                  (is_other_range
                       ? std::string(" in ") + (other.range == AVCOL_RANGE_JPEG ? "full" : "limited") + " range"
                       : "") +
                  ", other than the first; cut the file where its pictures change");
}

void ExpectedFrames::add(const Part &part) {
    if (part.is_rest) {
        rest_at_ = part.first;
        return;
    }
    std::uint64_t number = part.first;
    for (const std::int64_t stamp : part.stamps) expected_.push_back({number++, stamp});
}

std::uint64_t ExpectedFrames::arrived(std::int64_t stamp) {
    if (expected_.empty() && rest_at_) return (*rest_at_)++;
    if (expected_.empty() || expected_.front().stamp != stamp) throw lost();
    const std::uint64_t number = expected_.front().number;
    expected_.pop_front();
    return number;
}

void ExpectedFrames::check_end() const {
    if (!expected_.empty()) throw lost();
}

std::uint64_t ExpectedFrames::position() const {
    return !expected_.empty() ? expected_.front().number : rest_at_ ? *rest_at_ : source_->position();
}

std::optional<std::int64_t> ExpectedFrames::nanoseconds(std::int64_t stamp) const {
    if (stamp == AV_NOPTS_VALUE) return std::nullopt;
    return av_rescale_q(stamp, source_->container()->stream().time_base, kNanoseconds);
}

Error ExpectedFrames::lost() const {
    return invalid("frame " + std::to_string(position()) + " of " + source_->container()->name() +
                   " is missing among those that were decoded; the file is damaged, or must be decoded in one piece "
                   "(--hwaccel none)");
}

std::unique_ptr<PartDecoder> make_libav_decoder(std::shared_ptr<PartSource> source, const DecodingDevice &device,
                                                void *stream, const FrameKind &kind, std::optional<Part> first) {
    return std::make_unique<LibavPartDecoder>(std::move(source), device, stream, kind, std::move(first));
}

std::unique_ptr<VideoParts> make_parts(std::shared_ptr<Container> container, const DecodingDevice &device,
                                       const FrameKind &kind) {
    return std::make_unique<LibavParts>(std::move(container), device, kind);
}

} // namespace vmaf::libav
