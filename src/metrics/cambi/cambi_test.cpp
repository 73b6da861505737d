#include "metrics/cambi/cambi.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "metrics/cambi/cambi_setup.hpp"
#include "metrics/cambi/cambi_stages.hpp"
#include "support/clip.hpp"
#include "support/luma_pair.hpp"
#include "support/metric_run.hpp"
#include "system/files.hpp"

namespace vmaf::cambi_test {
namespace {

namespace fs = std::filesystem;

const std::string kCambi = "Cambi_feature_cambi_score";

clipgen::Options clip(int width, int height, const std::string &format, int depth, const std::string &scene,
                      const std::string &distort) {
    clipgen::Options options;
    options.width = width;
    options.height = height;
    options.format = format;
    options.depth = depth;
    options.scene = scene;
    options.distort = distort;
    options.seed = 3;
    return options;
}

const clipgen::Options kBanded = clip(640, 360, "420", 8, "gradient", "dct:30");
const clipgen::Options kTenBits = clip(352, 288, "420", 10, "gradient", "band:8");

// The scores, equal on every instruction set.
MetricScores score(const std::vector<Picture> &ref, const std::vector<Picture> &dist, const OptionTexts &texts = {}) {
    const MetricScores scores = run_metric(cambi_metric, texts, ref, dist);
    for (const Isa isa : usable_isas())
        EXPECT_EQ(run_metric(cambi_metric, texts, ref, dist, isa).frames, scores.frames) << to_string(isa);
    return scores;
}

MetricScores score(clipgen::Options options, const OptionTexts &texts = {}) {
    const Picture dist = clip_frame(options, 0);
    options.distort = "none";
    return score({clip_frame(options, 0)}, {dist}, texts);
}

cambi::Setup setup(int width, int height, const OptionTexts &texts, unsigned bits = 8) {
    return cambi::make_setup(OptionValues("cambi", cambi::kOptions, texts),
                             {PixelFormat::yuv420p, bits, unsigned(width), unsigned(height)});
}

// The figures of sections 2, 3, 7, 8 and 14 of the specification.
TEST(Cambi, GivesTheCheckValuesOfTheSpecification) {
    const std::pair<clipgen::Options, double> cases[] = {
        {clip(352, 288, "420", 8, "gradient", "band:7"), 0.06568038491304645},
        {clip(352, 288, "420", 10, "gradient", "band:8"), 22.7494272192531},
        {clip(321, 241, "444", 12, "gradient", "band:8"), 22.72213074124479},
        {clip(321, 241, "444", 16, "gradient", "band:9"), 10.70001268246177},
        {clip(352, 288, "420", 8, "street", "dct:60"), 0.006519612210263436},
        {clip(640, 360, "420", 8, "gradient", "dct:30"), 22.45988589798747},
        {clip(219, 131, "444", 8, "gradient", "dct:20"), 0.14930465034417717},
        {clip(400, 216, "420", 10, "street", "dct:90"), 0.030182446929053725},
        {clip(131, 217, "444", 8, "gradient", "dct:50"), 0.317333997554375},
        {clip(576, 324, "420", 8, "gradient", "none"), 23.178217681253287},
        {clip(640, 480, "420", 16, "gradient", "dct:20"), 12.325753783156886},
        {clip(1280, 720, "420", 10, "gradient", "dct:16"), 11.07510420155483},
        {clip(352, 288, "420", 8, "flat", "none"), 0.0},
        {clip(352, 288, "420", 12, "noise", "noise:10"), 0.0},
        // Coarse scales narrower or lower than the window's radius.
        {clip(2000, 120, "420", 8, "gradient", "dct:20"), 4.548432390635491},
        {clip(120, 2000, "420", 8, "gradient", "dct:20"), 0.21289345387109465},
    };
    for (const auto &[options, expected] : cases)
        EXPECT_EQ(score(options).at(kCambi, 0), expected)
            << options.width << "x" << options.height << " " << options.distort;
}

TEST(Cambi, OptionsGiveTheCheckValuesOfTheSpecification) {
    const std::pair<OptionTexts, double> cases[] = {
        {{{"window_size", "100"}}, 19.429862635654114},
        {{{"topk", "0.1"}}, 25.568113542083793},
        {{{"cambi_topk", "0.1"}}, 25.568113542083793},
        {{{"topk", "0.1"}, {"cambi_topk", "0.7"}}, 25.568113542083793},
        {{{"topk", "0.6"}, {"cambi_topk", "0.1"}}, 25.568113542083793},
        {{{"max_log_contrast", "5"}}, 23.75220951828738},
        {{{"tvi_threshold", "0.05"}}, 20.036717698715137},
        {{{"cambi_vis_lum_threshold", "5"}}, 17.182234307778817},
        {{{"enc_width", "333"}, {"enc_height", "217"}}, 22.399966719711003},
        {{{"enc_width", "6000"}, {"enc_height", "217"}}, 22.45988589798747}, // larger than the picture: ignored
        {{{"enc_width", "333"}}, 22.45988589798747},                         // an incomplete size is ignored too
        {{{"cambi_max_val", "17"}}, 17.0},
        {{{"cambi_vis_lum_threshold", "300"}}, 0.0},
        {{{"cambi_high_res_speedup", "1080"}}, 22.45988589798747}, // the picture is smaller
        {{{"cambi_high_res_speedup", "7"}}, 22.45988589798747},
    };
    for (const auto &[texts, expected] : cases)
        EXPECT_EQ(score(kBanded, texts).at(kCambi, 0), expected) << texts.begin()->first;
    EXPECT_EQ(score(kTenBits, {{"enc_bitdepth", "8"}}).at(kCambi, 0), 22.651710406048274);
    const clipgen::Options small = clip(219, 131, "444", 8, "gradient", "dct:20");
    EXPECT_EQ(score(small, {{"eotf", "pq"}}).at(kCambi, 0), 0.1529695160136398);
    EXPECT_EQ(score(small, {{"cambi_eotf", "pq"}}).at(kCambi, 0), 0.1529695160136398);
    EXPECT_EQ(score(small, {{"cambi_eotf", "bt1886"}, {"eotf", "pq"}}).at(kCambi, 0), 0.1529695160136398);
    EXPECT_EQ(score(small, {{"window_size", "31"}}).at(kCambi, 0), 0.0); // a one-pixel window
}

// At this size sums exceed 2^29, where the order of additions matters: zeros, otherwise dropped, count. From the second
// frame on they are computed at once.
TEST(Cambi, GivesTheCheckValuesAt1080p) {
    const clipgen::Options options = clip(1920, 1080, "420", 8, "gradient", "dct:20");
    const Picture dist = clip_frame(options, 0);
    const MetricScores two = score({dist, dist}, {dist, dist});
    for (const unsigned frame : {0u, 1u}) EXPECT_EQ(two.at(kCambi, frame), 22.18675450062317);
    EXPECT_EQ(score({dist}, {dist}, {{"cambi_high_res_speedup", "1080"}}).at(kCambi, 0), 22.049641010850557);
}

TEST(Cambi, SplittingAFrameDoesNotChangeScores) {
    BackwardParts parts(5);
    for (const clipgen::Options &options : {kBanded, clip(400, 1000, "420", 10, "gradient", "dct:16")}) {
        const Picture dist = clip_frame(options, 0);
        for (const Isa isa : usable_isas())
            EXPECT_EQ(run_metric(cambi_metric, {}, {dist}, {dist}, isa, parts).frames,
                      run_metric(cambi_metric, {}, {dist}, {dist}).frames);
    }
}

TEST(Cambi, FullReferenceGivesTheDifference) {
    const MetricScores scores = score(kTenBits, {{"full_ref", "true"}});
    EXPECT_EQ(scores.at(kCambi, 0), 22.7494272192531);
    EXPECT_EQ(scores.at("cambi_source", 0), 6.340068277976688);
    EXPECT_EQ(scores.at("cambi_full_reference", 0), 16.409358941276412);
    const MetricScores enlarged = score(clip(640, 480, "420", 16, "gradient", "dct:20"),
                                        {{"full_ref", "true"}, {"src_width", "1777"}, {"src_height", "999"}});
    EXPECT_EQ(enlarged.at(kCambi, 0), 12.325753783156886);
    EXPECT_EQ(enlarged.at("cambi_source", 0), 5.0494851236950105);
    EXPECT_EQ(enlarged.at("cambi_full_reference", 0), 7.276268659461875);
}

TEST(Cambi, ChromaDoesNotMatter) {
    clipgen::Options grey = kTenBits;
    grey.format = "400";
    EXPECT_EQ(score(grey).at(kCambi, 0), 22.7494272192531);
}

// Depths that no file format has are possible through the C API.
TEST(Cambi, TakesEveryDepthFrom8To16) {
    for (const int depth : {9, 11, 13, 14, 15}) {
        const double value = score(clip(321, 241, "444", depth, "gradient", "band:8")).at(kCambi, 0);
        EXPECT_GT(value, 15) << depth;
        EXPECT_LT(value, 30) << depth;
    }
    EXPECT_EQ(score(clip(321, 241, "444", 12, "gradient", "band:8")).at(kCambi, 0),
              score(clip(321, 241, "444", 14, "gradient", "band:8")).at(kCambi, 0));
}

TEST(Cambi, WindowScalesWithThePicture) {
    const auto window = [](int width, int height, const OptionTexts &texts = {}) {
        return setup(width, height, texts).encoded.window;
    };
    EXPECT_EQ(window(216, 16), 3);
    EXPECT_EQ(window(352, 288), 7);
    EXPECT_EQ(window(576, 324), 9);
    EXPECT_EQ(window(1280, 720), 21);
    EXPECT_EQ(window(1920, 1080), 33);
    EXPECT_EQ(window(3840, 2160), 65);
    EXPECT_EQ(window(1920, 1080, {{"cambi_high_res_speedup", "1080"}}), 17);
    EXPECT_EQ(window(1920, 1080, {{"cambi_high_res_speedup", "1440"}}), 33);
    EXPECT_EQ(window(3840, 2160, {{"cambi_high_res_speedup", "2160"}}), 33);
}

TEST(Cambi, VisibilityLimitsAreThoseOfTheSpecification) {
    const auto limits = [](const OptionTexts &texts) {
        const cambi::Setup s = setup(640, 360, texts);
        return std::vector<int>(s.limits.begin() + 1, s.limits.begin() + 1 + s.steps);
    };
    EXPECT_EQ(limits({{"max_log_contrast", "3"}}), (std::vector<int>{178, 305, 432, 559, 686, 813, 1023, 1023}));
    EXPECT_EQ(limits({{"eotf", "pq"}}), (std::vector<int>{233, 1023, 1023, 1023}));
    EXPECT_EQ(limits({{"tvi_threshold", "0.05"}}), (std::vector<int>{100, 149, 197, 246}));
    EXPECT_EQ(limits({{"tvi_threshold", "0.5"}}), (std::vector<int>{0, 0, 68, 73}));
    EXPECT_EQ(limits({{"tvi_threshold", "0.0002"}}), (std::vector<int>{1023, 1023, 1023, 1023}));
    EXPECT_EQ(limits({{"tvi_threshold", "1"}}), (std::vector<int>{0, 0, 0, 0}));
    const std::pair<double, int> dark[] = {{0, 0}, {0.01, 65}, {0.1, 84}, {1, 135}, {5, 214}, {50, 473}, {300, 940}};
    for (const auto &[luminance, level] : dark) EXPECT_EQ(cambi::dark_limit(cambi::luminance_bt1886, luminance), level);
    EXPECT_EQ(cambi::dark_limit(cambi::luminance_pq, 0.05), 105);
    EXPECT_EQ(cambi::dark_limit(cambi::luminance_pq, 300), 609);
}

TEST(Cambi, ReciprocalsHaveTheirChecksum) {
    std::uint32_t sum = 0;
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const float r : cambi::reciprocals()) {
        const auto pattern = std::bit_cast<std::uint32_t>(r);
        sum += pattern;
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ ((pattern >> shift) & 255)) * 0x100000001b3u;
    }
    EXPECT_EQ(sum, 0x0b0d1183u);
    EXPECT_EQ(hash, 0x2757e64d6c5cddacu);
}

