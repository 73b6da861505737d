// Answers, predictions and plans on tabulated data, without starting programs.
#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "commands/commands.hpp"
#include "commands/corpus_answers.hpp"
#include "commands/manifest.hpp"
#include "commands/search_hints.hpp"
#include "commands/shot_plan.hpp"
#include "rows/row_format.hpp"
#include "stages/aggregate.hpp"
#include "system/process.hpp"

namespace vmaf::tune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Samples (8.4, 8.5)

ProbeResult probe_of(const std::vector<Series> &samples) {
    ProbeResult probe;
    for (const Series &s : samples) {
        probe.samples.push_back({0, static_cast<std::int64_t>(s.size()), 1000, 0, static_cast<std::int64_t>(s.size())});
        probe.series["vmaf"].insert(probe.series["vmaf"].end(), s.begin(), s.end());
        probe.series["cambi"].insert(probe.series["cambi"].end(), s.begin(), s.end());
    }
    return probe;
}

TEST(Aggregate, IsOverAllFramesOrOverTheSamplesScores) {
    const ProbeResult probe = probe_of({{90, 92}, {70, 70, 70, 70}, {100}});
    EXPECT_DOUBLE_EQ(aggregated(probe, "vmaf", "mean", SampleAggregate::pooled), (90 + 92 + 4 * 70 + 100) / 7.0);
    EXPECT_DOUBLE_EQ(aggregated(probe, "vmaf", "mean", SampleAggregate::mean), (91 + 70 + 100) / 3.0);
    EXPECT_DOUBLE_EQ(aggregated(probe, "vmaf", "mean", SampleAggregate::worst), 70);
    EXPECT_DOUBLE_EQ(aggregated(probe, "vmaf", "min", SampleAggregate::mean), (90 + 70 + 100) / 3.0);
    EXPECT_DOUBLE_EQ(aggregated(probe, "cambi", "mean", SampleAggregate::worst), 100); // lower is better
    EXPECT_EQ(worst_sample(probe, "vmaf", "mean"), 1u);
    EXPECT_THROW(aggregated(probe, "psnr", "mean", SampleAggregate::mean), Error);
}

