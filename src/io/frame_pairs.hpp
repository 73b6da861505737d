// Two clips as a run sees them: pairs of frames that belong together, one after the other.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "io/frame_source.hpp"

namespace vmaf {

class FramePairs {
  public:
    struct Pair {
        Picture reference, distorted;
    };

    virtual ~FramePairs() = default;
    // Nothing at the end. Throws Error.
    virtual std::optional<Pair> next() = 0;
    // After the end: the clip that had no frame left. Both may have ended.
    virtual bool reference_ended() const = 0;
    virtual bool distorted_ended() const = 0;
};

// By position alone, as YUV4MPEG2 and raw clips are compared.
class PlainPairs final : public FramePairs {
  public:
    PlainPairs(std::unique_ptr<FrameSource> reference, std::unique_ptr<FrameSource> distorted)
        : reference_(std::move(reference)), distorted_(std::move(distorted)) {}

    std::optional<Pair> next() override {
        Pair pair{reference_->next(), distorted_->next()};
        reference_ended_ = !pair.reference;
        distorted_ended_ = !pair.distorted;
        if (reference_ended_ || distorted_ended_) return std::nullopt;
        return pair;
    }
    unsigned pictures() const { return reference_->pictures() + distorted_->pictures(); }
    bool reference_ended() const override { return reference_ended_; }
    bool distorted_ended() const override { return distorted_ended_; }

  private:
    std::unique_ptr<FrameSource> reference_, distorted_;
    bool reference_ended_ = false, distorted_ended_ = false;
};

} // namespace vmaf