TEST(Cambi, MaskThresholdGrowsWithTheNumberOfBlocks) {
    EXPECT_EQ(cambi::mask_threshold(63, 4000), 7);
    EXPECT_EQ(cambi::mask_threshold(128, 64), 9);
    EXPECT_EQ(cambi::mask_threshold(640, 360), 16);
    EXPECT_EQ(cambi::mask_threshold(1920, 1080), 21);
    EXPECT_EQ(cambi::mask_threshold(3840, 2160), 24);
}

TEST(Cambi, RefusesPicturesAndSizesItCannotUse) {
    const auto sentence = [](int width, int height, const OptionTexts &texts) -> std::string {
        try {
            setup(width, height, texts);
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), EINVAL);
            return e.what();
        }
        return "";
    };
    EXPECT_NE(sentence(215, 215, {}).find("'cambi' needs a width or a height of at least 216"), std::string::npos);
    EXPECT_EQ(sentence(216, 16, {}), "");
    EXPECT_NE(sentence(640, 360, {{"enc_width", "200"}, {"enc_height", "200"}}).find("200x200"), std::string::npos);
    EXPECT_NE(sentence(640, 360, {{"src_width", "700"}, {"src_height", "300"}}).find("700x300"), std::string::npos);
    EXPECT_NE(sentence(3840, 2160, {{"window_size", "100"}}).find("window_size=100"), std::string::npos);
    EXPECT_NE(sentence(640, 360, {{"eotf", "hlg"}}).find("bt1886 or pq"), std::string::npos);
}

