// The progress line on a terminal (cli-and-formats.md 12).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "options.hpp"

namespace vmaf::cli {

class Meter {
  public:
    enum class Unit { frames, pairs };
    // `total`: the number of frames, if known. `report` also receives the count.
    Meter(bool is_shown, std::optional<std::uint64_t> total, FrameCount report = {}, Unit unit = Unit::frames);
    ~Meter(); // ends the line
    Meter(const Meter &) = delete;
    Meter &operator=(const Meter &) = delete;

    void frame(std::uint64_t count); // `count` pairs have started
    void clear();                    // hides the line for other output

  private:
    using Clock = std::chrono::steady_clock;
    void show(std::uint64_t count, Clock::time_point now);
    void report(std::uint64_t count) noexcept;

    bool is_shown_;
    FrameCount report_;
    Unit unit_;
    std::optional<std::uint64_t> total_;
    Clock::time_point start_, next_;
    std::uint64_t count_ = 0, shown_count_ = 0;
    unsigned spin_ = 0;
};

} // namespace vmaf::cli
