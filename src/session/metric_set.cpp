#include "session/metric_set.hpp"

#include <algorithm>
#include <utility>

namespace vmaf {

void MetricSet::add(Uses uses, const PictureFormat *format, bool late) {
    Uses added;
    std::vector<MetricUse *> pinned; // already registered, but might have run elsewhere
    for (auto &use : uses) {
        const auto same = [&](const auto &known) { return known->identity() == use->identity(); };
        if (const auto known = std::find_if(uses_.begin(), uses_.end(), same); known != uses_.end()) {
            if (use->place() == MetricUse::Place::pinned) pinned.push_back(known->get());
            continue;
        }
        if (std::any_of(added.begin(), added.end(), same)) continue;
        if (format) use->take(use->make_prepared(*format));
        use->is_late = late;
        added.push_back(std::move(use));
    }
    std::vector<std::unique_ptr<MetricFamily>> families; // late uses are measured separately
    if (format)
        for (const auto &use : added) families.push_back(std::make_unique<MetricFamily>(*use));
    std::lock_guard lock(mutex_);
    uses_.reserve(uses_.size() + added.size());
    families_.reserve(families_.size() + families.size());
    for (std::size_t i = 0; i < families.size(); i++) {
        added[i]->family = families[i].get();
        families_.push_back(std::move(families[i]));
    }
    for (MetricUse *const use : pinned) use->pin();
    for (auto &use : added) uses_.push_back(std::move(use));
}

void MetricSet::form_families(const Choice &is_on_cpu, bool do_share) {
    for (const auto &use : uses_) {
        if (!is_on_cpu(*use)) continue;
        auto family =
            std::find_if(families_.begin(), families_.end(), [&](auto &f) { return do_share && f->takes(*use); });
        if (family == families_.end())
            family = families_.insert(family, std::make_unique<MetricFamily>(*use));
        else
            (*family)->add(*use);
        use->family = family->get();
        use->place_in_family = use->family->members().size() - 1;
    }
}

void MetricSet::choose_uses(Frame &frame, unsigned step) const {
    frame.uses.clear();
    for (const auto &use : uses_) {
        const History h = use->history();
        if (use->is_late && use->frames_seen < std::max(h.ref, h.dist)) continue;
        if (use->info().every_frame || frame.index % step == 0) frame.uses.push_back(use.get());
    }
}

void MetricSet::count_frame(unsigned index, unsigned step) const {
    for (const auto &use : uses_)
        if (use->info().every_frame || index % step == 0) use->frames_seen++;
}

History MetricSet::history_of(const Choice &chosen) const {
    History wanted;
    for (const auto &use : uses_) {
        if (!chosen(*use)) continue;
        const History h = use->history();
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
           std::any_of(uses_.begin(), uses_.end(), [&](const auto &use) { return use->provides(name); });
}

} // namespace vmaf
