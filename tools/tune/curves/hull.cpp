#include "curves/hull.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace vmaf::tune {

std::vector<RatePoint> upper_hull(const std::vector<RatePoint> &points) {
    std::vector<RatePoint> hull;
    for (const RatePoint &p : rising(points)) {
        while (hull.size() >= 2) {
            const RatePoint &a = hull[hull.size() - 2], &b = hull.back();
            const double cross = (b.kbps - a.kbps) * (p.score - a.score) - (b.score - a.score) * (p.kbps - a.kbps);
            if (cross < 0) break;
            hull.pop_back();
        }
        hull.push_back(p);
    }
    return hull;
}

std::vector<RatePoint> choose_rungs(const std::vector<RatePoint> &hull, int count, bool by_log_bitrate) {
    const auto n = static_cast<std::size_t>(std::max(1, count));
    if (hull.size() <= n) return hull;
    if (n == 1) return {hull.back()};
    const auto position = [&](const RatePoint &p) {
        return by_log_bitrate ? std::log(std::max(p.kbps, 1.0)) : p.score;
    };
    const double low = position(hull.front()), high = position(hull.back());
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < n; i++) {
        const double wish = low + (high - low) * double(i) / double(n - 1);
        std::optional<std::size_t> best;
        for (std::size_t k = 0; k < hull.size(); k++)
            if (!taken.contains(k) &&
                (!best || std::fabs(position(hull[k]) - wish) < std::fabs(position(hull[*best]) - wish)))
                best = k;
        taken.insert(*best);
    }
    std::vector<RatePoint> rungs;
    for (const std::size_t k : taken) rungs.push_back(hull[k]);
    return rungs;
}

} // namespace vmaf::tune
