// A registered metric in a session: its instance, options and score names.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "metrics/device_scorer.hpp"
#include "metrics/metric.hpp"
#include "scores/collector.hpp"

namespace vmaf {

// Scores for the collector. Their names are owned by the uses.
struct NewScores {
    std::vector<NewScore> scores;
    std::vector<NewAggregate> aggregates;

    void clear() {
        scores.clear();
        aggregates.clear();
    }
};

class MetricFamily;

class MetricUse final {
  public:
    // Where a metric may run. `pinned`: on the device only.
    enum class Place { cpu, device, pinned };

    MetricUse(const MetricInfo &info, const OptionTexts &options, Place place);

    const MetricInfo &info() const { return info_; }
    const OptionValues &options() const { return options_; }
    const Metric &metric() const { return *metric_; }
    const std::string &identity() const { return identity_; }  // extractor name plus suffix (models.md 5.6)
    const auto &stored_names() const { return stored_names_; } // keyed by the metric's name for a score
    Place place() const { return place_; }
    void pin() { place_ = Place::pinned; }
    void allow_device() { place_ = place_ == Place::cpu ? Place::device : place_; }
    History history() const { return metric_->history(); }
    PlanesRead planes_read() const { return metric_->planes_read(); }
    std::span<const std::string_view> local_names() const { return metric_->local_names(); }
    bool provides(std::string_view stored_name) const;
    bool reads_chroma() const { return ((planes_read().ref | planes_read().dist) & kChromaPlanes) != 0; }

    // Preparing all uses of a session is all or nothing: each creates a metric for the format, or throws if it cannot
    // score such pictures; then all adopt theirs, or none does.
    bool prepared() const { return prepared_; }
    std::unique_ptr<Metric> make_prepared(const PictureFormat &format) const;
    void take(std::unique_ptr<Metric> prepared) noexcept;

    void emit(unsigned index, const FrameResult &result, NewScores &scores); // in frame order
    void flush(NewScores &scores);                                           // at most once, after the last emit()
    bool emitted() const { return emitted_; }

    // Frames since the metric was registered. For the reading thread only.
    unsigned frames_seen = 0;
    bool is_late = false; // registered after frames were read

    // Its family and its index there; null if it runs on a device.
    MetricFamily *family = nullptr;
    std::size_t place_in_family = 0;

  private:
    class Sink;

    const MetricInfo &info_;
    OptionValues options_;
    std::string identity_;
    std::unique_ptr<Metric> metric_;
    std::map<std::string, std::string, std::less<>> stored_names_; // metric's name -> stored name
    std::set<std::string, std::less<>> other_names_;               // added by some options
    Place place_;
    bool prepared_ = false;
    std::atomic<bool> emitted_{false};
    bool flushed_ = false;
};

} // namespace vmaf
