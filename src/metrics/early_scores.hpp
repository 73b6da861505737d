// Scores that a metric gives at the end of the stream, for those who need them while frames come.
#pragma once

#include <optional>
#include <string_view>

namespace vmaf {

class EarlyScores {
  public:
    virtual ~EarlyScores() = default;
    // What Metric::flush will give a frame, once the frames after it cannot change it. `name` as for a ScoreSink.
    virtual std::optional<double> settled(std::string_view name, unsigned index) const = 0;
};

} // namespace vmaf
