#include "session/metric_set.hpp"

#include <algorithm>
#include <utility>

namespace vmaf {

void MetricSet::add(Slots slots, const PictureFormat *format, bool late) {
    Slots added;
    std::vector<MetricSlot *> pinned; // already registered, but might have run elsewhere
    for (auto &slot : slots) {
        const auto same = [&](const auto &known) { return known->identity() == slot->identity(); };
        if (const auto known = std::find_if(slots_.begin(), slots_.end(), same); known != slots_.end()) {
            if (slot->place() == MetricSlot::Place::pinned) pinned.push_back(known->get());
            continue;
        }
        if (std::any_of(added.begin(), added.end(), same)) continue;
        if (format) slot->take(slot->make_prepared(*format));
        slot->is_late = late;
        added.push_back(std::move(slot));
    }
    std::vector<std::unique_ptr<MetricFamily>> families; // late slots are measured separately
    if (format)
        for (const auto &slot : added) families.push_back(std::make_unique<MetricFamily>(*slot));
    std::lock_guard lock(mutex_);
    slots_.reserve(slots_.size() + added.size());
    families_.reserve(families_.size() + families.size());
    for (std::size_t i = 0; i < families.size(); i++) {
        added[i]->family = families[i].get();
        families_.push_back(std::move(families[i]));
    }
    for (MetricSlot *const slot : pinned) slot->pin();
    for (auto &slot : added) slots_.push_back(std::move(slot));
}

void MetricSet::form_families(const Choice &is_on_cpu, bool do_share) {
    for (const auto &slot : slots_) {
        if (!is_on_cpu(*slot)) continue;
        auto family =
            std::find_if(families_.begin(), families_.end(), [&](auto &f) { return do_share && f->takes(*slot); });
        if (family == families_.end())
            family = families_.insert(family, std::make_unique<MetricFamily>(*slot));
        else
            (*family)->add(*slot);
        slot->family = family->get();
        slot->place_in_family = slot->family->members().size() - 1;
    }
}

void MetricSet::choose_slots(Frame &frame, unsigned step) const {
    frame.slots.clear();
    for (const auto &slot : slots_) {
        const History h = slot->history();
        if (slot->is_late && slot->frames_seen < std::max(h.ref, h.dist)) continue;
        if (slot->info().every_frame || frame.index % step == 0) frame.slots.push_back(slot.get());
    }
}

void MetricSet::count_frame(unsigned index, unsigned step) const {
    for (const auto &slot : slots_)
        if (slot->info().every_frame || index % step == 0) slot->frames_seen++;
}

History MetricSet::history_of(const Choice &chosen) const {
    History wanted;
    for (const auto &slot : slots_) {
        if (!chosen(*slot)) continue;
        const History h = slot->history();
        wanted.ref = std::max(wanted.ref, h.ref);
        wanted.dist = std::max(wanted.dist, h.dist);
    }
    return wanted;
}

bool MetricSet::is_given(unsigned index) const {
    const std::lock_guard lock(mutex_);
    return numbers_.contains(index);
}

void MetricSet::give(unsigned index) {
    const std::lock_guard lock(mutex_);
    numbers_.insert(index);
}

bool MetricSet::will_score(std::string_view name, unsigned index) const {
    const std::lock_guard lock(mutex_);
    return numbers_.contains(index) &&
           std::any_of(slots_.begin(), slots_.end(), [&](const auto &slot) { return slot->provides(name); });
}

} // namespace vmaf
