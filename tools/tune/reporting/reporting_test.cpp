#include <cmath>
#include <fstream>
#include <gmock/gmock.h>

#include "curves/bd_rate.hpp"
#include "reporting/charts.hpp"
#include "reporting/heat_map.hpp"
#include "reporting/page.hpp"
#include "reporting/verdict.hpp"

namespace vmaf::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<RatePoint> curve(double factor) {
    std::vector<RatePoint> points;
    for (const double s : {50.0, 63.0, 78.0, 90.0, 96.0}) points.push_back({factor * 100 * std::exp(s / 30), s});
    return points;
}

TEST(BdRate, OfACurveThatNeedsTwentyPercentLessEverywhereIsMinusTwenty) {
    const auto result = bd_rate(curve(1), curve(0.8));
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->percent, -20, 1e-9);
    EXPECT_EQ(result->low, 50);
    EXPECT_EQ(result->high, 96);
    EXPECT_NEAR(bd_rate(curve(0.8), curve(1))->percent, 25, 1e-9);
}

// Expected value: an independent PCHIP of log10(rate) over score, integrated numerically over the common interval.
TEST(BdRate, EqualsTheReferenceFigureOnDifferentCurves) {
    const std::vector<RatePoint> anchor = {{100, 40}, {200, 62}, {400, 78}, {800, 89}, {1600, 95}},
                                 test = {{90, 45}, {150, 60}, {330, 80}, {700, 91}, {1300, 96}};
    const auto result = bd_rate(anchor, test);
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->percent, -22.994761552, 1e-6);
}

TEST(BdRate, NeedsFourRisingPointsAndAnOverlap) {
    EXPECT_FALSE(bd_rate({{100, 40}, {200, 50}, {300, 60}}, curve(1)));
    EXPECT_FALSE(bd_rate({{100, 40}, {200, 50}, {300, 45}, {400, 60}}, curve(1))); // 45 is below the score at 200
    std::vector<RatePoint> higher = curve(1);
    for (RatePoint &p : higher) p.score += 47;
    EXPECT_FALSE(bd_rate(curve(1), higher));
}

TEST(MonotoneCubic, PassesThroughItsPointsAndNeverOvershoots) {
    const MonotoneCubic f({0, 1, 2, 3}, {0, 0, 1, 1});
    EXPECT_EQ(f(1), 0);
    EXPECT_EQ(f(3), 1);
    for (int i = 0; i <= 300; i++) {
        EXPECT_GE(f(i * 0.01), 0);
        EXPECT_LE(f(i * 0.01), 1);
    }
}

TEST(Ticks, AreRoundAndInside) {
    EXPECT_THAT(linear_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_THAT(log_ticks(90, 1100), ElementsAre(100, 200, 500, 1000));
    EXPECT_TRUE(linear_ticks(3, 3, 5).empty());
}

TEST(Plots, AreTheSameTextForTheSameInputAndEscapeNames) {
    Plot plot{"p",
              "t & <t>",
              "x",
              "y",
              true,
              false,
              {{"<b>", {{100, 1, "\"n\""}, {200, 2, ""}}, PlotLine::Style::line, true, 1}},
              {{1.5, "r"}},
              {}};
    EXPECT_EQ(svg_text(plot), svg_text(plot));
    EXPECT_THAT(svg_text(plot), HasSubstr("&lt;b&gt;"));
    EXPECT_THAT(svg_text(plot), Not(HasSubstr("<b>")));
    EXPECT_THAT(svg_text({"empty", "", "", "", false, false, {}, {}, {}}), HasSubstr("</svg>"));
}

TEST(Plots, KeepEveryExtremeOfALongLine) {
    Plot plot{"p", "", "", "", false, false, {{"", {}, PlotLine::Style::line, false, 0}}, {}, {}};
    for (int i = 0; i < 100000; i++) plot.lines[0].points.push_back({double(i), i == 54321 ? 0.0 : 100.0, ""});
    const std::string text = svg_text(plot);
    EXPECT_LT(text.size(), 100000u);
    EXPECT_THAT(text, HasSubstr(" 320.")); // the plot's lower end, minus the margin of 4 %
}

TEST(Tables, KeepFullPrecisionInCsvAndQuoteWhatMustBe) {
    Table table{"t", "", {"name", "value"}, {{"a,\"b\"", {0.1 + 0.2, 1}}, {"c", {std::nan(""), 1}}}};
    EXPECT_EQ(csv_text(table), "name,value\n\"a,\"\"b\"\"\",0.30000000000000004\nc,\n");
    EXPECT_THAT(markdown_text(table), HasSubstr("| c | – |"));
}

TEST(WorstFrames, AreApartInTimeAndTheLowestComeFirst) {
    FrameScores scores;
    scores.metric = "vmaf";
    scores.fps = 24;
    scores.series["vmaf"] = Series(100, 90.0);
    scores.series["vmaf"][40] = 10;
    scores.series["vmaf"][41] = 11;
    scores.series["vmaf"][80] = 20;
    const auto worst = worst_frames(scores, 2);
    EXPECT_THAT(worst, ElementsAre(40, 80));
    EXPECT_EQ(time_code(scores.seconds_of(80)), "0:03.33");
    EXPECT_EQ(time_code(3723.4), "1:02:03.40");
}

TEST(HeatMaps, AreReadFromWhatScoreWrites) {
    const std::string path = testing::TempDir() + "heat_map_test.npy";
    const auto write = [&](int frames) {
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }";
        header.resize(117, ' ');
        header += '\n';
        std::ofstream file(path, std::ios::binary);
        file << std::string("\x93NUMPY\x01\0v\0", 10) << header;
        for (int i = 0; i < frames * 6; i++) {
            const float cell = i == 4 ? 12.25f : i == 5 ? std::nanf("") : 90.0f;
            file.write(reinterpret_cast<const char *>(&cell), sizeof cell);
        }
    };
    FrameScores scores;
    scores.metric = "vmaf";
    scores.series["vmaf"] = Series(2, 90.0);
    scores.map = {path, "vmaf", 32, 96, 64};
    write(2);
    const HeatMap heat = read_heat_map(scores, {});
    EXPECT_THAT(heat.x, ElementsAre(0, 32, 64, 96));
    EXPECT_THAT(heat.worst, ElementsAre(12.25, 90.0));
    EXPECT_THAT(heat.worst_cell, ElementsAre(4, 0));
    EXPECT_EQ(heat.grids.at(0), std::string("\xb4\xb4\xb4\xb4\x19\xff", 6)); // half points; 12.25 is rounded up
    EXPECT_EQ(heat.grids.size(), 2u);
    scores.series["vmaf"] = Series(3, 90.0); // of another run
    EXPECT_ANY_THROW(read_heat_map(scores, {}));
    scores.series["vmaf"] = Series(2, 90.0);
    write(1); // truncated
    EXPECT_ANY_THROW(read_heat_map(scores, {}));
    scores.map.file += ".missing";
    EXPECT_ANY_THROW(read_heat_map(scores, {}));
}

