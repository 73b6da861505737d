// The metrics of a session, in order of registration, and the families that measure them on the CPU.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "session/frame.hpp"
#include "session/frame_numbers.hpp"
#include "session/metric_family.hpp"
#include "session/metric_use.hpp"

namespace vmaf {

class MetricSet {
  public:
    using Uses = std::vector<std::unique_ptr<MetricUse>>;
    using Choice = std::function<bool(const MetricUse &)>;

    const Uses &uses() const { return uses_; }
    // Adds all uses that are not registered yet, or none. `format`: the picture format, or null while it is open.
    // `late`: frames have been read.
    void add(Uses uses, const PictureFormat *format, bool late);
    // Groups the uses on the CPU; each alone if they do not share.
    void form_families(const Choice &is_on_cpu, bool do_share);

    // Selects the metrics for a frame. Late metrics that look back first skip frames to collect history.
    void choose_uses(Frame &frame, unsigned step) const;
    void count_frame(unsigned index, unsigned step) const;
    History history_of(const Choice &chosen) const; // how far they look back

    // Whether a frame number has scores, or will have. Thread-safe.
    bool is_given(unsigned index) const;
    void give(unsigned index); // throws std::bad_alloc without changing anything
    bool will_score(std::string_view stored_name, unsigned index) const;

  private:
    mutable std::mutex mutex_;
    Uses uses_; // the registering thread changes it under the mutex
    std::vector<std::unique_ptr<MetricFamily>> families_;
    FrameNumbers numbers_; // guarded by the mutex
};

} // namespace vmaf
