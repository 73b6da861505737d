// Two video files as pairs of frames: decoded, prepared, paired by time, and watched for signs that they do not belong
// together.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/alignment.hpp"
#include "io/frame_pairs.hpp"
#include "io/pairing.hpp"
#include "io/preparation.hpp"
#include "io/producer.hpp"
#include "io/video_file.hpp"
#include "picture/pool.hpp"

namespace vmaf {

// The clips can be read, but comparing them would be meaningless.
class MismatchError : public Error {
  public:
    explicit MismatchError(const std::string &sentence) : Error(EINVAL, sentence) {}
};

enum class Align {
    check, // frames are compared as they are; a clear offset is a mismatch
    none,  // a clear offset is a warning
    find,  // an offset is found before scoring, and corrected
    fixed, // an offset is given
};

struct VideoPairsRequest {
    VideoRequest reference, distorted;
    PreparationRequest preparation;
    Align align = Align::check;
    int offset_frames = 0; // fixed: the distorted clip's delay, in frames of the reference
    MissingFrames missing = MissingFrames::skip;
    bool is_by_index = false;         // pair frames by their number
    bool is_mismatch_warning = false; // otherwise an error
    std::uint64_t skip_reference = 0, skip_distorted = 0;
    unsigned frames_ahead = 2;
    // Sentences as they come up: what is done, and what may be wrong.
    std::function<void(const std::string &)> say_step, say_warning;
};

class VideoPairs final : public FramePairs {
  public:
    // Opens both files; with Align::find also decodes their first seconds. Throws Error, MismatchError.
    explicit VideoPairs(const VideoPairsRequest &request);
    ~VideoPairs() override;

    // Before the first next(): where pictures shall lie.
    void set_memory(PictureMemory memory) { memory_ = std::move(memory); }

    std::optional<Pair> next() override;
    // After the last pair that is wanted: judges what has been seen, and sums up.
    void finish();

    bool reference_ended() const override { return longer_ != FramePairer::Longer::reference; }
    bool distorted_ended() const override { return longer_ != FramePairer::Longer::distorted; }

    // Frames of the shorter clip, where the containers say.
    std::optional<std::uint64_t> expected_pairs() const;

    const VideoFacts &reference_facts() const { return reference_facts_; }
    const VideoFacts &distorted_facts() const { return distorted_facts_; }
    const PictureFormat &picture() const { return plan_.picture; }
    const VideoPairsRequest &request() const { return request_; }
    const PairingCounts &counts() const { return pairer_.counts(); }
    std::int64_t offset() const { return offset_; }         // of the distorted clip, nanoseconds
    std::uint64_t frozen_frames() const { return frozen_; } // distorted frames that repeat the one before
    const std::vector<std::string> &steps() const { return steps_; }
    const std::vector<std::string> &warnings() const { return warnings_; }

  private:
    struct TimedFrame {
        Picture picture;
        std::int64_t time = 0;
        LumaSignature signature;
    };
    class Clip;

    void step(const std::string &sentence);
    void warn(const std::string &sentence);
    void mismatch(const std::string &sentence);
    void check_rates();
    void find_start_offset();
    void start();
    bool pull(Clip &clip, std::deque<TimedFrame> &waiting, bool is_reference);
    void watch(const TimedFrame &reference, const TimedFrame &distorted);
    void judge(bool is_last);
    void judge_offset(bool is_last);
    void judge_levels();
    std::string offset_text(std::int64_t offset) const;
    std::int64_t reference_interval() const;

    VideoPairsRequest request_;
    VideoFacts reference_facts_, distorted_facts_;
    Preparation plan_;
    std::vector<std::string> steps_, warnings_;
    std::int64_t offset_ = 0;
    PictureMemory memory_ = host_memory();
    std::unique_ptr<VideoFile> reference_file_, distorted_file_; // until start()
    std::unique_ptr<Clip> reference_, distorted_;
    std::deque<TimedFrame> waiting_reference_, waiting_distorted_;
    Picture last_distorted_;
    FramePairer pairer_;
    std::optional<FramePairer::Longer> longer_;

    AlignmentWatch watch_;
    LevelFit levels_;
    std::uint64_t next_judgement_;
    std::uint64_t good_until_ = 0; // pairs when the last judgement found nothing
    bool has_told_offset_ = false, has_told_levels_ = false, has_told_content_ = false, has_told_steps_ = false;
    std::optional<LumaSignature> before_reference_, before_distorted_;
    std::uint64_t frozen_ = 0;
};

} // namespace vmaf
