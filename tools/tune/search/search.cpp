#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curves/score_curve.hpp"

namespace vmaf::tune {

void Bracket::add(int k, const Measurement &measurement) {
    points_[k] = measurement;
    update();
}

void Bracket::update() {
    pass_.reset();
    fail_.reset();
    for (const auto &[k, m] : points_)
        if (m.score >= target_) pass_ = k;
    // A failure at better quality contradicts a pass. Small shortfalls are noise; others bound the search.
    for (const auto &[k, m] : points_) {
        if (m.score >= target_) continue;
        if (pass_ && k < *pass_) {
            non_monotone_ = true;
            if (target_ - m.score < noise_) continue;
        }
        fail_ = k;
        break;
    }
    if (!pass_ || !fail_ || *pass_ < *fail_) return;
    pass_.reset();
    for (const auto &[k, m] : points_)
        if (k < *fail_ && m.score >= target_) pass_ = k;
}

bool Bracket::plateau() const {
    if (points_.size() < 3) return false;
    const auto [low, high] = std::ranges::minmax_element(
        points_, [](const auto &a, const auto &b) { return a.second.score < b.second.score; });
    return high->second.score - low->second.score <= 0.5;
}

std::optional<int> Search::next() {
    if (ended_ || accepted_) return std::nullopt;
    const std::optional<int> k = choose();
    if (!k || points().contains(*k)) {
        ended_ = true;
        return std::nullopt;
    }
    return k;
}

void Search::add(int k, const Measurement &measurement) {
    bracket_.add(k, measurement);
    order_.push_back(k);
    const double above = measurement.score - settings_.target;
    if (settings_.tolerance > 0 && above >= 0 && above <= settings_.tolerance && measurement.fits) accepted_ = k;
}

SearchAnswer Search::answer() const {
    SearchAnswer answer;
    answer.non_monotone = bracket_.non_monotone();
    // Even where it does not affect the result: better quality must not score less.
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto &[k, m] : points()) {
        answer.non_monotone = answer.non_monotone || m.score > lowest + settings_.noise;
        lowest = std::min(lowest, m.score);
    }
    answer.plateau = bracket_.plateau();
    const std::optional<int> found = accepted_ ? accepted_ : bracket_.pass();
    if (!found) {
        for (const auto &[k, m] : points())
            if (!answer.k || m.score > points().at(*answer.k).score) answer.k = k;
        return answer; // unmet
    }
    answer.at_bound = *found == settings_.last;
    // Size falls with quality, so the lowest passing quality is the smallest pass: if it is too large, all are.
    if (!points().at(*found).fits) {
        answer.status = SearchStatus::no_solution;
        answer.best_passing = found;
        for (const auto &[k, m] : points())
            if (m.fits && !answer.best_fitting) answer.best_fitting = k;
        return answer;
    }
    answer.status = SearchStatus::ok;
    answer.k = found;
    return answer;
}

namespace {

// Inverse interpolation in a scale where quality curves are nearly straight (9.3).
class InterpSearch final : public Search {
  public:
    using Search::Search;

  private:
    double scale(double score) const {
        return settings_.bounded_by_100 ? -std::log(std::max(101.0 - score, 1e-9)) : score;
    }
    double scaled(int k) const { return scale(points().at(k).score); }

    std::optional<int> choose() override {
        const int last = settings_.last;
        if (order_.empty()) return std::clamp(settings_.start.value_or(last / 2), 0, last);
        const auto pass = bracket_.pass(), fail = bracket_.fail();
        if (pass && *pass == last) return std::nullopt;
        if (fail && *fail == 0) return std::nullopt;
        if (pass && fail) return between(*pass, *fail);
        if (pass) return std::clamp(beyond(*pass, +1), *pass + 1, last);
        return std::clamp(beyond(*fail, -1), 0, *fail - 1);
    }

