// Sums of tiles (maps.md): exact, equal on every instruction set, and without effect on the frame.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <string>

#include "metrics/adm/adm.hpp"
#include "metrics/adm/test_pictures.hpp"
#include "metrics/adm/tile_sums.hpp"
#include "metrics/cambi/cambi.hpp"
#include "metrics/ciede/ciede.hpp"
#include "metrics/psnr/psnr.hpp"
#include "metrics/real_tiles.hpp"
#include "metrics/registry.hpp"
#include "metrics/vif/vif.hpp"
#include "support/clip.hpp"

namespace vmaf::tiles_test {
namespace {

// Runs the parts in reverse.
class Parts : public Parallel {
  public:
    explicit Parts(unsigned count) : count_(count) {}
    unsigned threads() const override { return count_; }
    void run(unsigned count, const std::function<void(unsigned)> &task) override {
        for (unsigned i = count; i > 0; i--) task(i - 1);
    }

  private:
    unsigned count_;
};

std::unique_ptr<Metric> prepared(const MetricInfo &info, const PictureFormat &format, const OptionTexts &texts = {}) {
    auto metric = info.create(OptionValues(info.name, info.options, texts));
    metric->prepare(format);
    return metric;
}

// Metrics with scores for parts of pictures.
std::vector<const MetricInfo *> local_metrics() {
    std::vector<const MetricInfo *> list;
    for (const MetricInfo *info : all_metrics())
        if (info != &ciede_metric && info != &cambi_metric && // need chroma, and larger pictures
            !info->create(OptionValues(info->name, info->options, {}))->local_names().empty())
            list.push_back(info);
    return list;
}

FrameResult measured(const Metric &metric, const adm::PicturePair &pair, Isa isa, const TileGrid *tiles,
                     unsigned parts = 1) {
    Parts parallel(parts);
    FrameInput frame{0, pair.ref, pair.dist, {}, {}, parallel, tiles};
    FrameResult result;
    metric.make_scorer(isa)->measure(frame, result);
    return result;
}

TileGrid cells(int width, int height, int size, const PictureArea *region = nullptr) {
    std::vector<PictureArea> areas;
    for (const int x : cell_edges(width, size)) areas.push_back({x, 0, width, height});
    for (const int y : cell_edges(height, size)) areas.push_back({0, y, width, height});
    if (region) areas.push_back(*region);
    return {width, height, areas};
}

std::vector<std::int64_t> total(const FrameResult &result, std::size_t words) {
    std::vector<std::int64_t> sums(words);
    for (std::size_t i = 0; i < result.tiles.size(); i++) sums[i % words] += result.tiles[i];
    return sums;
}

struct Case {
    int width, height;
    unsigned bits, seed;
    int cell;
};
// Sizes at which tiles end inside vectors, and at which the last tile joins its neighbour or stays separate.
const std::vector<Case> kCases = {{352, 288, 8, 0, 32}, {187, 133, 10, 1, 16}, {129, 65, 8, 2, 48},
                                  {640, 74, 8, 4, 64},  {321, 163, 12, 3, 32}, {32, 47, 8, 8, 16},
                                  {700, 50, 8, 12, 32}};

TEST(Tiles, EdgesOfCells) {
    EXPECT_EQ(cell_edges(1080, 64).size(), 18u); // 56 pixels of the last row stay a cell
    EXPECT_EQ(cell_edges(100, 64), (std::vector<int>{0, 64, 100}));
    EXPECT_EQ(cell_edges(95, 64), (std::vector<int>{0, 95}));
    EXPECT_EQ(cell_edges(20, 64), (std::vector<int>{0, 20}));
    EXPECT_EQ(snapped_area({600, 200, 920, 520}, 1920, 1080), (PictureArea{592, 192, 928, 528}));
    EXPECT_EQ(snapped_area({1919, 1079, 1920, 1080}, 1920, 1080), (PictureArea{1904, 1072, 1920, 1080}));
    EXPECT_EQ(snapped_area({0, 0, 1, 1}, 100, 100), (PictureArea{0, 0, 16, 16}));
    EXPECT_EQ(snapped_area({98, 0, 100, 1}, 100, 100), (PictureArea{80, 0, 100, 16})); // 4 pixels join the 16 before
}

TEST(Tiles, ChangeNoScoreOfTheFrame) {
    for (const MetricInfo *info : local_metrics())
        for (const Case &c : kCases) {
            const adm::PicturePair pair = adm::random_pair(c.bits, c.width, c.height, c.seed);
            const auto metric = prepared(*info, pair.ref.format());
            const TileGrid grid = cells(c.width, c.height, c.cell);
            for (const Isa isa : usable_isas())
                for (const unsigned parts : {1u, 3u})
                    EXPECT_EQ(measured(*metric, pair, isa, nullptr).values,
                              measured(*metric, pair, isa, &grid, parts).values)
                        << info->name << " " << c.width << "x" << c.height << " " << to_string(isa);
        }
}

TEST(Tiles, OfChromaChangeNoScoreOfTheFrame) {
    for (const PixelFormat format : {PixelFormat::yuv420p, PixelFormat::yuv422p, PixelFormat::yuv444p}) {
        const PictureFormat odd{format, 8, 131, 67}; // planes drop an odd last row and column
        adm::PicturePair pair{Picture::allocate(odd), Picture::allocate(odd)};
        unsigned seed = 1;
        for (const Picture &picture : {pair.ref, pair.dist})
            for (unsigned p = 0; p < 3; p++)
                for (unsigned y = 0; y < odd.plane_height(p); y++)
                    for (unsigned x = 0; x < odd.plane_width(p); x++)
                        picture.data(p)[std::ptrdiff_t{y} * picture.stride_bytes(p) + x] =
                            static_cast<std::byte>(seed = seed * 1664525 + 1013904223, seed >> 24);
        const auto metric = prepared(psnr_metric, odd);
        const TileGrid grid = cells(131, 67, 16);
        for (const Isa isa : usable_isas())
            EXPECT_EQ(measured(*metric, pair, isa, nullptr).values, measured(*metric, pair, isa, &grid).values)
                << to_string(format) << " " << to_string(isa);
    }
}

TEST(Tiles, AreTheSameOnEveryInstructionSetAndForAnyParts) {
    for (const MetricInfo *info : local_metrics())
        for (const Case &c : kCases) {
            const adm::PicturePair pair = adm::random_pair(c.bits, c.width, c.height, c.seed);
            const auto metric = prepared(*info, pair.ref.format());
            if (metric->has_real_tiles()) continue;
            const PictureArea region = snapped_area({c.width / 3, 5, c.width - 3, c.height / 2}, c.width, c.height);
            const TileGrid grid = cells(c.width, c.height, c.cell, &region);
            const FrameResult scalar = measured(*metric, pair, Isa::scalar, &grid);
            for (const Isa isa : usable_isas())
                for (const unsigned parts : {1u, 2u})
                    EXPECT_EQ(scalar.tiles, measured(*metric, pair, isa, &grid, parts).tiles)
                        << info->name << " " << c.width << "x" << c.height << " " << to_string(isa);
        }
}

TEST(Tiles, AddUpWhateverTheirSize) {
    for (const MetricInfo *info : local_metrics())
        for (const Case &c : kCases) {
            const adm::PicturePair pair = adm::random_pair(c.bits, c.width, c.height, c.seed);
            const auto metric = prepared(*info, pair.ref.format());
            if (metric->has_real_tiles() || info == &adm_metric) continue;
            const TileGrid whole(c.width, c.height, {}), grid = cells(c.width, c.height, c.cell);
            const Isa isa = usable_isas().back();
            EXPECT_EQ(measured(*metric, pair, isa, &whole).tiles,
                      total(measured(*metric, pair, isa, &grid), metric->tile_words()))
                << info->name;
        }
}

// The 32-bit parts of adm depend on how rows are cut; their total does not.
TEST(Tiles, OfAdmAddUpWhateverTheirSize) {
    for (const Case &c : kCases) {
        const adm::PicturePair pair = adm::random_pair(c.bits, c.width, c.height, c.seed);
        const auto metric = prepared(adm_metric, pair.ref.format());
        const TileGrid whole(c.width, c.height, {}), grid = cells(c.width, c.height, c.cell);
        const auto one = measured(*metric, pair, Isa::scalar, &whole).tiles;
        const auto sum = total(measured(*metric, pair, Isa::scalar, &grid), adm::kTileWords);
        for (std::size_t i = 0; i < one.size(); i += 2) { // high, low
            const auto value = [i](const std::vector<std::int64_t> &words) {
                return (static_cast<unsigned __int128>(words[i]) << 32) + static_cast<unsigned __int128>(words[i + 1]);
            };
            EXPECT_TRUE(value(one) == value(sum)) << i;
        }
    }
}

TEST(Tiles, OfVifAddUpToTheFrame) {
    for (const Case &c : kCases) {
        const adm::PicturePair pair = adm::random_pair(c.bits, c.width, c.height, c.seed);
        const auto metric = prepared(vif_metric, pair.ref.format());
        const TileGrid grid = cells(c.width, c.height, c.cell);
        const FrameResult frame = measured(*metric, pair, Isa::scalar, nullptr);
        const auto sums = total(measured(*metric, pair, Isa::scalar, &grid), metric->tile_words());
        for (std::size_t i = 0; i < sums.size(); i++)
            EXPECT_EQ(std::bit_cast<std::int64_t>(frame.values[i]), sums[i]) << i;
    }
}

// The whole picture as one area: psnr and vif equal the frame's.
TEST(Tiles, ScoresOfTheWholePicture) {
    const adm::PicturePair pair = adm::random_pair(8, 352, 288, 0);
    for (const MetricInfo *info : {find_metric("psnr"), find_metric("vif")}) {
        const auto metric = prepared(*info, pair.ref.format());
        const TileGrid grid(352, 288, {});
        const FrameResult result = measured(*metric, pair, usable_isas().back(), &grid);
        std::vector<double> scores(metric->local_names().size());
        metric->local_scores(result.tiles, {0, 0, 352, 288}, scores);
        struct Sink : ScoreSink {
            std::map<std::string, double, std::less<>> scores;
            void score(std::string_view name, unsigned, double value) override { scores.emplace(name, value); }
            void aggregate(std::string_view, double) override {}
        } sink;
        metric->emit(0, result, sink);
        for (std::size_t i = 0; i < scores.size(); i++) {
            const auto found = sink.scores.find(metric->local_names()[i]);
            if (found == sink.scores.end()) continue; // chroma, which these pictures lack
            EXPECT_EQ(scores[i], found->second) << metric->local_names()[i];
        }
    }
}

TEST(Tiles, SamplesOfRealSumsLieWhereTheirPixelsAre) {
    const TileGrid grid = cells(96, 64, 32);
    // Nine positions of a reduced picture: centres of windows at luma pixels 10, 20 ... 90.
    std::vector<std::int64_t> words(grid.count() * 3);
    RealTiles tiles(grid, {9, 10, 1, 10}, {2, 32, 1, 0}, words, 3, 1);
    const double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    tiles.add_row(0, ones);
    tiles.add_row(1, ones);
    const auto at = [&](std::size_t i) { return std::bit_cast<double>(words[i]); };
    for (const std::size_t row : {0u, 1u}) {
        const std::size_t first = row * 3 * 3;
        for (const auto &[tile, count] : {std::pair{0u, 3.0}, {1u, 3.0}, {2u, 3.0}}) {
            EXPECT_EQ(at(first + tile * 3), 0.0);
            EXPECT_EQ(at(first + tile * 3 + 1), count);
            EXPECT_EQ(at(first + tile * 3 + 2), count);
        }
    }
    std::vector<std::int64_t> few(TileGrid(96, 64, {}).count() * 2);
    RealTiles none(TileGrid(96, 64, {}), {0}, {0}, few, 2); // no positions
    EXPECT_EQ(few, (std::vector<std::int64_t>(2)));
}

// With chroma, since ciede needs it.
TEST(Tiles, OfTheWholePictureHaveItsScore) {
    clipgen::Options clip;
    clip.frames = 1;
    clip.width = 352, clip.height = 288, clip.distort = "dct:24";
    const adm::PicturePair pair = adm::clip_pair(clip);
    const PictureArea all{0, 0, 352, 288};
    using OfFrame = double (*)(const FrameResult &);
    for (const auto &[name, of_frame] : {
             std::pair<const char *, OfFrame>{"ssim", [](const FrameResult &r) { return r.values[0]; }},
             {"float_ssim", [](const FrameResult &r) { return r.values[0]; }},
             {"float_vif", [](const FrameResult &r) { return r.values[0] / r.values[4]; }},
             {"ciede", [](const FrameResult &r) { return 45.0 - 20.0 * std::log10(r.values[0]); }},
             {"cambi", nullptr}, // the frame's score is that of the worst pixels
         }) {
        const auto metric = prepared(*find_metric(name), pair.ref.format());
        const TileGrid grid = cells(352, 288, 48);
        const auto sums = [&](Isa isa, unsigned parts) {
            const FrameResult result = measured(*metric, pair, isa, &grid, parts);
            EXPECT_EQ(result.values, measured(*metric, pair, isa, nullptr, parts).values) << name;
            std::vector<double> total(metric->tile_words());
            for (std::size_t i = 0; i < result.tiles.size(); i++)
                total[i % total.size()] += std::bit_cast<double>(result.tiles[i]);
            std::vector<std::int64_t> words;
            for (const double sum : total) words.push_back(std::bit_cast<std::int64_t>(sum));
            std::vector<double> scores(metric->local_names().size());
            metric->local_scores(words, all, scores);
            if (of_frame) {
                EXPECT_NEAR(scores[0], of_frame(result), 1e-6) << name;
            }
            return total;
        };
        const std::vector<double> one = sums(Isa::scalar, 1);
        for (const Isa isa : usable_isas())
            for (const unsigned parts : {1u, 3u}) {
                const std::vector<double> other = sums(isa, parts);
                for (std::size_t i = 0; i < one.size(); i++) EXPECT_NEAR(one[i], other[i], 1e-9 * std::abs(one[i]));
            }
    }
}

// Both define a part alike: sums differ only by rounding.
TEST(Tiles, OfFloatAdmAreThoseOfAdm) {
    for (const Case &c : kCases) {
        if (c.bits != 8) continue;
        const adm::PicturePair pair = adm::random_pair(c.bits, c.width, c.height, c.seed);
        const TileGrid grid = cells(c.width, c.height, c.cell);
        std::vector<std::vector<double>> scores;
        for (const char *name : {"adm", "float_adm"}) {
            const auto metric = prepared(*find_metric(name), pair.ref.format());
            const FrameResult result = measured(*metric, pair, usable_isas().back(), &grid);
            auto &all = scores.emplace_back();
            for (int row = 0; row < grid.rows(); row++)
                for (int column = 0; column < grid.columns(); column++) {
                    const std::size_t words = metric->tile_words(), tile = std::size_t(row * grid.columns() + column);
                    std::vector<double> of_tile(metric->local_names().size());
                    metric->local_scores(std::span(result.tiles).subspan(tile * words, words),
                                         {grid.x(column), grid.y(row), grid.x(column + 1), grid.y(row + 1)}, of_tile);
                    all.insert(all.end(), of_tile.begin(), of_tile.end());
                }
        }
        ASSERT_EQ(scores[0].size(), scores[1].size());
        for (std::size_t i = 0; i < scores[0].size(); i++) EXPECT_NEAR(scores[0][i], scores[1][i], 0.02) << i;
    }
}

} // namespace
} // namespace vmaf::tiles_test
