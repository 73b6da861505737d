// Two video files as pairs of frames: decoded, prepared, paired by time, and checked for signs that they do not
// match.
#pragma once

#include <cerrno>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/alignment.hpp"
#include "io/byte_source.hpp"
#include "io/frame_pairs.hpp"
#include "io/kept_clips.hpp"
#include "io/pairing.hpp"
#include "io/pairs_report.hpp"
#include "io/preparation.hpp"
#include "io/video_clip.hpp"
#include "io/video_file.hpp"
#include "picture/pool.hpp"

namespace vmaf {

// Error code: the clips can be read, but comparing them would be meaningless.
inline constexpr int kMismatch = EDOM;

enum class Align {
    check, // compares frames as they are; a clear offset is a mismatch
    none,  // a clear offset is a warning
    find,  // finds and corrects an offset before scoring
    fixed, // corrects a given offset
};

struct VideoPairsRequest {
    VideoRequest reference, distorted;
    PreparationRequest preparation;
    Align align = Align::check;
    int offset_frames = 0; // fixed: the distorted clip's delay in reference frames
    MissingFrames missing = MissingFrames::skip;
    bool is_by_index = false;         // pair frames by number
    bool is_mismatch_warning = false; // otherwise an error
    bool finds_bars = false;          // removes black bars that only one clip has
    std::shared_ptr<KeptClips> kept;  // references of earlier runs, which are not opened again; null: none
    // Messages as they come up: what is done, and what may be wrong.
    std::function<void(const std::string &)> say_step, say_warning;
};

class VideoPairs final : public FramePairs {
  public:
    // Opens both files. Throws Error, possibly kMismatch.
    explicit VideoPairs(const VideoPairsRequest &request);
    ~VideoPairs() override;

    const PictureFormat &format() const override { return plan_.picture; }
    double frame_rate() const override {
        const double rate = report_.distorted.average_rate.value();
        return rate > 0 ? rate : report_.reference.average_rate.value();
    }
    // Of the shorter clip, if the containers state it.
    std::optional<std::uint64_t> pairs_left() const override;
    // With Align::find this decodes their first seconds.
    void skip(std::uint64_t reference, std::uint64_t distorted) override;
    void start(const PairsUse &use) override;
    std::optional<Pair> next() override;
    void finish() override;
    void check_whole() const override;

    bool reference_ended() const override { return longer_ != FramePairer::Longer::reference; }
    bool distorted_ended() const override { return longer_ != FramePairer::Longer::distorted; }
    const PairsReport *report() const override { return &report_; }

  private:
    void cut_bars();
    void open_files();
    void step(const std::string &sentence);
    void warn(const std::string &sentence);
    void mismatch(const std::string &sentence);
    void check_rates();
    void check_both_can_be_read_twice(const char *option) const;
    void find_start_offset();
    // One of the files, until its clip is started.
    struct Source {
        std::unique_ptr<VideoFile> &file;
        const char *role;
        const std::string &path;
        const VideoOutput &output;
        const VideoFacts &facts;
        std::uint64_t skip;
        std::int64_t shift;
    };
    ClipUse host_use(const PairsUse &use, const Source &source) const;
    std::unique_ptr<VideoClip> device_clip(const PairsUse &use, const Source &source);
    std::unique_ptr<VideoClip> host_clip(const PairsUse &use, const Source &source);
    std::unique_ptr<VideoClip> start_reference(const PairsUse &use);
    std::string reference_key(const PairsUse &use) const;
    std::string file_key() const;
    std::unique_ptr<VideoParts> parts_for_device(const PairsUse &use, const Source &source);
    void tell_of_host(const PairsUse &use, const Source &source, const std::string &why);
    bool pull(VideoClip &clip, std::deque<TimedFrame> &waiting, bool is_reference);
    void watch(const TimedFrame &reference, const TimedFrame &distorted);
    void judge(bool is_last);
    void judge_offset(bool is_last);
    void judge_levels();
    std::string offset_text(std::int64_t offset) const;
    std::int64_t reference_interval() const;

    VideoPairsRequest request_;
    std::vector<ByteSource> watched_files_; // open before anything is read: decoders may open a file several times
    std::string reference_version_;         // empty: a pipe
    PairsReport report_;
    Preparation plan_;
    std::uint64_t skip_reference_ = 0, skip_distorted_ = 0;
    std::unique_ptr<VideoFile> reference_file_, distorted_file_; // until start(); null: its pictures may be kept
    std::unique_ptr<KeptClips::Recording> recording_;            // of the reference, if it is to be kept
    std::unique_ptr<VideoClip> reference_, distorted_;
    std::deque<TimedFrame> waiting_reference_, waiting_distorted_;
    Picture last_distorted_;
    FramePairer pairer_;
    std::optional<FramePairer::Longer> longer_;

    AlignmentWatch watch_;
    LevelFit levels_;
    std::uint64_t next_judgement_;
    std::uint64_t good_until_ = 0; // pairs when the last check found nothing
    bool has_told_offset_ = false, has_told_levels_ = false, has_told_content_ = false, has_told_steps_ = false;
    std::optional<LumaSignature> before_reference_, before_distorted_;
};

bool can_be_read_twice(const std::string &path); // a file, not a pipe or device
// Throws Error if it cannot. `option`: what reads it twice.
void check_can_be_read_twice(const std::string &path, const char *option);

} // namespace vmaf
