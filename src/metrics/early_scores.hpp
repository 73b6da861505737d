// Access to scores that a metric emits at the end of the stream, while frames still arrive.
#pragma once

#include <optional>
#include <string_view>

namespace vmaf {

class EarlyScores {
  public:
    virtual ~EarlyScores() = default;
    // What Metric::flush will emit for a frame, once later frames cannot change it. `name` as for a ScoreSink.
    virtual std::optional<double> settled(std::string_view name, unsigned index) const = 0;
};

} // namespace vmaf
