// Rate and quality of measured points, and which of them to ship (tune.md 12.12).
#pragma once

#include <algorithm>
#include <vector>

namespace vmaf::tune {

struct RatePoint {
    double kbps = 0, score = 0;
    int width = 0, height = 0;
    double q = 0, encode_fps = 0; // frames per second; 0: unknown
};

// Points with a higher score than all that need less rate, by rate; those without a rate are left out.
template <class Point> std::vector<Point> rising(std::vector<Point> points) {
    std::erase_if(points, [](const Point &p) { return !(p.kbps > 0); });
    std::sort(points.begin(), points.end(),
              [](const Point &a, const Point &b) { return a.kbps != b.kbps ? a.kbps < b.kbps : a.score > b.score; });
    std::vector<Point> result;
    for (const Point &p : points)
        if (result.empty() || p.score > result.back().score) result.push_back(p);
    return result;
}

// Points that no mixture of others beats: bitrate and score both rise along them.
std::vector<RatePoint> upper_hull(const std::vector<RatePoint> &points);

// At most `count` of them, evenly spaced in log bitrate or in score; always keeps the ends.
std::vector<RatePoint> choose_rungs(const std::vector<RatePoint> &hull, int count, bool by_log_bitrate);

} // namespace vmaf::tune
