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
#include "session/metric_slot.hpp"

namespace vmaf {

class MetricSet {
  public:
    using Slots = std::vector<std::unique_ptr<MetricSlot>>;
    using Choice = std::function<bool(const MetricSlot &)>;

    const Slots &slots() const { return slots_; }
    // All of them, but for those that are there already, or none. `format`: of the pictures, once it is fixed; null:
    // it is not. `late`: frames have been given.
    void add(Slots slots, const PictureFormat *format, bool late);
    // Of the slots on the CPU; of each alone where they do not share.
    void form_families(const Choice &is_on_cpu, bool do_share);

    // Metrics that look at the frame. Those that came late and look back first let pictures pass by to look back at.
    void choose_slots(Frame &frame, unsigned step) const;
    void count_frame(unsigned index, unsigned step) const;
    History history_of(const Choice &chosen) const; // how far they look back

    // Frame numbers that have scores, or will have. From any thread.
    bool is_given(unsigned index) const;
    void give(unsigned index); // throws std::bad_alloc; nothing has changed then
    bool will_score(std::string_view stored_name, unsigned index) const;

  private:
    mutable std::mutex mutex_;
    Slots slots_; // changed by the thread that registers, with the mutex
    std::vector<std::unique_ptr<MetricFamily>> families_;
    FrameNumbers numbers_; // with the mutex
};

} // namespace vmaf
