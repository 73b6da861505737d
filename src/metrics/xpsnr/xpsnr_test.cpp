#include "metrics/xpsnr/xpsnr.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/clip.hpp"
#include "support/metric_run.hpp"

namespace vmaf::xpsnr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Results of FFmpeg's filter for generated clips (xpsnr.md 11.1). Excludes chroma of odd sizes, which FFmpeg rounds up
// and we round down.
struct Recorded {
    int width, height, depth;
    const char *format, *scene, *distort, *frame_rate;
    std::array<std::vector<double>, 3> frames;
    std::vector<double> clip;
};

// clang-format off
const Recorded kRecorded[] = {
    {352, 288, 8, "420", "street", "dct:60", "25", {{{39.25239329269474, 31.017351341282126, 30.949292165412693, 31.00289094553778}, {38.08858081726829, 32.31490873572666, 29.95280523706541, 32.18173250945574}, {38.01432970653287, 32.235126767085035, 29.913198653303436, 32.10771540609941}}}, {32.43661122706166, 32.66408731946424, 32.60027505554874}},
    {352, 288, 8, "420", "street", "dct:60", "60", {{{39.25239329269474, 39.168618955700104, 31.720224081946107, 31.77504617028263}, {38.08858081726829, 39.845490286951076, 30.723255900672278, 32.94646915665979}, {38.01432970653287, 39.74066398587955, 30.68371990154975, 32.868606438507626}}}, {34.701007116378726, 34.62576556792021, 34.55979852974159}},
    {1920, 1080, 8, "420", "street", "dct:60", "25", {{{42.762918997989566, 34.18725151320804, 34.17991352882025}, {42.08972902359698, 36.06275715531525, 33.435752471367444}, {42.08202927994466, 36.04580738438009, 33.43195446491866}}}, {36.22217486440813, 36.49976575276333, 36.49067224236778}},
    {640, 360, 10, "420", "street", "dct:60", "30", {{{40.21729335915313, 31.86443540233928, 31.839323891009563}, {39.32639711085209, 33.36590176787145, 31.00133385949369}, {39.32174286382627, 33.37945788783206, 30.96550555517243}}}, {33.8565330552393, 33.9145571523505, 33.901807451678025}},
    {353, 287, 8, "420", "street", "dct:60", "25", {{{39.24486825006773, 30.98975490042054, 31.007791885167045}, {}, {}}}, {32.98419711722553}},
    {352, 288, 8, "420", "street", "none", "25", {{{kInfinity, kInfinity}, {kInfinity, kInfinity}, {kInfinity, kInfinity}}}, {kInfinity, kInfinity, kInfinity}},
    {1280, 720, 12, "422", "street", "dct:60", "60", {{{41.92754670576001, 41.919105960101305, 34.11778865695884}, {42.59726218964241, 44.04534656677991, 34.71922395833456}, {42.58899828201842, 44.01942720336035, 34.719507956454514}}}, {38.48631244335416, 39.42337620310406, 39.41654698984763}},
    {640, 480, 16, "444", "street", "dct:60", "25", {{{41.48025897728908, 35.64217450885033}, {43.41919814429755, 37.801134646119735}, {43.412882405548174, 37.798031597421755}}}, {38.07968363944235, 40.163647243895575, 40.15943982673004}},
    {2560, 1440, 10, "420", "street", "dct:60", "50", {{{43.60059257934726, 43.5686502911133, 35.87950120390636}, {42.952398951992556, 45.65035744759779, 35.10695212988127}, {42.95657636872008, 45.64842488871573, 35.10501337760084}}}, {40.20280727733447, 40.02863255215924, 40.0281505188464}},
    {4096, 2160, 8, "420", "street", "dct:60", "24", {{{44.50609784024691, 36.22616403202522}, {43.91419585508479, 38.11874112865227}, {43.909429430509725, 38.11992023217411}}}, {39.414750606330735, 40.54181717176018, 40.54097958254432}},
    {337, 289, 8, "420", "street", "dct:60", "25", {{{38.04396084571642, 30.735133528655616}, {}, {}}}, {33.64245061756185}},
    {352, 288, 8, "420", "flat", "noise:4", "25", {{{43.491508048696105, 25.40272882941104, 25.432581346960397}, {43.49776872904382, 25.41296122443997, 25.40339816855054}, {43.51336386314849, 25.418047021697255, 25.40339816855054}}}, {28.41359797344404, 28.405057069717564, 28.408363228682333}},
    {352, 288, 8, "420", "street", "freeze:2", "25", {{{kInfinity, 22.877747303553498, kInfinity, 22.539261638253507}, {kInfinity, 22.96375485925099, kInfinity, 22.825693441188406}, {kInfinity, 22.540114687198503, kInfinity, 22.370646710515505}}}, {28.72745565703195, 28.915049757191905, 28.47556731337269}},
    {44, 46, 8, "420", "street", "dct:60", "25", {{{36.866903240749885, 35.96833593848838}, {35.92176757395867, 32.06919997788369}, {36.224718833358175, 32.16070613238501}}}, {36.40600501360576, 33.78361449487176, 33.95716222768585}},
    {4, 2000, 8, "420", "street", "dct:60", "25", {{{kInfinity, kInfinity}, {kInfinity, kInfinity}, {kInfinity, kInfinity}}}, {kInfinity, kInfinity, kInfinity}},
    {352, 288, 8, "400", "street", "dct:60", "25", {{{39.25239329269474, 31.017351341282126}, {}, {}}}, {34.193424377627146}},
};
// clang-format on

