// Searches replayed on measured and synthetic curves (tune.md 9, 19.3).
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "search/search.hpp"
#include "test_paths.h"

namespace vmaf::tune {
namespace {

struct Replay {
    SearchAnswer answer;
    std::vector<int> probes;
};

Replay replay(SearchMethod method, const SearchSettings &settings, const std::function<Measurement(int)> &curve) {
    const auto search = make_search(method, settings);
    Replay result;
    while (const auto k = search->next()) {
        EXPECT_TRUE(*k >= 0 && *k <= settings.last);
        EXPECT_LT(result.probes.size(), 200u);
        result.probes.push_back(*k);
        search->add(*k, curve(*k));
    }
    result.answer = search->answer();
    return result;
}

std::map<std::string, std::map<int, double>> measured_curves() {
    std::ifstream file(VMAF_GOLDEN_DIR "/tune_curves.txt");
    std::map<std::string, std::map<int, double>> curves;
    std::string clip, encoder;
    int q = 0;
    long bytes = 0;
    double score = 0;
    while (file >> clip >> encoder >> q >> bytes >> score) curves[clip + " " + encoder][q] = score;
    return curves;
}

TEST(Search, InterpFindsTheBestPointOfMeasuredCurvesWithFewProbes) {
    std::size_t searches = 0, probes = 0;
    for (const auto &[name, curve] : measured_curves()) {
        if (name.find("gradient") != std::string::npos) continue; // not textured, not monotone
        const int first = curve.begin()->first, last = curve.rbegin()->first - first;
        for (int target = 80; target <= 98; target++) {
            const auto at = [&curve = curve, first](int k) { return Measurement{curve.at(first + k), true}; };
            const Replay run = replay(SearchMethod::interp, {.last = last, .target = double(target)}, at);
            ASSERT_EQ(run.answer.status, SearchStatus::ok) << name << " " << target;
            EXPECT_GE(at(*run.answer.k).score, target);
            if (*run.answer.k < last) {
                EXPECT_LT(at(*run.answer.k + 1).score, target) << name << " " << target;
            }
            searches++;
            probes += run.probes.size();
        }
    }
    ASSERT_EQ(searches, 152u);
    EXPECT_LE(double(probes) / double(searches), 4.2);
}

TEST(Search, ATypicalSlopeSavesProbesAndChangesNoAnswer) {
    std::size_t searches = 0, probes = 0;
    for (const auto &[name, curve] : measured_curves()) {
        if (name.find("gradient") != std::string::npos) continue;
        const int first = curve.begin()->first, last = curve.rbegin()->first - first;
        const double slope = name.find("264") != std::string::npos ? -0.45 : -0.2; // typical_slope()
        for (int target = 80; target <= 98; target++) {
            const auto at = [&curve = curve, first](int k) { return Measurement{curve.at(first + k), true}; };
            const Replay plain = replay(SearchMethod::interp, {.last = last, .target = double(target)}, at);
            const Replay led =
                replay(SearchMethod::interp, {.last = last, .target = double(target), .slope = slope}, at);
            EXPECT_EQ(led.answer.k, plain.answer.k) << name << " " << target;
            searches++;
            probes += led.probes.size();
        }
    }
    EXPECT_LE(double(probes) / double(searches), 3.5);
}

TEST(Search, InterpEndsOnCurvesThatAreNotMonotone) {
    for (const auto &[name, curve] : measured_curves()) {
        if (name.find("gradient") == std::string::npos) continue;
        const int first = curve.begin()->first, last = curve.rbegin()->first - first;
        for (int target = 80; target <= 98; target++) {
            const auto at = [&curve = curve, first](int k) { return Measurement{curve.at(first + k), true}; };
            const Replay run = replay(SearchMethod::interp, {.last = last, .target = double(target)}, at);
            if (run.answer.status == SearchStatus::ok) {
                EXPECT_GE(at(*run.answer.k).score, target);
            }
        }
    }
}

Measurement line(int k) { return {100.0 - k, true}; }

TEST(Search, EveryMethodFindsTheLastPassOfALine) {
    for (SearchMethod method : {SearchMethod::interp, SearchMethod::bisect, SearchMethod::coarse, SearchMethod::grid})
        for (int target = 61; target <= 99; target++) {
            const Replay run = replay(method, {.last = 40, .target = double(target)}, line);
            ASSERT_EQ(run.answer.status, SearchStatus::ok);
            EXPECT_EQ(run.answer.k, 100 - target) << int(method);
        }
}

TEST(Search, TargetsOutsideTheWindowAreSaidToBe) {
    for (SearchMethod method : {SearchMethod::interp, SearchMethod::bisect, SearchMethod::abav1}) {
        const Replay unreachable = replay(method, {.last = 40, .target = 101}, line);
        EXPECT_EQ(unreachable.answer.status, SearchStatus::unmet);
        EXPECT_EQ(unreachable.answer.k, 0); // the closest point
        const Replay easy = replay(method, {.last = 40, .target = 10}, line);
        EXPECT_EQ(easy.answer.status, SearchStatus::ok);
        EXPECT_TRUE(easy.answer.at_bound);
    }
}

TEST(Search, ASinglePointWindowIsOneProbe) {
    const Replay run = replay(SearchMethod::interp, {.last = 0, .target = 90}, line);
    EXPECT_EQ(run.probes, std::vector<int>{0});
    EXPECT_EQ(run.answer.k, 0);
}

TEST(Search, ToleranceEndsTheSearchEarly) {
    const auto fine = [](int k) { return Measurement{100.0 - 0.05 * k, true}; };
    const Replay exact = replay(SearchMethod::interp, {.last = 400, .target = 93}, fine);
    const Replay near = replay(SearchMethod::interp, {.last = 400, .target = 93, .tolerance = 0.5}, fine);
    EXPECT_EQ(exact.answer.k, 140);
    EXPECT_LE(near.probes.size(), exact.probes.size());
    EXPECT_LE(fine(*near.answer.k).score, 93.5);
}

TEST(Search, HintsChangeOnlyTheNumberOfProbes) {
    for (int hint = 0; hint <= 40; hint += 5) {
        const Replay run = replay(SearchMethod::interp, {.last = 40, .target = 77, .start = hint}, line);
        EXPECT_EQ(run.answer.k, 23);
        EXPECT_EQ(run.probes.front(), hint);
    }
}

TEST(Search, APassThatIsTooLargeIsNoSolution) {
    const auto large = [](int k) { return Measurement{100.0 - k, k > 20}; };
    const Replay run = replay(SearchMethod::interp, {.last = 40, .target = 90}, large);
    EXPECT_EQ(run.answer.status, SearchStatus::no_solution);
    EXPECT_EQ(run.answer.best_passing, 10);
}

TEST(Search, SmallRisesAreNoiseAndLargeOnesBoundTheSearch) {
    Bracket bracket(90, 0.3);
    bracket.add(5, {89.9, true});
    bracket.add(8, {91, true});
    EXPECT_TRUE(bracket.non_monotone());
    EXPECT_EQ(bracket.pass(), 8);
    bracket.add(3, {85, true});
    bracket.add(1, {95, true});
    EXPECT_EQ(bracket.pass(), 1);
    EXPECT_EQ(bracket.fail(), 3);
}

// 19.3: the points that each method probes on a fixed curve (target 77, answer 23 of 40).
TEST(Search, MethodsProbeInTheirOwnOrder) {
    const auto order = [](SearchMethod method, SearchSettings settings = {}) {
        settings.last = 40;
        settings.target = 77;
        return replay(method, settings, line).probes;
    };
    EXPECT_EQ(order(SearchMethod::bisect), (std::vector<int>{20, 31, 26, 23, 25, 24}));
    EXPECT_EQ(order(SearchMethod::coarse), (std::vector<int>{0, 10, 20, 30, 40, 21, 22, 23, 24}));
    EXPECT_EQ(order(SearchMethod::abav1), (std::vector<int>{20, 32, 23}));
    EXPECT_EQ(order(SearchMethod::interp), (std::vector<int>{20, 28, 23, 24}));
    EXPECT_EQ(order(SearchMethod::grid).size(), 41u);
    EXPECT_EQ(order(SearchMethod::coarse, {.coarse_step = 20, .fine_step = 2, .coarse_first = 5}),
              (std::vector<int>{5, 25, 7, 9, 11, 13, 15, 17, 19, 21, 23}));
}

TEST(Search, CoarseFindsEveryAnswer) { // see 9.5
    for (int target = 60; target <= 100; target++) {
        const Replay run =
            replay(SearchMethod::coarse, {.last = 40, .target = double(target), .coarse_first = 3}, line);
        EXPECT_EQ(run.answer.k, 100 - target);
    }
}

TEST(Search, CoarseWithoutATargetLooksAroundTheBestPoint) {
    const auto hill = [](int k) { return Measurement{-double((k - 22) * (k - 22)), true}; };
    const Replay run = replay(SearchMethod::coarse, {.last = 40, .has_target = false, .fine_radius = 3}, hill);
    EXPECT_EQ(run.probes, (std::vector<int>{0, 10, 20, 30, 40, 17, 18, 19, 21, 22, 23}));
}

TEST(Search, PlateausAreReported) {
    const auto flat = [](int) { return Measurement{99.7, true}; };
    const Replay run = replay(SearchMethod::grid, {.last = 10, .target = 95}, flat);
    EXPECT_TRUE(run.answer.plateau);
    EXPECT_EQ(run.answer.k, 10);
}

} // namespace
} // namespace vmaf::tune
