#include "io/host_parts.hpp"

#include <utility>

#include "base/error.hpp"

namespace vmaf {

namespace {

DeviceSurface surface_of(Picture made) {
    const auto picture = std::make_shared<Picture>(std::move(made));
    const PictureFormat &format = picture->format();
    DeviceSurface surface;
    for (unsigned p = 0; p < format.planes() && picture->data(p); p++) {
        const std::size_t sample = format.bytes_per_sample(), width = format.plane_width(p);
        const std::ptrdiff_t pitch = picture->stride_bytes(p);
        surface.components[p] = {.first = picture->data(p),
                                 .across = static_cast<std::ptrdiff_t>(sample),
                                 .down = pitch,
                                 .bits = format.bits,
                                 .is_wide = sample > 1};
        surface.on_host[p] = {.first = picture->data(p),
                              .pitch = static_cast<std::size_t>(pitch),
                              .row_bytes = width * sample,
                              .rows = format.plane_height(p)};
    }
    surface.hold = picture;
    return surface;
}

class HostDecoder final : public PartDecoder {
  public:
    HostDecoder(std::shared_ptr<VideoFile> file, const ClipUse &use)
        : file_(std::move(file)), pool_(use.picture, 0, use.memory), skip_(use.skip) {}

    void decode(const Take &take) override {
        while (const auto time = file_->next()) {
            Frame frame{.number = number_, .stamp = time, .surface = {}};
            if (number_ >= skip_) {
                Picture picture = pool_.fetch_or_add();
                file_->store(picture);
                frame.surface = surface_of(std::move(picture));
            }
            number_++;
            if (!take(std::move(frame))) return;
        }
    }
    std::uint64_t position() const override { return number_; }

  private:
    std::shared_ptr<VideoFile> file_;
    PicturePool pool_;
    const std::uint64_t skip_;
    std::uint64_t number_ = 0; // of the next frame
};

class HostParts final : public VideoParts {
  public:
    HostParts(std::unique_ptr<VideoFile> file, const ClipUse &use)
        : name_(use.name), file_(std::move(file)), decoder_(std::make_unique<HostDecoder>(file_, use)) {}

    std::unique_ptr<PartDecoder> make_decoder(void *) override {
        if (!decoder_) throw invalid(name_ + " is decoded in one piece");
        return std::move(decoder_);
    }
    bool has_many() const override { return false; }
    std::string remark() const override { return ""; }
    void cancel() noexcept override { file_->cancel(); }

  private:
    const std::string name_;
    std::shared_ptr<VideoFile> file_;
    std::unique_ptr<HostDecoder> decoder_; // until it is taken
};

} // namespace

std::unique_ptr<VideoParts> make_host_parts(std::unique_ptr<VideoFile> file, const ClipUse &use) {
    return std::make_unique<HostParts>(std::move(file), use);
}

} // namespace vmaf
