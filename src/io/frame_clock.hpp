// Ascending times for the frames of a clip: missing and non-ascending times are extrapolated at the stream's
// rate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "io/video_file.hpp"

namespace vmaf {

class FrameClock {
  public:
    explicit FrameClock(const Fraction &average_rate = {}) : rate_(average_rate.value()) {}

    // The time of the next frame, in nanoseconds.
    std::int64_t next(std::optional<std::int64_t> stamp) {
        if (stamp) stamp = std::clamp(*stamp, -kLatest, kLatest);
        if (!has_begun_)
            time_ = stamp.value_or(0);
        else if (stamp && *stamp > time_)
            time_ = *stamp;
        else
            time_ += rate_ > 0 ? static_cast<std::int64_t>(std::clamp(1e9 / rate_, 1.0, kLongestInterval))
                               : kDefaultInterval;
        has_begun_ = true;
        return time_;
    }

  private:
    static constexpr std::int64_t kDefaultInterval = 40'000'000; // 25 frames per second, if nothing is known
    // Damaged files can state any time; keeps sums and differences within 64 bits.
    static constexpr std::int64_t kLatest = 1'000'000'000'000'000'000;
    static constexpr double kLongestInterval = 10'000'000'000;

    double rate_;
    std::int64_t time_ = 0;
    bool has_begun_ = false;
};

} // namespace vmaf