TEST(Prediction, ScalesSamplesToTheWholeAndNeverBeyondTheirPercentage) {
    ProbeSetup setup;
    setup.clip_mode = "samples_2x10s";
    setup.source.duration = 100;
    setup.source.file_bytes = 1'000'000;
    for (const std::uint64_t bytes : {60'000, 140'000}) {
        Sample sample;
        sample.source.file_bytes = bytes;
        setup.samples.push_back(sample);
    }
    ProbeResult probe;
    probe.stream_bytes = 50'000;
    probe.encoded_duration = 20;
    probe.encode_seconds = 0.71;
    Prediction whole = predict_whole(setup, probe);
    EXPECT_DOUBLE_EQ(whole.percent, 25); // 50 000 of 200 000
    EXPECT_DOUBLE_EQ(whole.bytes, 250'000);
    EXPECT_DOUBLE_EQ(whole.seconds, 4); // 3.55 s
    setup.source.file_bytes = 600'000;  // samples larger than the rest
    EXPECT_DOUBLE_EQ(predict_whole(setup, probe).bytes, 150'000);
    probe.encode_seconds = 0.1;
    EXPECT_DOUBLE_EQ(predict_whole(setup, probe).seconds, 0.5);
    setup.clip_mode = "full";
    EXPECT_DOUBLE_EQ(predict_whole(setup, probe).bytes, 50'000);
}

// Answers from rows (12.2)

TEST(FromCorpus, TakesTheCheapestPassAndSettlesTies) {
    const std::vector<CorpusPoint> points = {{20, 97, 900, true}, {25, 94, 500, true},  {26, 93.5, 500, true},
                                             {27, 94, 500, true}, {30, 89, 300, false}, {35, 80, 200, false}};
    const CorpusAnswer answer = cheapest_pass(points, false, std::nullopt);
    EXPECT_TRUE(answer.is_met);
    EXPECT_EQ(answer.point.q, 25);                                    // equal rate: higher score, then better quality
    EXPECT_EQ(cheapest_pass(points, true, std::nullopt).point.q, 27); // a knob where higher is better
    EXPECT_TRUE(cheapest_pass(points, false, 400).is_too_large);
    const CorpusAnswer none = cheapest_pass(std::span(points).subspan(4), false, std::nullopt);
    EXPECT_FALSE(none.is_met);
    EXPECT_EQ(none.point.q, 30); // the highest score
}

TEST(FromCorpus, InterpolatesBetweenNeighbours) {
    std::vector<CorpusPoint> points; // score = 40 + 10 ln(kbps), a straight line over log bitrate
    for (const double q : {20.0, 30.0, 40.0}) {
        const double kbps = 3000 * std::exp(-0.1 * (q - 20));
        points.push_back({q, 40 + 10 * std::log(kbps), kbps, false});
    }
    for (CorpusPoint &p : points) p.passes = p.score >= 113;
    const CorpusAnswer answer = interpolated_pass(points, 113, false, 0.1, std::nullopt);
    EXPECT_TRUE(answer.is_interpolated);
    const double exact = 20 + (points[0].score - 113); // one score unit per unit of q
    EXPECT_NEAR(answer.point.q, std::floor(exact * 10) / 10, 1e-9);
    EXPECT_GE(answer.point.score, 113);
    EXPECT_NEAR(answer.point.score, 113, 0.11);
    for (CorpusPoint &p : points) p.passes = false;
    EXPECT_FALSE(interpolated_pass(points, 500, false, 0.1, std::nullopt).is_met);
    EXPECT_EQ(interpolated_pass(points, 60, false, 0.1, std::nullopt).is_interpolated, false);
}

TEST(FromCorpus, FindsTheNearestBitrate) {
    const std::vector<CorpusPoint> points = {{20, 97, 900, true}, {25, 94, 500, true}, {30, 89, 300, false}};
    EXPECT_EQ(nearest_bitrate(points, 400, false).point.q, 25); // a tie: the better quality
    EXPECT_EQ(nearest_bitrate(points, 380, false).point.q, 30);
}

TEST(RowScan, ReadsWhatAnswersNeed) {
    ScannedRow row;
    ASSERT_TRUE(scan_row(
        R"({"argv": ["a \"}", "b"], "bitrate_kbps": 12.5, "crf": 23, "encoder": "libx264", "exit_status": 0, )"
        R"("samples":[{"score":1}],"score":91.25,"scores":{"vmaf":{"p5":80.5}},"src":"a b.mkv","preset":"fast",)"
        R"("vmaf_model":"m","vmaf_score":NaN})",
        row));
    EXPECT_EQ(row.src, "a b.mkv");
    EXPECT_EQ(row.encoder, "libx264");
    EXPECT_EQ(row.q, 23);
    EXPECT_EQ(row.score, 91.25);
    EXPECT_TRUE(std::isnan(row.vmaf_score));
    EXPECT_EQ(corpus_score(row, {"vmaf", "mean", 90}), 91.25);
    EXPECT_EQ(corpus_score(row, {"vmaf", "percentile=5", 80}), 80.5);
    EXPECT_EQ(corpus_score(row, {"psnr", "mean", 40}), std::nullopt);
    ScannedRow old;
    ASSERT_TRUE(scan_row(R"({"codec":"x","cq":30,"vmaf":88,"actual_kbps":100})", old));
    EXPECT_EQ(old.encoder, "x");
    EXPECT_EQ(old.kbps, 100);
    EXPECT_EQ(corpus_score(old, {"vmaf", "mean", 90}), 88);
    for (const char *bad : {"", "{", "[]", R"({"a":1)", R"({"a" 1})", R"({"src":"a\n"})"}) {
        ScannedRow ignored;
        EXPECT_FALSE(scan_row(bad, ignored)) << bad;
    }
}

TEST(RowScan, ExitStatusesMayBeAnything) {
    for (const auto &[text, expected] :
         {std::pair("null", 0), {"\"x\"", 0}, {"NaN", 0}, {"101", 101}, {"1e300", 1000000}, {"-1e300", -1000000}}) {
        const std::string line = std::string(R"({"src":"a","exit_status":)") + text + "}";
        ScannedRow row;
        ASSERT_TRUE(scan_row(line, row));
        EXPECT_EQ(row.exit_status, expected) << text;
    }
}

TEST(RowScan, ReportsMalformedLinesAndReadsEscapes) {
    const auto path =
        std::filesystem::temp_directory_path() / ("rows-" + std::to_string(system::own_process()) + ".jsonl");
    std::ofstream(path)
        << "{\"src\":\"a\\u0062\",\"crf\":1,\"vmaf_score\":NaN}\n\nnonsense\n{\"src\":\"c\",\"crf\":2}\n";
    std::vector<std::string> complaints;
    const RowTable table(path.string(), [&](const std::string &text) { complaints.push_back(text); });
    std::filesystem::remove(path);
    ASSERT_THAT(table.rows(), SizeIs(2));
    EXPECT_EQ(table.rows()[0].src, "ab");
    EXPECT_EQ(table.rows()[1].q, 2);
    EXPECT_THAT(complaints, ElementsAre(HasSubstr(":3: not a row")));
}

TEST(RowFormats, HaveTheOlderColumnsAndTidyTables) {
    const nlohmann::json row = {{"src", "a,\"b\""},
                                {"crf", 23},
                                {"vmaf_score", nullptr},
                                {"extra_params", {"-x"}},
                                {"error", {{"message", "no"}}},
                                {"score", 1.5}};
    const std::string old = row_line(row, RowFormat::schema3);
    EXPECT_THAT(old, HasSubstr("\"vmaf_score\":NaN"));
    EXPECT_THAT(old, HasSubstr("\"schema_version\":3"));
    EXPECT_THAT(old, testing::Not(HasSubstr("\"score\"")));
    const std::string csv = row_line(row, RowFormat::csv), header = row_header(RowFormat::csv);
    EXPECT_TRUE(csv.starts_with("\"a,\"\"b\"\"\",,,,23,"));
    EXPECT_TRUE(csv.ends_with(",no"));
    EXPECT_EQ(std::count(header.begin(), header.end(), ','),
              std::count(csv.begin(), csv.end(), ',') - 1); // one comma is in a name
}

// Hints (9.8)

TEST(SearchHints, MeetTheTargetOnTheLineOfTheNearestPoints) {
    EXPECT_EQ(suggested_start({{20, 98}}, 90), std::nullopt);
    EXPECT_NEAR(*suggested_start({{20, 98}, {30, 88}, {40, 60}}, 90), 28, 1e-9);
    EXPECT_LE(*suggested_start({{20, 98}, {21, 97.9}}, 50), 25); // not far beyond the measurements
}

// Shots (12.7)

TEST(ShotPlan, SmoothsTowardsBetterQualityOnly) {
    const std::vector<bool> none(5, false);
    EXPECT_THAT(smoothed({20, 40, 30, 18, 35}, none, 8, false), ElementsAre(20, 28, 26, 18, 26));
    EXPECT_THAT(smoothed({60, 40, 70}, std::vector<bool>(3, false), 8, true), ElementsAre(60, 62, 70));
    EXPECT_THAT(smoothed({20, 40, 20}, {false, true, false}, 8, false), ElementsAre(20, 40, 20)); // a fixed one stays
}

TEST(ShotPlan, CutsShotsAtZones) {
    const auto zones = parse_zones("# own wishes\n10 20 target=95\n\n40 -1 libx264 crf=18 preset=slow\n", 60);
    ASSERT_THAT(zones, SizeIs(2));
    EXPECT_EQ(zones[1].range.end, 60);
    EXPECT_EQ(zones[1].q, 18);
    EXPECT_EQ(zones[1].preset, "slow");
    const auto shots = cut_at_zones({{0, 15}, {15, 60}}, zones);
    ASSERT_THAT(shots, SizeIs(5));
    std::vector<std::int64_t> starts;
    for (const PlannedShot &p : shots) starts.push_back(p.shot.start);
    EXPECT_THAT(starts, ElementsAre(0, 10, 15, 20, 40));
    EXPECT_EQ(shots[1].zone, 0u);
    EXPECT_EQ(shots[2].zone, 0u);
    EXPECT_EQ(shots[3].zone, std::nullopt);
    EXPECT_EQ(shots[4].zone, 1u);
    for (const char *bad : {"5", "20 10", "0 5 crf=x", "0 5 colour=1", "0 9\n5 8"})
        EXPECT_THROW(parse_zones(bad, 60), Error) << bad;
}

// Ladders (12.12)

TEST(Ladder, NamesItsRungsForPlayers) {
    Source source;
    source.rate = {30000, 1001};
    source.duration = 12.5;
    source.hdr.transfer = Hdr::Transfer::hlg;
    const std::vector<Rung> rungs = {{{500.4, 80, 640, 360, 30}, "avc1.64001E", 700'000},
                                     {{2000, 95, 1280, 720, 22}, "avc1.64001F", 1'500'000}};
    EXPECT_EQ(hls_playlist(rungs, source), "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n"
                                           "#EXT-X-STREAM-INF:BANDWIDTH=700000,AVERAGE-BANDWIDTH=500400,RESOLUTION="
                                           "640x360,FRAME-RATE=29.970,VIDEO-RANGE=HLG,CODECS=\"avc1.64001E\"\n"
                                           "rendition_640x360_500k.m3u8\n"
                                           "#EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=2000000,RESOLUTION="
                                           "1280x720,FRAME-RATE=29.970,VIDEO-RANGE=HLG,CODECS=\"avc1.64001F\"\n"
                                           "rendition_1280x720_2000k.m3u8\n");
    EXPECT_THAT(dash_manifest(rungs, source),
                AllOf(HasSubstr("bandwidth=\"700000\" width=\"640\" height=\"360\" frameRate=\"30000/1001\""),
                      HasSubstr("mimeType=\"video/mp4\""), Not(HasSubstr("SegmentBase"))));
    std::vector<Rung> made = rungs;
    made[0].index = SegmentIndex{805, 806, 881, 12800, 3};
    SideTrack sound;
    sound.language = "de";
    sound.label = "Ton \"1\" & 2";
    sound.name = "sound_2";
    sound.codecs = "mp4a.40.2";
    EXPECT_THAT(
        dash_manifest(made, source, {sound}),
        AllOf(HasSubstr("<SegmentBase timescale=\"12800\" indexRange=\"806-881\"><Initialization range=\"0-805\"/>"),
              HasSubstr("lang=\"de\""), HasSubstr("&amp; 2</Label>"), HasSubstr("sound_2.mp4")));
    EXPECT_THAT(hls_playlist(made, source, {sound}), AllOf(HasSubstr("NAME=\"Ton '1' & 2\",LANGUAGE=\"de\""),
                                                           HasSubstr("avc1.64001E,mp4a.40.2\",AUDIO=\"sound\"")));
}

TEST(Ladder, KeepsTheHullAndSpreadsRungsOverIt) {
    const auto hull = upper_hull({{100, 60}, {200, 75}, {200, 70}, {300, 76}, {400, 90}, {800, 95}, {900, 94}});
    std::vector<double> rates;
    for (const RatePoint &p : hull) rates.push_back(p.kbps);
    EXPECT_THAT(rates, ElementsAre(100, 200, 400, 800));
    const auto two = choose_rungs(hull, 2, true);
    ASSERT_THAT(two, SizeIs(2));
    EXPECT_EQ(two[0].kbps, 100);
    EXPECT_EQ(two[1].kbps, 800);
    EXPECT_EQ(choose_rungs(hull, 1, true)[0].kbps, 800);
    EXPECT_THAT(choose_rungs(hull, 3, false), SizeIs(3));
}

// The command line (2)

struct Parsed {
    CLI::App app;
    Commands commands{app};
    Parsed() { add_commands(commands); }
    std::vector<std::string> resolved(std::vector<std::string> arguments) {
        resolve_negations(app, arguments);
        return arguments;
    }
};

TEST(CommandLine, KnowsTheOtherNameOfTheQualityValue) {
    Parsed p;
    EXPECT_THAT(p.resolved({"corpus", "--q", "23", "--q=24", "-q"}),
                ElementsAre("corpus", "--crf", "23", "--crf=24", "-q"));
    // CLI11 2.4 rejects both: its parser treats --q like -q.
    for (const CLI::App *command : p.app.get_subcommands([](const CLI::App *) { return true; }))
        for (const CLI::Option *option : command->get_options())
            for (const std::string &name : option->get_lnames()) EXPECT_GT(name.size(), 1u) << command->get_name();
}

TEST(CommandLine, GivesEveryFlagANegativeForm) {
    Parsed p;
    EXPECT_THAT(p.resolved({"corpus", "--no-keep", "--no-cache", "--cache", "--no-nonsense", "-i", "x"}),
                ElementsAre("corpus", "--keep=false", "--no-cache", "--no-cache=false", "--no-nonsense", "-i", "x"));
    for (const CLI::App *command : p.app.get_subcommands([](const CLI::App *) { return true; }))
        for (const CLI::Option *option : command->get_options())
            if (option->get_items_expected_max() == 0 && !option->get_lnames().empty() &&
                option->get_lnames()[0] != "help") {
                const std::string name = option->get_lnames()[0];
                const std::string negative = name.starts_with("no-") ? name.substr(3) : "no-" + name;
                if (command->get_option_no_throw("--" + negative)) continue; // already has a meaning
                EXPECT_EQ(p.resolved({command->get_name(), "--" + negative})[1], "--" + name + "=false")
                    << command->get_name();
            }
}

TEST(CommandLine, HintsAtWhatMayHaveBeenMeant) {
    Parsed p;
    EXPECT_EQ(hint_for_unknown_flag(p.app, {"search", "-i", "x", "--vmaf", "95"}), "did you mean --target-vmaf 95?");
    EXPECT_EQ(hint_for_unknown_flag(p.app, {"search", "--traget-vmaf", "95"}), "did you mean --target-vmaf 95?");
    EXPECT_EQ(hint_for_unknown_flag(p.app, {"search", "--input", "x"}), "did you mean --source x?");
    EXPECT_EQ(hint_for_unknown_flag(p.app, {"search", "--completely-else"}), "");
}

TEST(CommandLine, KnowsTheFlagsOfOlderTools) {
    Parsed p;
    for (const char *name : {"corpus", "search", "sample", "encode", "compare", "ladder", "per-shot"}) {
        const CLI::App *command = p.app.get_subcommand(name);
        for (const char *flag :
             {"--src", "--vmaf-model", "--encode-dir", "--keep-encodes", "--max-workers", "--no-parallel", "--bitdepth",
              "--total-frames", "--use-saliency", "--auto-hdr", "--force-sdr", "--no-source-hash"})
            EXPECT_NE(command->get_option_no_throw(flag), nullptr) << name << " " << flag;
    }
    EXPECT_NE(p.app.get_subcommand("per-shot")->get_option_no_throw("--per-shot-bin"), nullptr);
    EXPECT_NE(p.app.get_subcommand("search")->get_option_no_throw("--coarse-to-fine"), nullptr);
}

TEST(Bars, KeepPercentAndTimeLeftAtAnyWidth) {
    const BarParts parts{"0:02 libx264 crf 27 score", "31 fps", "ETA 0:05", 0.5};
    EXPECT_EQ(bar_text(parts, 79), "0:02 libx264 crf 27 score [##########----------] 50% 31 fps ETA 0:05");
    EXPECT_EQ(bar_text(parts, 59), "0:02 libx264 crf 27 score [#####------] 50% 31 fps ETA 0:05");
    EXPECT_EQ(bar_text(parts, 47), "0:02 libx264 crf 27 score [###---] 50% ETA 0:05");
    EXPECT_EQ(bar_text(parts, 43), "0:02 libx264 crf 27 score 50% ETA 0:05");
    EXPECT_EQ(bar_text(parts, 19), "0:02 l 50% ETA 0:05");
    for (std::size_t columns = 1; columns < 100; columns++) EXPECT_LE(bar_text(parts, columns).size(), columns);
}

} // namespace
} // namespace vmaf::tune
