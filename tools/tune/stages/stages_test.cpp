#include <cmath>
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "cli/config.hpp"
#include "stages/alignment_check.hpp"
#include "stages/direct_inputs.hpp"
#include "stages/encode.hpp"
#include "stages/sampling.hpp"
#include "stages/scene_sampling.hpp"
#include "stages/score.hpp"
#include "stages/score_inputs.hpp"
#include "stages/source_check.hpp"

namespace vmaf::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Verdict = AlignmentReport::Verdict;

// A picture of a moving object at time t.
LumaSignature signature(double t) {
    LumaSignature s;
    double sum = 0, squares = 0;
    for (int y = 0; y < LumaSignature::kRows; y++)
        for (int x = 0; x < LumaSignature::kColumns; x++) {
            const double v = 128 + 60 * std::sin(x * 0.4 + t * 0.31) * std::cos(y * 0.3 + t * 0.17);
            s.blocks[static_cast<std::size_t>(y * LumaSignature::kColumns + x)] = static_cast<float>(v);
            sum += v;
            squares += v * v;
        }
    const double n = LumaSignature::kRows * LumaSignature::kColumns;
    s.mean = static_cast<float>(sum / n);
    s.deviation = static_cast<float>(std::sqrt(squares / n - sum / n * sum / n));
    return s;
}

std::vector<LumaSignature> clip(int from, int frames) {
    std::vector<LumaSignature> all;
    for (int i = 0; i < frames; i++) all.push_back(signature(from + i));
    return all;
}

TEST(Alignment, OfTheSameFramesIsFine) {
    const AlignmentReport report = judge_alignment(clip(0, 200), clip(0, 200), 48);
    EXPECT_EQ(report.verdict, Verdict::aligned);
    EXPECT_EQ(report.sentence("d", 24), "");
}

TEST(Alignment, FindsByHowManyFramesAClipIsLateOrEarly) {
    const AlignmentReport late = judge_alignment(clip(0, 200), clip(-3, 200), 48);
    EXPECT_EQ(late.verdict, Verdict::offset);
    EXPECT_EQ(late.offset, 3);
    EXPECT_EQ(late.sentence("d", 24), "'d' is 3 frames (0.125 s) late against the reference");
    EXPECT_EQ(judge_alignment(clip(0, 200), clip(1, 200), 48).offset, -1);
}

TEST(Alignment, FindsMissingAndRepeatedFrames) {
    std::vector<LumaSignature> missing = clip(0, 110), tail = clip(115, 180);
    missing.insert(missing.end(), tail.begin(), tail.end());
    const AlignmentReport report = judge_alignment(clip(0, 300), missing, 48);
    EXPECT_EQ(report.verdict, Verdict::drifting);
    EXPECT_EQ(report.later_offset, -5);
    EXPECT_THAT(report.sentence("d", 24), HasSubstr("frames are missing"));
}

TEST(Alignment, SaysNothingAboutStillsAndCallsOtherContentOther) {
    EXPECT_EQ(judge_alignment(std::vector<LumaSignature>(100, signature(0)),
                              std::vector<LumaSignature>(100, signature(0)), 48)
                  .verdict,
              Verdict::aligned);
    EXPECT_EQ(judge_alignment({}, clip(0, 10), 48).verdict, Verdict::unknown);
}

TEST(ScoredSize, ScalesUpWhatIsMuchSmallerThanTheModelsScreen) {
    EXPECT_EQ(scored_size({1280, 720}, "auto", 1080), (FrameSize{1920, 1080}));
    EXPECT_EQ(scored_size({1920, 800}, "auto", 1080), (FrameSize{1920, 800}));
    EXPECT_EQ(scored_size({640, 480}, "auto", 1080), (FrameSize{1440, 1080}));
    EXPECT_EQ(scored_size({352, 288}, "none", 1080), (FrameSize{352, 288}));
    EXPECT_EQ(scored_size({640, 360}, "1280x720", 1080), (FrameSize{1280, 720}));
    EXPECT_THROW(scored_size({640, 360}, "big", 1080), Error);
}

