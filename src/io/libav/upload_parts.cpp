#include "io/libav/upload_parts.hpp"

#include <utility>

#include "base/error.hpp"
#include "io/libav/pixel_layout.hpp"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace vmaf::libav {

namespace {

// The plane that holds a component. Rows may be upside down.
HostPlane plane_of(const AVFrame &frame, int component) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor &description = *av_pix_fmt_desc_get(format);
    const int plane = description.comp[component].plane;
    const int rows = plane ? AV_CEIL_RSHIFT(frame.height, description.log2_chroma_h) : frame.height;
    const std::ptrdiff_t pitch = frame.linesize[plane];
    const std::uint8_t *const lowest = frame.data[plane] + (pitch < 0 ? (rows - 1) * pitch : 0);
    return {.first = reinterpret_cast<const std::byte *>(lowest),
            .pitch = static_cast<std::size_t>(pitch < 0 ? -pitch : pitch),
            .row_bytes = static_cast<std::size_t>(av_image_get_linesize(format, frame.width, plane)),
            .rows = static_cast<std::size_t>(rows)};
}

class UploadDecoder final : public PartDecoder {
  public:
    UploadDecoder(std::unique_ptr<Decoder> decoder, libav::Frame first, const FrameKind &kind)
        : decoder_(std::move(decoder)), first_(std::move(first)), kind_(kind) {}

    void decode(const Take &take) override {
        for (;;) {
            const bool is_first = first_ != nullptr;
            libav::Frame next = is_first ? std::move(first_) : new_frame();
            if (!is_first && !decoder_->next(next.get())) return;
            kind_.check(kind_of(*next, next->format), number_, decoder_->name());
            std::shared_ptr<AVFrame> holder(std::move(next));
            Frame out{.number = number_++, .stamp = {}, .surface = {}};
            if (const std::int64_t stamp = holder->best_effort_timestamp; stamp != AV_NOPTS_VALUE)
                out.stamp = av_rescale_q(stamp, decoder_->stream().time_base, kNanoseconds);
            const auto format = static_cast<AVPixelFormat>(holder->format);
            const int components = std::min<int>(av_pix_fmt_desc_get(format)->nb_components, 3);
            for (int c = 0; c < components; c++) {
                out.surface.components[static_cast<std::size_t>(c)] = component_view(*holder, format, c);
                out.surface.on_host[static_cast<std::size_t>(c)] = plane_of(*holder, c);
            }
            out.surface.hold = std::move(holder);
            if (!take(std::move(out))) return;
        }
    }

    std::uint64_t position() const override { return number_; }

  private:
    std::unique_ptr<Decoder> decoder_;
    libav::Frame first_;
    FrameKind kind_;
    std::uint64_t number_ = 0; // of the next frame
};

class UploadParts final : public VideoParts {
  public:
    UploadParts(std::unique_ptr<Decoder> decoder, Frame first, const FrameKind &kind)
        : container_(decoder->shared_container()),
          decoder_(std::make_unique<UploadDecoder>(std::move(decoder), std::move(first), kind)) {}

    std::unique_ptr<PartDecoder> make_decoder(void *) override {
        if (!decoder_) throw invalid(container_->name() + " is decoded in one piece");
        return std::move(decoder_);
    }
    bool has_many() const override { return false; }
    std::string remark() const override { return ""; }
    void cancel() noexcept override { container_->cancel(); }

  private:
    std::shared_ptr<Container> container_;
    std::unique_ptr<UploadDecoder> decoder_;
};

} // namespace

std::unique_ptr<VideoParts> make_upload_parts(std::unique_ptr<Decoder> decoder, Frame first, const FrameKind &kind) {
    return std::make_unique<UploadParts>(std::move(decoder), std::move(first), kind);
}

} // namespace vmaf::libav
