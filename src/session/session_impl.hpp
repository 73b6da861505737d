// The parts of a Session. session_registration.cpp registers metrics, session_frames.cpp processes frames, session.cpp
// has scores and public calls.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "session/callback_scope.hpp"
#include "session/frame_queue.hpp"
#include "session/metric_set.hpp"
#include "session/picture_history.hpp"
#include "session/predictions.hpp"
#include "session/session.hpp"
#include "session/session_device.hpp"

namespace vmaf {

class Session::Impl final : public FrameWork {
  public:
    explicit Impl(const SessionConfig &config);
    ~Impl() override;

    using Handler = std::function<void(const std::string &name, unsigned index, double value)>;

    // Registration
    void use_device(const DeviceChoice &choice);
    void start_wished_device();
    std::unique_ptr<MetricUse> make_use(const MetricInfo &info, const OptionTexts &options, bool pinned) const;
    void add(MetricSet::Uses uses);
    void use_local_scores(LocalConfig config);
    void prepare(const PictureFormat &format);
    bool is_on_device(const MetricUse &use) const { return device.place_of(use).has_value(); }

    // Frames
    void read(const PicturePair &pair, unsigned index);
    // Waits until all frames read so far are measured and emitted, but not for frames that another thread adds in the
    // meantime. A handler that queries scores is part of a frame in progress and does not wait.
    void drain();
    void wait();
    void flush();

    // Scores
    void import_score(std::string_view name, unsigned index, double value);
    void tell(const Handler &handler, const std::string &name, unsigned index, double value) noexcept;
    bool is_inside_handler() const { return CallbackScope::is_inside(this); }
    unsigned step() const { return std::max(1u, config.subsample); }

    const SessionConfig config;
    const Isa isa;
    ScoreCollector scores;
    Predictions predictions{scores};
    MetricSet metrics;
    std::unique_ptr<LocalScores> local;
    unsigned pictures_offered = 0, width = 0, height = 0;
    bool flushed = false;

  private:
    void refuse_inside_handler() const;
    // read() does all the work and reports its own frame's errors.
    bool is_synchronous() const;
    void check_format_is_kept(const PictureFormat &format) const;
    void check_pair(const PicturePair &pair) const;
    void check_number(const Frame &frame) const;
    PicturePair pair_on_host(const Frame &frame, const PicturePair &pair) const;
    bool check_samples(const Frame &frame, const PicturePair &pair);
    History history_on_cpu() const;
    std::uint32_t assign_scorers(Frame &frame) const;
    void start(std::unique_ptr<Frame> frame, const PicturePair &given, PicturePair on_host);

    // FrameWork
    void measure(Frame &frame, const Frame::Part &part) override;
    void measure_areas(Frame &frame) override;
    void emit(Frame &frame) override;
    void hand_out() override;

    std::optional<LocalConfig> local_config_;
    std::optional<PictureFormat> format_;
    PictureHistory history_;
    std::optional<unsigned> last_number_; // the largest
    std::uint64_t frames_given_ = 0;
    NewScores new_scores_;  // of the frame being emitted
    NewScores last_scores_; // of the flush
    FrameQueue queue_;

  public:
    SessionDevice device; // destroyed before the queue, to which its thread reports
};

} // namespace vmaf
