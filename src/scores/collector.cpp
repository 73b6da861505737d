#include "scores/collector.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "system/log.hpp"

namespace vmaf {

void ScoreCollector::Series::make_room(std::size_t index) {
    const std::size_t block = index / kBlock;
    if (block >= blocks.size()) blocks.resize(block + 1);
    if (!blocks[block]) blocks[block] = std::make_unique<Block>();
}

std::optional<double> ScoreCollector::Series::find(std::size_t index) const {
    const std::size_t block = index / kBlock;
    return block < blocks.size() && blocks[block] ? (*blocks[block])[index % kBlock] : std::nullopt;
}

ScoreCollector::Series &ScoreCollector::series_with_room(std::string_view name, unsigned index) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) {
        found->second->make_room(index);
        return *found->second;
    }
    Series fresh{std::string(name), {}};
    fresh.make_room(index);
    series_.push_back(std::move(fresh));
    by_name_.emplace(std::string(name), &series_.back());
    return series_.back();
}

void ScoreCollector::drop_series_behind(std::size_t count) noexcept {
    for (; series_.size() > count; series_.pop_back())
        if (const auto found = by_name_.find(series_.back().name); found != by_name_.end()) by_name_.erase(found);
}

void ScoreCollector::check_aggregate(const NewAggregate &aggregate) const {
    for (const auto &[known, old] : aggregates_) {
        if (known != aggregate.name) continue;
        if (old == aggregate.value || (std::isnan(old) && std::isnan(aggregate.value))) return;
        throw invalid("aggregate \"" + std::string(aggregate.name) + "\" cannot be overwritten");
    }
}

void ScoreCollector::append(std::span<const NewScore> scores, std::span<const NewAggregate> aggregates) {
    for (const NewScore &score : scores)
        if (score.index > kMaxFrameNumber)
            throw invalid("frame number " + std::to_string(score.index) + " is too large");
    std::unique_lock lock(mutex_);
    const std::size_t series_before = series_.size(), aggregates_before = aggregates_.size();
    std::size_t stored = 0;
    try {
        for (const NewAggregate &aggregate : aggregates) {
            check_aggregate(aggregate);
            const bool known = std::any_of(aggregates_.begin(), aggregates_.end(),
                                           [&](const auto &entry) { return entry.first == aggregate.name; });
            if (!known) aggregates_.emplace_back(aggregate.name, aggregate.value);
        }
        for (; stored < scores.size(); stored++) {
            const NewScore &score = scores[stored];
            std::optional<double> &place = series_with_room(score.name, score.index).at(score.index);
            if (place)
                throw invalid("feature \"" + std::string(score.name) + "\" cannot be overwritten at index " +
                              std::to_string(score.index));
            place = score.value;
        }
    } catch (const std::exception &e) {
        while (stored-- > 0) by_name_.find(scores[stored].name)->second->at(scores[stored].index).reset();
        drop_series_behind(series_before);
        aggregates_.resize(aggregates_before);
        lock.unlock();
        if (dynamic_cast<const Error *>(&e)) log(LogLevel::warning, e.what());
        throw;
    }
    const std::clock_t now = std::clock();
    if (!first_) first_ = now;
    last_ = now;
    for (const NewScore &score : scores)
        frame_capacity_ = std::max<std::size_t>(frame_capacity_, std::size_t(score.index) + 1);
    const std::shared_ptr<const Listener> listener = listener_;
    lock.unlock();
    if (!listener) return;
    for (const NewScore &score : scores) (*listener)(std::string(score.name), score.index, score.value);
}

const ScoreCollector::Series *ScoreCollector::series(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

std::optional<double> ScoreCollector::find(std::string_view name, unsigned index) const {
    std::lock_guard lock(mutex_);
    const Series *s = series(name);
    return s ? s->find(index) : std::nullopt;
}

bool ScoreCollector::has_name(std::string_view name) const {
    std::lock_guard lock(mutex_);
    return series(name) != nullptr;
}

std::vector<double> ScoreCollector::values(std::string_view name, unsigned low, unsigned high, unsigned step) const {
    if (low > high) throw invalid("pooling interval is empty: " + std::to_string(low) + " to " + std::to_string(high));
    std::lock_guard lock(mutex_);
    const Series *s = series(name);
    std::vector<double> list;
    for (std::uint64_t i = low; i <= high; i++) {
        if (step > 1 && i % step != 0) continue;
        const std::optional<double> stored = s ? s->find(static_cast<std::size_t>(i)) : std::nullopt;
        if (!stored) throw invalid("no score \"" + std::string(name) + "\" at index " + std::to_string(i));
        list.push_back(*stored);
    }
    return list;
}

double ScoreCollector::pool(std::string_view name, Pooling method, unsigned low, unsigned high, unsigned step) const {
    return vmaf::pool(values(name, low, high, step), method);
}

std::vector<std::string> ScoreCollector::names() const {
    std::lock_guard lock(mutex_);
    std::vector<std::string> list;
    for (const Series &s : series_) list.push_back(s.name);
    return list;
}

std::vector<std::pair<std::string, double>> ScoreCollector::aggregates() const {
    std::lock_guard lock(mutex_);
    return aggregates_;
}

std::size_t ScoreCollector::frame_capacity() const {
    std::lock_guard lock(mutex_);
    return frame_capacity_;
}

double ScoreCollector::busy_seconds() const {
    std::lock_guard lock(mutex_);
    return first_ ? double(*last_ - *first_) / CLOCKS_PER_SEC : 0.0;
}

void ScoreCollector::set_listener(Listener listener) {
    auto shared = std::make_shared<const Listener>(std::move(listener));
    std::lock_guard lock(mutex_);
    listener_ = std::move(shared);
}

} // namespace vmaf