TEST(Samples, AreSpreadAsTheFormulaSays) {
    Source source;
    source.duration = 3600;
    source.rate = {25, 1};
    SamplingRequest request;
    const SampleChoice choice = choose_samples(source, request); // one per 12 minutes
    ASSERT_EQ(choice.windows.size(), 5u);
    EXPECT_EQ(choice.windows[0].start, 583); // floor((3600 - 100) / 6)
    EXPECT_EQ(choice.windows[4].start, 2996);
    EXPECT_EQ(choice.windows[0].frames, 500);
    EXPECT_EQ(choice.clip_mode, "samples_5x20s");
    request.centre_seconds = 10;
    EXPECT_EQ(choose_samples(source, request).clip_mode, "sample_10s");
    EXPECT_EQ(choose_samples(source, request).windows[0].start, 1795);
}

TEST(Scenes, AreTheExtremesAndOnePerKind) {
    std::vector<ShotFeatures> shots;
    for (int i = 0; i < 12; i++) // three kinds of shots, and two extremes
        shots.push_back({{i * 50, i * 50 + 50},
                         i % 3 == 0   ? 1.0
                         : i % 3 == 1 ? 8.0
                                      : 20.0,
                         i % 3 == 0   ? 900.0
                         : i % 3 == 1 ? 100.0
                                      : 400.0});
    shots[4] = {{200, 250}, 0.1, 10};
    shots[7] = {{350, 400}, 40, 3000};
    const auto chosen = representative_shots(shots, 5);
    EXPECT_EQ(chosen.size(), 5u);
    EXPECT_THAT(chosen, testing::IsSupersetOf({4u, 7u}));
    EXPECT_EQ(representative_shots(shots, 20).size(), 12u);
    EXPECT_EQ(representative_shots(shots, 1), std::vector<std::size_t>{7});
}

TEST(Config, ReadsFlagsCommentsAndQuotes) {
    EXPECT_THAT(
        parse_config("# defaults\n encoder = libx265\npreset=\"slow\"  \n--score_scale = none # as it is\n\n"),
        ElementsAre(std::pair("encoder", "libx265"), std::pair("preset", "slow"), std::pair("score-scale", "none")));
    EXPECT_THROW(parse_config("encoder\n"), Error);
}

TEST(ExplainFailure, SaysWhatHardwareAndFfmpegMeant) {
    const auto why = [](const std::string &tail) { return explain_failure("the encoder", 1, tail); };
    EXPECT_THAT(why("OpenEncodeSessionEx failed: unsupported device (2): (no details)\n"),
                HasSubstr("no such encoder"));
    EXPECT_THAT(why("OpenEncodeSessionEx failed: out of memory (10): (no details)\n"), HasSubstr("session limit"));
    EXPECT_THAT(why("Incompatible pixel format 'yuv420p' for codec 'h264_qsv', auto-selecting format 'nv12'\n"
                    "[h264_qsv @ 0x1] Error initializing an internal MFX session: unsupported (-3)\n"),
                HasSubstr("no Intel GPU"));
    EXPECT_EQ(why("[webm @ 0x1] Only VP8, VP9 and AV1 are supported\nCould not write header for output file #0\n"
                  "Error initializing output stream 0:0 -- \nConversion failed!\n"),
              "the encoder ended with status 1: [webm @ 0x1] Only VP8, VP9 and AV1 are supported");
    EXPECT_EQ(why("Conversion failed!\n"), "the encoder ended with status 1: Conversion failed!");
}

TEST(Durations, AndSizesAreReadAsPeopleWriteThem) {
    EXPECT_EQ(parse_duration("90ms"), 0.09);
    EXPECT_EQ(parse_duration("1h2m"), 3720);
    EXPECT_EQ(parse_duration("00:01:10.5"), 70.5);
    EXPECT_THROW(parse_duration("soon"), Error);
    EXPECT_EQ(parse_size("10G"), 1e10);
    EXPECT_EQ(parse_size("512Ki"), 524288);
}

