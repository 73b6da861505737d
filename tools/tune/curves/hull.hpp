// Rate and quality of measured points, and which of them to ship (tune.md 12.12).
#pragma once

#include <vector>

namespace vmaf::tune {

struct RatePoint {
    double kbps = 0, score = 0;
    int width = 0, height = 0;
    double q = 0;
};

// Points that no mixture of others beats: bitrate and score both rise along them.
std::vector<RatePoint> upper_hull(std::vector<RatePoint> points);

// At most `count` of them, evenly spaced in log bitrate or in score; always keeps the ends.
std::vector<RatePoint> choose_rungs(const std::vector<RatePoint> &hull, int count, bool by_log_bitrate);

} // namespace vmaf::tune