TEST(Cambi, RefusesOptionsOutOfRange) {
    for (const auto &[name, text] :
         std::vector<std::pair<std::string, std::string>>{{"enc_width", "0"},
                                                          {"enc_width", "179"},
                                                          {"enc_bitdepth", "17"},
                                                          {"window_size", "14"},
                                                          {"topk", "0"},
                                                          {"topk", "nan"},
                                                          {"tvi_threshold", "x"},
                                                          {"max_log_contrast", "6"},
                                                          {"full_ref", "1"},
                                                          {"full_ref", ""},
                                                          {"cambi_high_res_speedup", "2161"}})
        EXPECT_THROW(OptionValues("cambi", cambi_metric.options, {{name, text}}), Error) << name << "=" << text;
}

TEST(Cambi, NamesShowOptionsInOrderOfTheirNames) {
    const auto suffix = [](const OptionTexts &texts) {
        return OptionValues("cambi", cambi_metric.options, texts).name_suffix();
    };
    EXPECT_EQ(suffix({{"cambi_eotf", "pq"},
                      {"cambi_vis_lum_threshold", "0.5"},
                      {"enc_height", "700"},
                      {"enc_width", "180"},
                      {"max_log_contrast", "4"},
                      {"topk", "0.37"}}),
              "_ceot_pq_vlt_0.5_ench_700_encw_180_mlc_4_topk_0.37");
    EXPECT_EQ(suffix({{"full_ref", "true"}, {"heatmaps_path", "maps"}, {"topk", "0.6"}}), "");
}

