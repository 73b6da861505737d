#include "stages/scene_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace vmaf::tune {

namespace {

constexpr std::size_t kDefaultScenes = 6;
constexpr int kRounds = 20; // of moving group centres; they converge long before

struct Point {
    double motion = 0, detail = 0;
};

double apart(const Point &a, const Point &b) { return std::hypot(a.motion - b.motion, a.detail - b.detail); }

// Motion and detail with equal weight: ranks of their logarithms, from 0 to 1.
std::vector<Point> placed(const std::vector<ShotFeatures> &shots) {
    double most_motion = 1e-9, most_detail = 1e-9;
    for (const ShotFeatures &s : shots) {
        most_motion = std::max(most_motion, std::log1p(s.motion));
        most_detail = std::max(most_detail, std::log1p(s.detail));
    }
    std::vector<Point> points;
    for (const ShotFeatures &s : shots)
        points.push_back({std::log1p(s.motion) / most_motion, std::log1p(s.detail) / most_detail});
    return points;
}

} // namespace

std::vector<std::size_t> representative_shots(const std::vector<ShotFeatures> &shots, std::size_t count) {
    std::set<std::size_t> chosen;
    if (shots.size() <= count) {
        for (std::size_t i = 0; i < shots.size(); i++) chosen.insert(i);
        return {chosen.begin(), chosen.end()};
    }
    const std::vector<Point> points = placed(shots);
    const auto complexity = [&](std::size_t i) { return points[i].motion + points[i].detail; };
    std::size_t least = 0, most = 0;
    for (std::size_t i = 1; i < points.size(); i++) {
        if (complexity(i) < complexity(least)) least = i;
        if (complexity(i) > complexity(most)) most = i;
    }
    chosen.insert(most);
    if (count > 1) chosen.insert(least);
    if (count <= chosen.size()) return {chosen.begin(), chosen.end()};

    // Groups: started with the points farthest from existing centres, then moved to the means.
    std::vector<Point> centres = {points[0]};
    while (centres.size() < count - chosen.size()) {
        const auto distance = [&](const Point &p) {
            double nearest = 1e9;
            for (const Point &c : centres) nearest = std::min(nearest, apart(p, c));
            return nearest;
        };
        centres.push_back(*std::ranges::max_element(
            points, [&](const Point &a, const Point &b) { return distance(a) < distance(b); }));
    }
    for (int round = 0; round < kRounds; round++) {
        std::vector<Point> sums(centres.size());
        std::vector<double> weights(centres.size());
        for (std::size_t i = 0; i < points.size(); i++) {
            std::size_t nearest = 0;
            for (std::size_t c = 1; c < centres.size(); c++)
                if (apart(points[i], centres[c]) < apart(points[i], centres[nearest])) nearest = c;
            const auto weight = double(shots[i].shot.frames());
            sums[nearest].motion += weight * points[i].motion;
            sums[nearest].detail += weight * points[i].detail;
            weights[nearest] += weight;
        }
        for (std::size_t c = 0; c < centres.size(); c++)
            if (weights[c] > 0) centres[c] = {sums[c].motion / weights[c], sums[c].detail / weights[c]};
    }
    for (const Point &centre : centres) {
        std::optional<std::size_t> nearest;
        for (std::size_t i = 0; i < points.size(); i++)
            if (!chosen.contains(i) && (!nearest || apart(points[i], centre) < apart(points[*nearest], centre)))
                nearest = i;
        if (nearest) chosen.insert(*nearest);
    }
    return {chosen.begin(), chosen.end()};
}

SampleChoice choose_scenes(const std::vector<ShotFeatures> &shots, const Source &source,
                           const SamplingRequest &request) {
    const double fps = source.rate.value();
    if (fps <= 0) return {{Window{}}, "full"};
    const std::size_t count = request.samples ? static_cast<std::size_t>(*request.samples) : kDefaultScenes;
    SampleChoice choice;
    std::int64_t total = 0, covered = 0;
    for (const ShotFeatures &s : shots) total += s.shot.frames();
    for (const std::size_t i : representative_shots(shots, count)) {
        const Shot &shot = shots[i].shot;
        const std::int64_t frames =
            std::min(shot.frames(), std::max<std::int64_t>(1, std::llround(request.duration_seconds * fps)));
        const std::int64_t first = shot.start + (shot.frames() - frames) / 2;
        choice.windows.push_back({double(first) / fps, frames});
        covered += frames;
    }
    // Samples that cover nearly everything do not pay.
    if (choice.windows.empty() || double(covered) >= 0.85 * double(total)) return {{Window{}}, "full"};
    choice.clip_mode = "scenes_" + std::to_string(choice.windows.size());
    return choice;
}

} // namespace vmaf::tune
