// Raw and YUV4MPEG2 clips: compares frames by position, as stored.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/clip_reader.hpp"
#include "io/frame_pairs.hpp"
#include "io/pairs_report.hpp"
#include "io/read_ahead.hpp"
#include "io/video_clip.hpp"

namespace vmaf {

class PlainPairs final : public FramePairs {
  public:
    // Both clips must have one size and chroma format. The deeper of two depths is used. `steps`: what was done to the
    // clips, if there is anything to report.
    PlainPairs(std::unique_ptr<ClipReader> reference, std::unique_ptr<ClipReader> distorted,
               std::vector<std::string> steps = {});

    const PictureFormat &format() const override { return format_; }
    double frame_rate() const override {
        const double rate = distorted_.reader->frame_rate();
        return rate > 0 ? rate : reference_.reader->frame_rate();
    }
    std::optional<std::uint64_t> pairs_left() const override;
    void skip(std::uint64_t reference, std::uint64_t distorted) override;
    void check_not_empty() const override;

    void start(const PairsUse &use) override;
    unsigned pictures() const override;
    std::optional<Pair> next() override;
    void check_whole() const override {
        reference_.reader->check_whole();
        distorted_.reader->check_whole();
    }
    bool reference_ended() const override { return reference_.has_ended; }
    bool distorted_ended() const override { return distorted_.has_ended; }
    const PairsReport *report() const override { return report_.steps.empty() ? nullptr : &report_; }

  private:
    struct Clip {
        const char *role;
        std::shared_ptr<ClipReader> reader; // possibly shared with other pairs
        std::unique_ptr<ReadAhead> frames{};
        bool has_skipped = false, has_ended = false;
    };

    ReadAhead::Config reading(const PairsUse &use) const;
    std::unique_ptr<VideoClip> join_reference(const PairsUse &use);

    Clip reference_, distorted_;
    std::unique_ptr<VideoClip> shared_reference_; // instead of reference_.frames
    PictureFormat format_;
    PairsReport report_;
};

} // namespace vmaf