// Section 14: image and mask before the c-values, and the results, scale by scale.
TEST(Cambi, StagesGiveTheIntermediateValuesOfTheSpecification) {
    struct Row {
        int width, height;
        std::int64_t image, mask, banded;
        double pooled;
    };
    const Row rows[] = {{640, 360, 49468908, 230396, 223704, 105.11316087836468},
                        {320, 180, 12367168, 57599, 57585, 90.723027698640465},
                        {160, 90, 3091792, 14399, 14399, 57.45650810488948},
                        {80, 45, 761092, 3599, 3599, 30.732363545453108},
                        {40, 23, 187216, 919, 914, 18.760638503060825}};
    cambi::Setup s = setup(640, 360, {});
    cambi::Workspace room(s, Isa::scalar);
    AlignedArray<std::byte> counts(cambi::counts_bytes(s, room.width(), Isa::scalar));
    cambi::Canvas canvas;
    const auto image_sum = [&] {
        std::int64_t sum = 0;
        for (int y = 0; y < canvas.height; y++)
            for (int x = 0; x < canvas.width; x++) sum += canvas.image_row(y)[x];
        return sum;
    };
    for (const bool filter : {false, true}) {
        s.remove_dither = filter;
        canvas = room.load(clip_frame(kBanded, 0), s.encoded, s);
        EXPECT_EQ(image_sum(), filter ? 49541648 : 49468672);
    }
    for (int scale = 0; scale < cambi::kScales; scale++) {
        const Row &row = rows[scale];
        if (scale > 0) cambi::decimate(canvas, room);
        cambi::mode_filter(canvas, room);
        EXPECT_EQ(canvas.width, row.width);
        EXPECT_EQ(canvas.height, row.height);
        EXPECT_EQ(image_sum(), row.image);
        std::int64_t mask = 0;
        for (int y = 0; y < canvas.height; y++)
            for (int x = 0; x < canvas.width; x++) mask += canvas.mask_row(y)[x];
        EXPECT_EQ(mask, row.mask);
        cambi::scalar_c_values(canvas, s.encoded.radius(), s, 0, canvas.height, counts.data(), room.c_values.data(),
                               cambi::Wanted::all);
        const auto values = room.c_values.span().first(std::size_t(row.width) * std::size_t(row.height));
        EXPECT_EQ(std::count_if(values.begin(), values.end(), [](float c) { return c > 0; }), row.banded);
        EXPECT_EQ(cambi::scalar_pool(values, values.size(), s.topk), row.pooled);
    }
}