TEST(ScoreInputs, CompressedFilesGoToTheGpuThatScoresThemAsTheyAre) {
    Source ref, dist;
    for (Source *source : {&ref, &dist}) {
        source->kind = Source::Kind::container;
        source->codec = "h264";
    }
    ref.path = "ref.mp4";
    dist.path = "dist.mp4";
    const ScorePair pair{.reference = &ref, .distorted = &dist};
    ScoreSettings settings;
    settings.transport = ScoreTransport::direct;
    const ScorePlan plan;
    const auto refusal = [&]() -> std::string {
        try {
            make_score_inputs({}, pair, plan, settings);
            return "";
        } catch (const Error &e) {
            return e.what();
        }
    };
    EXPECT_THAT(refusal(), HasSubstr("neither YUV4MPEG2 nor raw")); // on the CPU
    settings.backend = "cuda";
    EXPECT_EQ(refusal(), "");
    const auto inputs = make_score_inputs({}, pair, plan, settings);
    EXPECT_THAT(inputs->arguments(), testing::IsSupersetOf({"--hwaccel", "cuda", "--pair", "index", "dist.mp4"}));
    settings.scorer = Scorer::binary; // may be another vendor's
    EXPECT_THAT(refusal(), HasSubstr("neither YUV4MPEG2 nor raw"));
    settings.scorer = Scorer::library;
    dist.codec = "prores";
    EXPECT_THAT(refusal(), HasSubstr("does not decode prores"));
    dist.codec = "av1";
    EXPECT_THAT(refusal(), HasSubstr("--film-grain keep"));
    settings.drop_film_grain = false;
    EXPECT_EQ(refusal(), "");
    dist.kind = Source::Kind::y4m;
    EXPECT_THAT(refusal(), HasSubstr("of different kinds"));
}

TEST(ScoreInputs, GpusOpenFilesThemselvesOnlyWhereTheirFramesAreFfmpegs) {
    struct Case {
        Source ref, dist;
        ScorePair pair{};
        ScorePlan plan{};
        ScoreSettings settings{};
        SourceChecks checks{1, std::chrono::milliseconds(0)};
        Scorers *const scorers = reinterpret_cast<Scorers *>(this); // not used

        Case() {
            for (Source *source : {&ref, &dist}) {
                source->codec = "h264";
                source->width = source->height = 16;
                source->pix_fmt = "yuv420p";
            }
            settings.backend = "cuda";
            settings.scorers = scorers;
            settings.checks = &checks;
        }
        bool is_direct() {
            pair.reference = &ref;
            pair.distorted = &dist;
            return may_be_direct(pair, plan, settings);
        }
    };
    using Change = void (*)(Case &);
    for (const Change fits : std::initializer_list<Change>{
             [](Case &) {}, [](Case &c) { c.settings.backend = "hip"; }, [](Case &c) { c.dist.codec = "av1"; },
             [](Case &c) { c.ref.codec = c.dist.codec = "av1"; },
             [](Case &c) { c.ref.pix_fmt = c.dist.pix_fmt = "yuv422p10le"; },
             [](Case &c) { c.pair.skip_reference = 3; },
             [](Case &c) { // a shift
                 c.plan.converts = true;
                 c.plan.layout = {420, 10};
                 c.dist.pix_fmt = "yuv420p10le";
             }}) {
        Case one;
        fits(one);
        EXPECT_TRUE(one.is_direct());
    }
    for (const Change differs :
         std::initializer_list<Change>{[](Case &c) { c.settings.backend = "cpu"; },
                                       [](Case &c) { c.settings.scorers = nullptr; },
                                       [](Case &c) {
                                           c.plan.converts = true;
                                           c.plan.distorted_filter = "scale=16:16";
                                       },
                                       [](Case &c) { // as FFmpeg fills the bits of full range
                                           c.plan.converts = true;
                                           c.plan.layout = {420, 10};
                                           c.ref.range = SampleRange::full;
                                           c.dist.pix_fmt = "yuv420p10le";
                                       },
                                       [](Case &c) {
                                           c.plan.converts = true;
                                           c.plan.layout = {444, 8};
                                           c.dist.pix_fmt = "yuv444p";
                                       },
                                       [](Case &c) {
                                           c.pair.reference_window = {1.0, 24};
                                       },
                                       [](Case &c) {
                                           c.pair.distorted_window = {0, 24};
                                       },
                                       [](Case &c) {
                                           c.pair.distorted_order = {0, 2};
                                       },
                                       [](Case &c) { c.settings.dist_delay = 0.5; },
                                       [](Case &c) { c.settings.allow_damaged = true; },
                                       [](Case &c) { c.settings.allow_short = true; },
                                       [](Case &c) { c.settings.maps = {"map.y4m"}; },
                                       [](Case &c) { c.checks.give_up(c.ref); },
                                       [](Case &c) { c.ref.codec = "prores"; }, // decoders round differently
                                       [](Case &c) { c.dist.codec = ""; },      // not known yet
                                       [](Case &c) { c.dist.kind = Source::Kind::raw; },
                                       [](Case &c) { c.ref.rotation = 90; },
                                       [](Case &c) { c.ref.field_order = "tt"; },
                                       [](Case &c) { c.ref.video_streams = 2; },
                                       [](Case &c) { c.ref.ffmpeg_crops = true; },
                                       [](Case &c) { c.ref.width = 15; },
                                       [](Case &c) { c.ref.pix_fmt = "gbrp"; },
                                       [](Case &c) { // only the encode's film grain is to be left out
                                           c.ref.codec = c.dist.codec = "av1";
                                           c.settings.drop_reference_grain = false;
                                       }}) {
        Case one;
        differs(one);
        EXPECT_FALSE(one.is_direct());
    }
}

