// A registered metric inside a session: the instance, its score names, and the working memory of the threads that run
// it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metrics/device_scorer.hpp"
#include "metrics/metric.hpp"
#include "scores/collector.hpp"

namespace vmaf {

class MetricSlot final : public ScoreSink {
  public:
    // Where a metric may run. `pinned`: nowhere else.
    enum class Place { cpu, device, pinned };

    MetricSlot(const MetricInfo &info, const OptionTexts &options, ScoreCollector &scores, Place place);

    const MetricInfo &info() const { return info_; }
    const std::string &identity() const { return identity_; }  // extractor name plus suffix (models.md 5.6)
    const auto &stored_names() const { return stored_names_; } // by the name that the metric gives a score
    Place place() const { return place_; }
    void set_place(Place place) { place_ = place; }
    History history() const { return metric_->history(); }
    bool reads_chroma() const { return metric_->reads_chroma(); }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const {
        return metric_->make_device_scorer(device);
    }

    bool prepared() const { return prepared_; }
    void prepare(const PictureFormat &format);

    void measure(const FrameInput &frame, FrameResult &result, Isa isa); // from any thread
    void emit(unsigned index, const FrameResult &result);                // in frame order
    void flush();                                                        // once frames were emitted
    bool emitted() const { return emitted_; }

  private:
    void score(std::string_view name, unsigned index, double value) override;
    void aggregate(std::string_view name, double value) override;

    const MetricInfo &info_;
    ScoreCollector &scores_;
    std::string identity_;
    std::unique_ptr<Metric> metric_;
    std::map<std::string, std::string, std::less<>> stored_names_; // provided name -> stored name
    Place place_;
    bool prepared_ = false;
    bool emitted_ = false;

    std::mutex scorers_mutex_;
    std::vector<std::unique_ptr<FrameScorer>> idle_scorers_;
};

} // namespace vmaf
