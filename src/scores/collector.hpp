// The score collector: stored name -> series over frame numbers, plus whole-clip aggregates (models.md 6). Thread-safe.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scores/pooling.hpp"

namespace vmaf {

struct NewScore {
    std::string_view name;
    unsigned index;
    double value;
};
struct NewAggregate {
    std::string_view name;
    double value;
};

inline constexpr unsigned kMaxFrameNumber = (1u << 30) - 1; // larger numbers are mistakes

class ScoreCollector {
  public:
    // Each (name, index) pair can be written once; a second write warns and throws
    // Error(EINVAL). An aggregate may be set again to the same value. Stores all scores or, if
    // it throws, none.
    void append(std::span<const NewScore> scores, std::span<const NewAggregate> aggregates = {});
    void append(std::string_view name, unsigned index, double value) {
        const NewScore score{name, index, value};
        append({&score, 1});
    }
    void set_aggregate(std::string_view name, double value) {
        const NewAggregate aggregate{name, value};
        append({}, {&aggregate, 1});
    }

    std::optional<double> find(std::string_view name, unsigned index) const;
    bool has_name(std::string_view name) const;

    // The scores of low..high whose index is a multiple of `step`. Throws Error(EINVAL) if one is missing.
    std::vector<double> values(std::string_view name, unsigned low, unsigned high, unsigned step) const;
    // Pools those scores.
    double pool(std::string_view name, Pooling method, unsigned low, unsigned high, unsigned step) const;

    // In the order of their first append.
    std::vector<std::string> names() const;
    std::vector<std::pair<std::string, double>> aggregates() const;
    std::size_t frame_capacity() const; // one more than the largest index stored

    // Processor seconds between the first and the last append (cli-and-formats.md 13.4).
    double busy_seconds() const;

    // Called for each score after it is stored, outside the lock.
    using Listener = std::function<void(const std::string &name, unsigned index, double value)>;
    void set_listener(Listener listener);

  private:
    // In blocks, so that a single distant index costs little.
    struct Series {
        static constexpr std::size_t kBlock = 1024;
        using Block = std::array<std::optional<double>, kBlock>;
        std::string name;
        std::vector<std::unique_ptr<Block>> blocks;

        void make_room(std::size_t index);
        std::optional<double> &at(std::size_t index) { return (*blocks[index / kBlock])[index % kBlock]; } // has room
        std::optional<double> find(std::size_t index) const;
    };
    const Series *series(std::string_view name) const;
    Series &series_with_room(std::string_view name, unsigned index);
    void check_aggregate(const NewAggregate &aggregate) const;
    void drop_series_behind(std::size_t count) noexcept;

    mutable std::mutex mutex_;
    std::deque<Series> series_; // stable addresses; order of first append
    std::map<std::string, Series *, std::less<>> by_name_;
    std::vector<std::pair<std::string, double>> aggregates_;
    std::size_t frame_capacity_ = 0;
    std::optional<std::clock_t> first_, last_;
    std::shared_ptr<const Listener> listener_;
};

} // namespace vmaf
