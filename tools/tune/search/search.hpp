// Searches for the lowest quality that still meets a target (tune.md 9). A search is independent of encoders: it
// requests grid points k = 0..last and receives their measurements. k ascends towards lower quality, so the direction
// of an encoder's knob does not matter here.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace vmaf::tune {

struct Measurement {
    double score = 0; // higher is better
    bool fits = true; // meets all size limits
};

struct SearchSettings {
    int last = 0; // the grid is 0..last
    double target = 0;
    double tolerance = 0;       // a pass at most this far above the target ends the search; 0: exact
    bool bounded_by_100 = true; // the metric saturates at 100: interpolate in -ln(101 - s)
    std::optional<int> start;   // a hint; changes the number of probes, never the answer
    double slope = 0;           // of straightened scores (curves/score_curve.hpp) per point; 0: unknown
    double noise = 0.3;         // a smaller shortfall does not contradict a pass at lower quality
    int max_iterations = 8;     // bisect
    int coarse_step = 10, fine_step = 1, coarse_first = 0; // coarse
    bool has_target = true; // coarse: without one, examines the surroundings of the best point,
    int fine_radius = 5;    // this far in both directions
    int default_last = 0;   // abav1: last index of the encoder's default window; 0: `last`
    double q_step = 1;      // abav1: knob units between two points
};

enum class SearchStatus { ok, unmet, no_solution };

struct SearchAnswer {
    SearchStatus status = SearchStatus::unmet;
    std::optional<int> k;            // the answer; for `unmet` the point with the best score
    std::optional<int> best_passing; // for `no_solution`: lowest passing quality
    std::optional<int> best_fitting; // and best quality within the limits
    bool at_bound = false, plateau = false, non_monotone = false;
};

// The measurements and the resulting bracket: everything up to `pass` passes, `fail` fails.
class Bracket {
  public:
    Bracket(double target, double noise) : target_(target), noise_(noise) {}

    void add(int k, const Measurement &measurement);
    bool passes(int k) const { return points_.at(k).score >= target_; }
    const std::map<int, Measurement> &points() const { return points_; }
    std::optional<int> pass() const { return pass_; } // A of 9.3
    std::optional<int> fail() const { return fail_; } // B
    bool non_monotone() const { return non_monotone_; }
    bool plateau() const; // three or more points, all within half a score unit

  private:
    void update();

    double target_, noise_;
    std::map<int, Measurement> points_;
    std::optional<int> pass_, fail_;
    bool non_monotone_ = false;
};

class Search {
  public:
    explicit Search(const SearchSettings &settings) : settings_(settings), bracket_(settings.target, settings.noise) {}
    virtual ~Search() = default;
    // The next point to measure; empty when the search has ended. Never requests a point twice.
    std::optional<int> next();
    void add(int k, const Measurement &measurement);
    SearchAnswer answer() const;
    const std::map<int, Measurement> &points() const { return bracket_.points(); }

  protected:
    virtual std::optional<int> choose() = 0;

    SearchSettings settings_;
    Bracket bracket_;
    std::vector<int> order_;      // of measuring
    std::optional<int> accepted_; // within tolerance

  private:
    bool ended_ = false;
};

enum class SearchMethod { interp, bisect, coarse, abav1, grid };
const char *search_word(SearchMethod method);
std::unique_ptr<Search> make_search(SearchMethod method, const SearchSettings &settings);

} // namespace vmaf::tune