    // Follows the slope from the only point.
    int by_slope(int edge, int direction, int stride) const {
        if (settings_.slope == 0) return edge + direction * stride;
        const bool is_bounded = settings_.bounded_by_100;
        const double away =
            (straightened(settings_.target, is_bounded) - straightened(points().at(edge).score, is_bounded)) /
            settings_.slope;
        const int steps = static_cast<int>(std::lround(std::clamp(std::fabs(away), 0.0, double(settings_.last))));
        return edge + direction * std::max(1, steps);
    }

    // One side of the bracket is open: steps from `edge` by the slope, a fifth of the window, or by extrapolation.
    int beyond(int edge, int direction) const {
        const int stride = std::max(2, settings_.last / 5);
        const int current = order_.back();
        std::optional<int> nearest;
        for (const auto &[k, m] : points())
            if (k != current && (!nearest || std::abs(k - current) < std::abs(*nearest - current))) nearest = k;
        if (!nearest) return by_slope(edge, direction, stride);
        const double rise = scaled(current) - scaled(*nearest);
        if (rise == 0) return edge + direction * stride;
        const double x = current + (scale(settings_.target) - scaled(current)) * (current - *nearest) / rise;
        if (!(std::fabs(x) < 1e6)) return edge + direction * stride;
        return static_cast<int>(std::floor(x + 0.5));
    }

    std::optional<int> between(int pass, int fail) {
        const int width = fail - pass;
        if (width <= 1) return std::nullopt;
        // Two consecutive steps closed little of the bracket: the curve differs from what interpolation assumes.
        slow_steps_ = last_width_ && width > 0.6 * *last_width_ ? slow_steps_ + 1 : 0;
        last_width_ = width;
        double x = 0.5 * (pass + fail);
        if (slow_steps_ < 2) {
            const std::optional<double> curve = quadratic();
            if (curve && *curve > pass && *curve < fail)
                x = *curve;
            else
                x = secant(pass, fail);
        }
        return std::clamp(static_cast<int>(std::floor(x + 0.5)), pass + 1, fail - 1);
    }

    double secant(int pass, int fail) const {
        const double a = scaled(pass), b = scaled(fail);
        return a == b ? 0.5 * (pass + fail) : pass + (scale(settings_.target) - a) * (fail - pass) / (b - a);
    }

    // k as a function of the scaled score, through the three points closest to the target.
    std::optional<double> quadratic() const {
        if (points().size() < 3) return std::nullopt;
        const double goal = scale(settings_.target);
        std::vector<int> nearest;
        for (const auto &[k, m] : points()) nearest.push_back(k);
        std::ranges::stable_sort(
            nearest, [&](int a, int b) { return std::fabs(scaled(a) - goal) < std::fabs(scaled(b) - goal); });
        const double g0 = scaled(nearest[0]), g1 = scaled(nearest[1]), g2 = scaled(nearest[2]);
        if (g0 == g1 || g0 == g2 || g1 == g2) return std::nullopt;
        return nearest[0] * (goal - g1) * (goal - g2) / ((g0 - g1) * (g0 - g2)) +
               nearest[1] * (goal - g0) * (goal - g2) / ((g1 - g0) * (g1 - g2)) +
               nearest[2] * (goal - g0) * (goal - g1) / ((g2 - g0) * (g2 - g1));
    }

    std::optional<int> last_width_;
    int slow_steps_ = 0;
};

// Plain bisection (9.4).
class BisectSearch final : public Search {
  public:
    explicit BisectSearch(const SearchSettings &settings) : Search(settings), high_(settings.last) {}

  private:
    std::optional<int> choose() override {
        if (!order_.empty()) {
            if (bracket_.passes(order_.back()))
                low_ = order_.back() + 1;
            else
                high_ = order_.back() - 1;
        }
        if (low_ > high_ || static_cast<int>(order_.size()) >= settings_.max_iterations) return std::nullopt;
        return (low_ + high_ + 1) / 2;
    }

    int low_ = 0, high_;
};

// Every tenth point, then the gap with the answer (9.5).
class CoarseSearch final : public Search {
  public:
    using Search::Search;