TEST(Cambi, APictureHalvedOnItsWayIsTheOneHalvedAfterwards) {
    for (const int depth : {8, 10, 12})
        for (const bool filter : {false, true})
            for (const auto &[width, height] : {std::pair{642, 363}, {641, 362}, {500, 301}}) {
                SCOPED_TRACE(testing::Message()
                             << depth << " bit, " << width << "x" << height << (filter ? ", filtered" : ""));
                // The last size is resampled.
                const Picture picture =
                    clip_frame(clip(width == 500 ? 641 : width, height, "420", depth, "gradient", "dct:30"), 0);
                cambi::Setup s = setup(width, height, {}, unsigned(depth));
                s.remove_dither = filter;
                cambi::Workspace whole(s, Isa::scalar);
                cambi::Canvas expected = whole.load(picture, s.encoded, s);
                cambi::decimate(expected, whole);
                s.speedup = true;
                ASSERT_TRUE(s.windows_fit());
                for (const Isa isa : usable_isas()) {
                    cambi::Workspace room(s, isa);
                    const cambi::Canvas canvas = room.load(picture, s.encoded, s);
                    ASSERT_EQ(canvas.width, expected.width);
                    ASSERT_EQ(canvas.height, expected.height);
                    for (int y = 0; y < canvas.height; y++) {
                        const auto same = [&](const auto *row, const auto *other) {
                            return std::equal(row, row + canvas.width, other);
                        };
                        ASSERT_TRUE(same(canvas.image_row(y), expected.image_row(y))) << to_string(isa) << " row " << y;
                        ASSERT_TRUE(same(canvas.mask_row(y), expected.mask_row(y))) << to_string(isa) << " row " << y;
                    }
                }
            }
}

