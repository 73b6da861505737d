#include <algorithm>

#include "stages/probe.hpp"

namespace vmaf::tune {

Slots::Slots(unsigned encodes, unsigned scores, std::vector<int> processors)
    : taken_{std::vector<bool>(encodes), std::vector<bool>(scores)}, processors_(std::move(processors)) {}

Slots::Held::Held(Slots *slots, Stage stage) : slots_(slots), stage_(stage) {
    if (!slots_) return;
    std::vector<bool> &taken = slots_->taken_[static_cast<std::size_t>(stage_)];
    std::unique_lock lock(slots_->mutex_);
    auto free = taken.end();
    slots_->changed_.wait(lock, [&] {
        free = std::ranges::find(taken, false);
        return free != taken.end();
    });
    *free = true;
    number_ = static_cast<std::size_t>(free - taken.begin());
}

Slots::Held::~Held() {
    if (!slots_) return;
    {
        const std::lock_guard lock(slots_->mutex_);
        slots_->taken_[static_cast<std::size_t>(stage_)][number_] = false;
    }
    slots_->changed_.notify_all();
}

std::vector<int> Slots::Held::processors() const {
    if (!slots_ || slots_->processors_.empty()) return {};
    // Neighbours in the list stay together; if there are more slots than processors they share.
    const std::vector<int> &all = slots_->processors_;
    const std::size_t slots = slots_->taken_[static_cast<std::size_t>(stage_)].size();
    const std::size_t first = number_ * all.size() / slots,
                      last = std::max(first + 1, (number_ + 1) * all.size() / slots);
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
}

} // namespace vmaf::tune
