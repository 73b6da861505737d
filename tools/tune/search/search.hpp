// Searches for the lowest quality that still meets a target (tune.md 9). A search knows nothing of encoders: it asks
// for grid points k = 0..last and takes what was measured there. k counts towards lower quality, so that the
// direction of an encoder's knob is settled before we get here.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace vmaf::tune {

struct Measurement {
    double score = 0; // higher is better
    bool fits = true; // all size limits hold
};

struct SearchSettings {
    int last = 0; // the grid is 0..last
    double target = 0;
    double tolerance = 0;       // a pass at most this far above the target ends the search; 0: exact
    bool bounded_by_100 = true; // the metric saturates at 100: interpolate in -ln(101 - s)
    std::optional<int> start;   // a hint; changes the number of probes, never the answer
    double slope = 0;           // of straightened scores (curves/score_curve.hpp) per point, the same; 0: not known
    double noise = 0.3;         // a shortfall below this does not contradict a pass at lower quality
    int max_iterations = 8;     // bisect
    int coarse_step = 10, fine_step = 1, coarse_first = 0; // coarse
    bool has_target = true;                                // coarse: without one, the best point's surroundings
    int fine_radius = 5;                                   // are looked at, so far to both sides
    int default_last = 0; // abav1: last index of the encoder's default window; 0: `last`
    double q_step = 1;    // abav1: of the knob, between two points
};

enum class SearchStatus { ok, unmet, no_solution };

struct SearchAnswer {
    SearchStatus status = SearchStatus::unmet;
    std::optional<int> k;            // the answer; for `unmet` the point with the best score
    std::optional<int> best_passing; // for `no_solution`: lowest quality that passes
    std::optional<int> best_fitting; // and best quality that fits
    bool at_bound = false, plateau = false, non_monotone = false;
};

// What has been measured, and the bracket it leaves: everything up to `pass` passes, `fail` fails.
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
    // The next point to measure; nothing when the search has ended. Never asks for a point twice.
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