std::vector<Picture> pictures(const Recorded &r, const std::string &distort) {
    clipgen::Options clip;
    clip.width = r.width;
    clip.height = r.height;
    clip.depth = r.depth;
    clip.format = r.format;
    clip.scene = r.scene;
    clip.distort = distort;
    std::vector<Picture> frames;
    for (unsigned i = 0; i < r.frames[0].size(); i++) frames.push_back(clip_frame(clip, i));
    return frames;
}

void expect_near(double value, double expected) { // only log10 may differ
    if (expected == kInfinity)
        EXPECT_EQ(value, expected);
    else
        EXPECT_NEAR(value, expected, 1e-12);
}

void expect_recorded(const Recorded &recorded) {
    constexpr const char *kPlanes[] = {"y", "cb", "cr"};
    SCOPED_TRACE(std::to_string(recorded.width) + "x" + std::to_string(recorded.height) + " " +
                 std::to_string(recorded.depth) + " bits " + recorded.distort);
    const std::vector<Picture> ref = pictures(recorded, "none"), dist = pictures(recorded, recorded.distort);
    for (const Isa isa : usable_isas()) {
        const MetricScores scores = run_metric(xpsnr_metric, {{"fps", recorded.frame_rate}}, ref, dist, isa);
        for (std::size_t p = 0; p < 3; p++) {
            const std::string plane = kPlanes[p];
            for (unsigned i = 0; i < recorded.frames[p].size(); i++)
                expect_near(scores.at("xpsnr_" + plane, i), recorded.frames[p][i]);
            if (p < recorded.clip.size()) expect_near(scores.aggregates.at("axpsnr_" + plane), recorded.clip[p]);
        }
    }
}

bool is_large(const Recorded &recorded) { return recorded.width > 1280; }

TEST(Xpsnr, GivesTheRecordedFigures) {
    for (const Recorded &recorded : kRecorded)
        if (!is_large(recorded)) expect_recorded(recorded);
}

TEST(Xpsnr, GivesTheRecordedFiguresOfLargePictures) {
    for (const Recorded &recorded : kRecorded)
        if (is_large(recorded)) expect_recorded(recorded);
}

TEST(Xpsnr, IsTheSameOnSeveralThreads) {
    class Threads final : public Parallel {
        unsigned threads() const override { return 5; }
    } threads;
    const Recorded clip = {353, 287, 10, "422", "street", "dct:60", "60", {{{0, 0, 0}, {}, {}}}, {}};
    const std::vector<Picture> ref = pictures(clip, "none"), dist = pictures(clip, "dct:60");
    const MetricScores alone = run_metric(xpsnr_metric, {}, ref, dist);
    const MetricScores shared = run_metric(xpsnr_metric, {}, ref, dist, Isa::scalar, threads);
    EXPECT_EQ(alone.frames, shared.frames);
    EXPECT_EQ(alone.aggregates, shared.aggregates);
}

TEST(Xpsnr, ScoresLumaAloneWhereAskedTo) {
    const Recorded clip = {64, 64, 8, "420", "street", "dct:60", "25", {{{0, 0}, {}, {}}}, {}};
    const MetricScores scores =
        run_metric(xpsnr_metric, {{"enable_chroma", "false"}}, pictures(clip, "none"), pictures(clip, "dct:60"));
    EXPECT_EQ(scores.frames.size(), 1u);
    EXPECT_EQ(scores.aggregates.size(), 1u); // no minimum of one plane
}

// Large pictures of odd sizes repeat their last column and row.
TEST(Xpsnr, TakesLargePicturesOfOddSizes) {
    const Recorded clip = {2561, 1441, 8, "400", "noise", "noise:8", "50", {{{0, 0, 0}, {}, {}}}, {}};
    const std::vector<Picture> ref = pictures(clip, "none"), dist = pictures(clip, clip.distort);
    const MetricScores expected = run_metric(xpsnr_metric, {{"fps", "50"}}, ref, dist);
    for (const Isa isa : usable_isas())
        EXPECT_EQ(run_metric(xpsnr_metric, {{"fps", "50"}}, ref, dist, isa).frames, expected.frames);
}

} // namespace
} // namespace vmaf::xpsnr