  private:
    std::optional<int> choose() override {
        const int step = std::max(1, settings_.coarse_step), fine = std::max(1, settings_.fine_step);
        for (int k = settings_.coarse_first; k <= settings_.last; k += step)
            if (!points().contains(k)) return k;
        if (!settings_.has_target) return around_best(fine);
        const auto pass = bracket_.pass();
        // Between the lowest passing quality and the next failure; without a pass, from the first coarse point towards
        // better quality.
        const int from = pass ? *pass : -1;
        const int end = bracket_.fail().value_or(settings_.last + 1);
        if (pass && !order_.empty() && order_.back() > *pass && fine_started_) return std::nullopt; // first failure
        const int next = pass ? from + fine : end - fine;
        if (next <= (pass ? *pass : -1) || next >= end || next < 0) return std::nullopt;
        fine_started_ = true;
        return next;
    }

    std::optional<int> around_best(int fine) {
        if (!best_)
            for (const auto &[k, m] : points())
                if (!best_ || m.score > points().at(*best_).score) best_ = k;
        const int radius = settings_.fine_radius - settings_.fine_radius % fine;
        for (int k = *best_ - radius; k <= *best_ + radius; k += fine)
            if (k >= 0 && k <= settings_.last && !points().contains(k)) return k;
        return std::nullopt;
    }

    bool fine_started_ = false;
    std::optional<int> best_; // of the coarse points
};

// ab-av1's rule (9.6): linear interpolation in score, with a tolerance that grows with every probe.
class AbAv1Search final : public Search {
  public:
    using Search::Search;

  private:
    std::optional<int> choose() override {
        const int last = settings_.last;
        if (order_.empty()) return std::clamp(settings_.start.value_or(last / 2), 0, last);
        const int run = static_cast<int>(order_.size());
        const double above = points().at(order_.back()).score - settings_.target;
        if (above >= 0 && above < std::max(0.1, 0.1 * std::min(settings_.q_step, 1.0) * std::pow(2, run - 1)))
            return std::nullopt;
        const auto pass = bracket_.pass(), fail = bracket_.fail();
        if (pass && fail) {
            if (*fail - *pass <= 1) return std::nullopt;
            const double a = points().at(*pass).score, b = points().at(*fail).score;
            const double x =
                a == b ? 0.5 * (*pass + *fail) : *pass + (settings_.target - a) * (*fail - *pass) / (b - a);
            return std::clamp(static_cast<int>(std::floor(x + 0.5)), *pass + 1, *fail - 1);
        }
        const int current = order_.back(), end = pass ? last : 0;
        if (current == end) return std::nullopt;
        const int default_last = settings_.default_last ? settings_.default_last : last;
        const bool wide = 2 * last > default_last;
        if (run > 1 || !wide) return end;
        const int step = static_cast<int>(std::floor(0.6 * std::abs(end - current) + 0.5));
        return pass ? std::min(end, current + std::max(1, step)) : std::max(end, current - std::max(1, step));
    }
};

class GridSearch final : public Search {
  public:
    using Search::Search;

  private:
    std::optional<int> choose() override {
        for (int k = 0; k <= settings_.last; k++)
            if (!points().contains(k)) return k;
        return std::nullopt;
    }
};

} // namespace

const char *search_word(SearchMethod method) {
    switch (method) {
    case SearchMethod::bisect: return "bisect";
    case SearchMethod::coarse: return "coarse";
    case SearchMethod::abav1: return "abav1";
    case SearchMethod::grid: return "grid";
    default: return "interp";
    }
}

std::unique_ptr<Search> make_search(SearchMethod method, const SearchSettings &settings) {
    switch (method) {
    case SearchMethod::bisect: return std::make_unique<BisectSearch>(settings);
    case SearchMethod::coarse: return std::make_unique<CoarseSearch>(settings);
    case SearchMethod::abav1: return std::make_unique<AbAv1Search>(settings);
    case SearchMethod::grid: return std::make_unique<GridSearch>(settings);
    default: return std::make_unique<InterpSearch>(settings);
    }
}

} // namespace vmaf::tune
