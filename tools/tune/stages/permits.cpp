#include <algorithm>

#include "stages/probe.hpp"

namespace vmaf::tune {

Permits::Permits(unsigned encodes, unsigned scores, std::vector<int> processors)
    : taken_{std::vector<bool>(encodes), std::vector<bool>(scores)}, processors_(std::move(processors)) {}

Permits::Held::Held(Permits *permits, Stage stage) : permits_(permits), stage_(stage) {
    if (!permits_) return;
    std::vector<bool> &taken = permits_->taken_[static_cast<std::size_t>(stage_)];
    std::unique_lock lock(permits_->mutex_);
    auto free = taken.end();
    permits_->changed_.wait(lock, [&] {
        free = std::ranges::find(taken, false);
        return free != taken.end();
    });
    *free = true;
    number_ = static_cast<std::size_t>(free - taken.begin());
}

Permits::Held::~Held() {
    if (!permits_) return;
    {
        const std::lock_guard lock(permits_->mutex_);
        permits_->taken_[static_cast<std::size_t>(stage_)][number_] = false;
    }
    permits_->changed_.notify_all();
}

std::vector<int> Permits::Held::processors() const {
    if (!permits_ || permits_->processors_.empty()) return {};
    // Neighbours in the list stay together; if there are more permits than processors they share.
    const std::vector<int> &all = permits_->processors_;
    const std::size_t permits = permits_->taken_[static_cast<std::size_t>(stage_)].size();
    const std::size_t first = number_ * all.size() / permits,
                      last = std::max(first + 1, (number_ + 1) * all.size() / permits);
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
}

} // namespace vmaf::tune
