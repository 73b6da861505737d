#include "scores/collector.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/log.hpp"

namespace vmaf {

namespace {

constexpr unsigned kMaxIndex = 1u << 30; // beyond this an index is a mistake

} // namespace

std::optional<double> &ScoreCollector::Series::at(std::size_t index) {
    const std::size_t block = index / kBlock;
    if (block >= blocks.size()) blocks.resize(block + 1);
    if (!blocks[block]) blocks[block] = std::make_unique<Block>();
    return (*blocks[block])[index % kBlock];
}

std::optional<double> ScoreCollector::Series::find(std::size_t index) const {
    const std::size_t block = index / kBlock;
    return block < blocks.size() && blocks[block] ? (*blocks[block])[index % kBlock] : std::nullopt;
}

void ScoreCollector::append(std::string_view name, unsigned index, double value) {
    if (index >= kMaxIndex) throw invalid("frame number " + std::to_string(index) + " is too large");
    std::unique_lock lock(mutex_);
    const std::clock_t now = std::clock();
    if (!first_) first_ = now;
    last_ = now;
    auto found = by_name_.find(name);
    if (found == by_name_.end()) {
        series_.push_back({std::string(name), {}});
        found = by_name_.emplace(std::string(name), &series_.back()).first;
    }
    std::optional<double> &place = found->second->at(index);
    if (place) {
        const std::string sentence =
            "feature \"" + std::string(name) + "\" cannot be overwritten at index " + std::to_string(index);
        lock.unlock();
        log(LogLevel::warning, sentence);
        throw invalid(sentence);
    }
    place = value;
    frame_capacity_ = std::max<std::size_t>(frame_capacity_, std::size_t(index) + 1);
    if (!listener_) return;
    const Listener listener = listener_;
    lock.unlock();
    listener(std::string(name), index, value);
}

void ScoreCollector::set_aggregate(std::string_view name, double value) {
    std::lock_guard lock(mutex_);
    for (const auto &[known, old] : aggregates_) {
        if (known != name) continue;
        if (old == value || (std::isnan(old) && std::isnan(value))) return;
        throw invalid("aggregate \"" + std::string(name) + "\" cannot be overwritten");
    }
    aggregates_.emplace_back(name, value);
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

double ScoreCollector::pool(std::string_view name, Pooling method, unsigned low, unsigned high, unsigned step) const {
    if (low > high) throw invalid("pooling interval is empty: " + std::to_string(low) + " to " + std::to_string(high));
    if (method < Pooling::min || method > Pooling::harmonic_mean)
        throw invalid("unknown pooling method " + std::to_string(static_cast<int>(method)));
    std::lock_guard lock(mutex_);
    const Series *s = series(name);
    unsigned count = 0;
    double sum = 0, inverse_sum = 0, min = 0, max = 0;
    for (std::uint64_t i = low; i <= high; i++) {
        if (step > 1 && i % step != 0) continue;
        const std::optional<double> stored = s ? s->find(i) : std::nullopt;
        if (!stored) throw invalid("no score \"" + std::string(name) + "\" at index " + std::to_string(i));
        const double x = *stored;
        if (count == 0 || x < min) min = x;
        if (count == 0 || x > max) max = x;
        count++;
        sum += x;
        inverse_sum += 1.0 / (x + 1.0);
    }
    switch (method) {
    case Pooling::min: return min;
    case Pooling::max: return max;
    case Pooling::mean: return sum / count;
    default: return count / inverse_sum - 1.0;
    }
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
    std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
}

} // namespace vmaf