TEST(SourceChecks, OneThatCannotStartIsNoAnswer) {
    SourceChecks checks(1, std::chrono::milliseconds(0));
    Programs programs;
    programs.ffmpeg = "/there/is/no/ffmpeg";
    Source source;
    source.path = "clip.mp4";
    std::vector<std::string> remarks;
    EXPECT_THROW(checks.begin(programs, source), Error);
    EXPECT_THROW(checks.outcome(programs, source, false, remarks), Error);
}

TEST(Formats, EveryPixelFormatStatesWhatItHolds) {
    struct Case {
        const char *name;
        int chroma, bits;
        bool is_rgb;
    };
    for (const Case &c :
         {Case{"yuv420p", 420, 8, false}, {"yuv422p10be", 422, 10, false}, {"yuva444p12le", 444, 12, false},
          {"yuvj411p", 411, 8, false},    {"yuv410p", 410, 8, false},      {"yuv440p10le", 440, 10, false},
          {"nv12", 420, 8, false},        {"p010le", 420, 10, false},      {"p216be", 422, 16, false},
          {"p410le", 444, 10, false},     {"uyvy422", 422, 8, false},      {"y210le", 422, 10, false},
          {"gray", 400, 8, false},        {"gray12le", 400, 12, false},    {"ya16le", 400, 16, false},
          {"rgb24", 444, 8, true},        {"bgr0", 444, 8, true},          {"rgba64be", 444, 16, true},
          {"x2rgb10le", 444, 10, true},   {"gbrp10le", 444, 10, true},     {"gbrapf32le", 444, 16, true},
          {"pal8", 444, 8, true}}) {
        const auto content = pixel_content(c.name);
        ASSERT_TRUE(content) << c.name;
        EXPECT_EQ(content->chroma, c.chroma) << c.name;
        EXPECT_EQ(content->bits, c.bits) << c.name;
        EXPECT_EQ(content->is_rgb, c.is_rgb) << c.name;
    }
    for (const char *name : {"", "cuda", "p", "pxyz", "yuv", "yuv421p", "yuv420", "yuv420p1x", "monow"})
        EXPECT_FALSE(pixel_content(name)) << name;
}

TEST(Formats, EncodersGetDepthAndChromaOfTheSource) {
    EncodeSettings settings;
    settings.adapter = find_adapter("libx264");
    Source source;
    for (const auto &[from, to] : {std::pair("yuva444p12le", "yuv444p12le"),
                                   {"uyvy422", "yuv422p"},
                                   {"gbrp10le", "yuv420p10le"},
                                   {"rgba", "yuv420p"},
                                   {"yuv411p", "yuv420p"},
                                   {"nv12", "yuv420p"},
                                   {"gray10le", "yuv420p10le"}}) {
        source.pix_fmt = from;
        EXPECT_EQ(encoder_pix_fmt(source, settings), to) << from;
    }
    source.pix_fmt = "yuv411p"; // 4:2:0 has more columns, but fewer lines
    ASSERT_EQ(format_changes(source, "yuv420p").size(), 1u);
    EXPECT_EQ(format_changes(source, "yuv420p")[0].what, "chroma 4:1:1 becomes 4:2:0");
    EXPECT_TRUE(format_changes(source, "yuv420p")[0].is_loss);
    source.pix_fmt = "gbrp10le";
    EXPECT_EQ(format_changes(source, "yuv420p").size(), 2u); // colours, and depth
}

} // namespace
} // namespace vmaf::tune