Panel panel_with(const std::string &src, const std::vector<std::pair<std::string, double>> &encoders) {
    Panel panel{src, "vmaf", "mean", {}, {}, {}};
    for (const auto &[name, factor] : encoders) {
        Curve curve{name, "medium", "", {}};
        for (const double score : {70.0, 80.0, 90.0, 95.0})
            curve.points.push_back({factor * std::exp(score / 10), score, 0, 0, 100 - score});
        panel.curves.push_back(std::move(curve));
    }
    return panel;
}

TEST(Verdicts, NameTheWinnerItsSavingAndTheSpread) {
    const std::vector<Panel> panels = {panel_with("a", {{"libx264", 1.0}, {"libx265", 0.5}, {"libaom", 0.6}}),
                                       panel_with("b", {{"libx264", 1.0}, {"libx265", 0.8}, {"libaom", 0.9}})};
    const auto groups = panels_by_score(panels);
    ASSERT_EQ(groups.size(), 1u);
    const auto verdict = find_verdict(groups[0], {}, "");
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->target, 93);
    EXPECT_FALSE(verdict->is_given);
    EXPECT_EQ(verdict->winner, "libx265 medium");
    EXPECT_EQ(verdict->baseline, "libx264 medium");
    const Saving &saving = verdict->contenders.front().saving;
    EXPECT_NEAR(saving.mean, 100 * (1 - std::sqrt(0.4)), 1e-9);
    EXPECT_NEAR(saving.low, 20, 1e-9);
    EXPECT_NEAR(saving.high, 50, 1e-9);
    EXPECT_THAT(verdict->sentence(),
                HasSubstr("libx265 medium needs 36.8 % less bitrate than libx264 medium at VMAF (mean) 93, "
                          "20.0 to 50.0 % over 2 sources."));
    EXPECT_TRUE(verdict->tied.empty());
    // Between two points 2 % are within the error, but not at one.
    const std::vector<Panel> close = {panel_with("a", {{"libx264", 1.0}, {"libx265", 0.5}, {"libaom", 0.51}})};
    EXPECT_THAT(find_verdict(panels_by_score(close)[0], {91}, "")->sentence(),
                HasSubstr("Too close to call from these points: libaom medium."));
    EXPECT_THAT(find_verdict(panels_by_score(close)[0], {90}, "")->tied, testing::IsEmpty());
    EXPECT_EQ(find_verdict(groups[0], {85}, "libaom")->baseline, "libaom medium");
    EXPECT_TRUE(find_verdict(groups[0], {85}, "")->is_given);
    const auto missed = find_verdict(groups[0], {99}, ""); // above all points, but still used
    EXPECT_EQ(missed->target, 99);
    EXPECT_FALSE(missed->has_winner());
    EXPECT_THAT(missed->sentence(), HasSubstr("No configuration can be judged at VMAF (mean) 99."));
}

TEST(Verdicts, NeedTwoCurvesThatReachAScore) {
    const std::vector<Panel> one = {panel_with("a", {{"libx264", 1.0}})};
    EXPECT_FALSE(find_verdict(panels_by_score(one)[0], {}, ""));
    EXPECT_FALSE(find_verdict({}, {}, ""));
}

TEST(Verdicts, AverageBdRatesOverSources) {
    const std::vector<Panel> panels = {panel_with("a", {{"libx264", 1.0}, {"libx265", 0.5}}),
                                       panel_with("b", {{"libx264", 1.0}, {"libx265", 0.8}}),
                                       panel_with("c", {{"libx264", 1.0}})};
    const RateMatrix matrix = average_bd_rates(panels_by_score(panels)[0]);
    EXPECT_THAT(matrix.names, ElementsAre("libx264 medium", "libx265 medium"));
    EXPECT_NEAR(matrix.cells[1][0].mean, -35, 1e-9);
    EXPECT_NEAR(matrix.cells[1][0].low, -50, 1e-9);
    EXPECT_EQ(matrix.cells[1][0].sources, 2u);
    EXPECT_EQ(matrix.cells[0][0].sources, 0u);
}

TEST(Base64, PadsAsItMust) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foob"), "Zm9vYg==");
}

} // namespace
} // namespace vmaf::tune
