#include "io/video_clip.hpp"

#include "io/ahead.hpp"

namespace vmaf {

namespace {

class HostClip final : public VideoClip {
  public:
    HostClip(std::unique_ptr<VideoFile> file, const ClipUse &use)
        : file_(std::move(file)), pool_(use.picture, 0, use.memory), skip_(use.skip), times_(use.times),
          ahead_({use.name,
                  [this] {
                      return [this](Frames::Lock &lock) {
                          lock.unlock(); // one thread
                          return make();
                      };
                  },
                  [this] { file_->cancel(); }},
                 use.ahead, 1) {}

    std::optional<TimedFrame> next() override { return ahead_.next(); }

  private:
    using Frames = Ahead<std::optional<TimedFrame>>;

    std::optional<TimedFrame> make() {
        for (; skip_ > 0; skip_--)
            if (!file_->next()) return std::nullopt;
        const auto time = file_->next();
        if (!time) return std::nullopt;
        TimedFrame frame{pool_.fetch_or_add(), times_.next(*time), {}};
        file_->store(frame.picture);
        frame.signature = luma_signature(frame.picture);
        return frame;
    }

    std::unique_ptr<VideoFile> file_;
    PicturePool pool_;
    std::uint64_t skip_;
    ClipTimes times_;
    Frames ahead_; // last: uses everything above
};

} // namespace

std::unique_ptr<VideoClip> make_host_clip(std::unique_ptr<VideoFile> file, const ClipUse &use) {
    return std::make_unique<HostClip>(std::move(file), use);
}

} // namespace vmaf