class Folder {
  public:
    Folder() : path_(system::make_new_folder((fs::temp_directory_path() / "cambi_test_").string())) {}
    ~Folder() { fs::remove_all(path_); }
    std::string operator/(const std::string &name) const { return (path_ / name).string(); }

  private:
    fs::path path_;
};

std::vector<std::uint16_t> read_map(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::uint16_t> pixels(fs::file_size(path) / 2);
    file.read(reinterpret_cast<char *>(pixels.data()), std::streamsize(pixels.size() * 2));
    return pixels;
}

TEST(Cambi, HeatMapsHoldTheScaledValuesOfEachFrameAtItsPlace) {
    const Folder folder;
    const OptionValues options("cambi", cambi_metric.options, {{"heatmaps_path", folder / "new/maps"}});
    const auto metric = cambi_metric.create(options);
    const Picture picture = clip_frame(kBanded, 0);
    metric->prepare(picture.format());
    const auto scorer = metric->make_scorer(Isa::scalar);
    Parallel parallel;
    FrameResult result;
    for (const unsigned frame : {2u, 1u}) scorer->measure({frame, picture, picture, {}, {}, parallel}, result);

    const std::vector<std::uint16_t> map = read_map(folder / "new/maps/cambi_heatmap_scale_4_40x23_16b.gray");
    ASSERT_EQ(map.size(), 3u * 40 * 23);
    EXPECT_EQ(*std::max_element(map.begin(), map.begin() + 40 * 23), 0); // a hole
    EXPECT_TRUE(std::equal(map.begin() + 40 * 23, map.begin() + 2 * 40 * 23, map.begin() + 2 * 40 * 23));
    // The largest c of scale 4 is 34.6666679, C is 4 * 11 * 11 / 4.
    EXPECT_EQ(*std::max_element(map.begin(), map.end()), int(65535.0 / 121 * double(34.6666679f)));
    for (const char *name : {"0_640x360", "1_320x180", "2_160x90", "3_80x45"})
        EXPECT_TRUE(fs::exists(folder / (std::string("new/maps/cambi_heatmap_scale_") + name + "_16b.gray")));
#ifndef _WIN32 // there permissions are inherited
    EXPECT_EQ(fs::status(folder / "new").permissions() & fs::perms::others_all, fs::perms::none);
#endif
}

TEST(Cambi, HeatMapNamesStartAtTheEncodeSizeWithTheSpeedup) {
    const Folder folder;
    const auto metric = cambi_metric.create(OptionValues(
        "cambi", cambi_metric.options, {{"heatmaps_path", folder / "maps"}, {"cambi_high_res_speedup", "1080"}}));
    const Picture picture = Picture::allocate({PixelFormat::yuv400p, 8, 1920, 1080});
    metric->prepare(picture.format());
    Parallel parallel;
    FrameResult result;
    metric->make_scorer(Isa::scalar)->measure({0, picture, picture, {}, {}, parallel}, result);
    EXPECT_EQ(fs::file_size(folder / "maps/cambi_heatmap_scale_0_1920x1080_16b.gray"), 960u * 540 * 2);
}

TEST(Cambi, UnwritableHeatMapFolderIsRefusedBeforeScoring) {
    const Folder folder;
    std::ofstream(folder / "file") << "x";
    for (const std::string &path : {folder / "file", folder / "file/maps"}) {
        const auto metric = cambi_metric.create(OptionValues("cambi", cambi_metric.options, {{"heatmaps_path", path}}));
        EXPECT_THROW(metric->prepare({PixelFormat::yuv420p, 8, 640, 360}), Error) << path;
    }
}

} // namespace
} // namespace vmaf::cambi_test
