// The device code of cambi on banded pictures, whose scores are not 0; its pooling on lists of values; heat maps.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.hpp"
#include "device/host/host_device.hpp"
#include "metrics/cambi/cambi.hpp"
#include "metrics/cambi/cambi_pool_kernels.hpp"
#include "metrics/cambi/cambi_stages.hpp"
#include "support/device_run.hpp"

namespace vmaf::cambi_device_test {
namespace {

namespace fs = std::filesystem;

void put(const Picture &picture, int x, int y, unsigned sample) {
    std::byte *const row = picture.data(0) + y * picture.stride_bytes(0);
    if (picture.format().bits == 8)
        row[x] = std::byte(sample);
    else
        reinterpret_cast<std::uint16_t *>(row)[x] = std::uint16_t(sample);
}

// Smooth slopes in few levels, patches of distant levels, and noise that the mask excludes.
Picture banded(const PictureFormat &format, unsigned seed) {
    const Picture picture = Picture::allocate(format);
    std::minstd_rand random(seed);
    for (int y = 0; y < int(format.height); y++)
        for (int x = 0; x < int(format.width); x++) {
            double level = 300 + 30 * std::sin(x * 0.021 + seed) + 25 * std::sin(y * 0.017);
            if (x / 53 % 3 == 1) level = 80 + (x / 26 + y / 20) % 5 * 200 + std::floor(x / 9.0);
            if ((x / 37 + y / 31) % 7 == 3) level = 500 + double(random() % 200);
            put(picture, x, y, unsigned(int(std::floor(level))) << 6 >> (16 - format.bits));
        }
    return picture;
}

std::vector<PicturePair> banded_pairs(const PictureFormat &format) {
    return {{banded(format, 1), banded(format, 2)}, {banded(format, 5), banded(format, 3)}};
}

class CambiDevice : public testing::TestWithParam<unsigned> {
  protected:
    std::unique_ptr<Device> device_ = open_host_device(GetParam());
};

INSTANTIATE_TEST_SUITE_P(InGroupsOf, CambiDevice, testing::Values(32u, 64u),
                         [](const auto &info) { return std::to_string(info.param); });

TEST_P(CambiDevice, ScoresBandedPicturesLikeTheScalarCode) {
    const auto check = [&](unsigned width, unsigned height, unsigned bits, const OptionTexts &options) {
        const DeviceCase c = {"cambi", options, {PixelFormat::yuv400p, bits, width, height}};
        EXPECT_EQ(device_difference(c, banded_pairs(c.format), *device_), "") << c.name();
    };
    check(240, 131, 8, {});
    check(217, 66, 12, {});
    check(650, 19, 10, {{"window_size", "127"}}); // coarse scales are lower than the window
    check(21, 400, 16, {{"window_size", "127"}});
    for (const OptionTexts &options : std::vector<OptionTexts>{
             {{"full_ref", "true"}, {"window_size", "127"}, {"topk", "0.3"}},
             {{"max_log_contrast", "5"}, {"tvi_threshold", "0.002"}, {"topk", "1"}},
             {{"max_log_contrast", "4"}, {"cambi_vis_lum_threshold", "10"}},
             {{"enc_width", "223"}, {"enc_height", "151"}, {"enc_bitdepth", "8"}, {"topk", "0.001"}}})
        check(235, 153, 10, options);
}

TEST_P(CambiDevice, BandedPicturesDoNotScoreZero) {
    const PictureFormat format = {PixelFormat::yuv400p, 10, 240, 131};
    const auto metric = cambi_metric.create(OptionValues("cambi", cambi_metric.options, {}));
    metric->prepare(format);
    for (const FrameResult &result : results_on_device(*metric, banded_pairs(format), *device_))
        EXPECT_GT(result.values[0], 1.0);
}

// The speed-up needs two million pixels; 7680x270 also has scales lower than the window.
TEST_P(CambiDevice, DropsAnOctave) {
    if (GetParam() == 64) GTEST_SKIP() << "one device is enough for such a picture";
    const DeviceCase c = {"cambi", {{"cambi_high_res_speedup", "1080"}}, {PixelFormat::yuv400p, 8, 7680, 270}};
    const Picture picture = banded(c.format, 4);
    EXPECT_EQ(device_difference(c, {{picture, picture}}, *device_), "");
}

std::string contents(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_P(CambiDevice, WritesTheHeatMapsOfTheScalarCode) {
    const PictureFormat format = {PixelFormat::yuv400p, 10, 235, 43};
    const fs::path folder = fs::path(testing::TempDir()) / ("cambi_device_maps_" + std::to_string(GetParam()));
    const auto maps_of = [&](const char *name, auto run) {
        const fs::path here = folder / name;
        {
            const auto metric = cambi_metric.create(OptionValues(
                "cambi", cambi_metric.options, {{"heatmaps_path", here.string()}, {"max_log_contrast", "3"}}));
            metric->prepare(format);
            run(*metric);
        }
        std::vector<std::string> maps;
        for (const char *file : {"0_235x43", "1_118x22", "2_59x11", "3_30x6", "4_15x3"})
            maps.push_back(contents(here / ("cambi_heatmap_scale_" + std::string(file) + "_16b.gray")));
        return maps;
    };
    const auto pairs = banded_pairs(format);
    const auto wanted = maps_of("cpu", [&](const Metric &m) { results_on_cpu(m, pairs, Isa::scalar); });
    const auto got = maps_of("device", [&](const Metric &m) { results_on_device(m, pairs, *device_); });
    EXPECT_EQ(wanted[0].size(), 2u * 2 * 235 * 43);
    EXPECT_NE(wanted[0], std::string(wanted[0].size(), '\0'));
    EXPECT_EQ(got, wanted);
    fs::remove_all(folder);
}

// Lists of c-values through the pooling kernels only; sums within and beyond 53 bits.
class CambiPooling : public CambiDevice {
  protected:
    double pooled_on_device(const std::vector<float> &values, double topk) {
        using namespace kernels;
        constexpr std::size_t kPools = kCambiScales * sizeof(CambiPool);
        const std::size_t bytes = values.size() * sizeof(float);
        const auto memory = device_->allocate(kPools + kCambiScales * sizeof(u64)), list = device_->allocate(bytes);
        const auto staging = device_->allocate_pinned(std::max<std::size_t>(bytes, 64));
        std::memcpy(staging->data(), values.data(), bytes);
        const auto queue = device_->make_queue();
        const Device::Scope scope(*device_);
        queue->upload(list->data(), 0, staging->data(), 0, {bytes, 1});
        queue->clear(memory->data(), memory->size());
        CambiPoolArgs args{};
        args.c_values = {reinterpret_cast<u32 *>(list->data()), 0};
        args.pools = {reinterpret_cast<u64 *>(memory->data()), 0};
        args.sums = {reinterpret_cast<u64 *>(memory->data() + kPools), 0};
        const auto count = int(values.size());
        const auto take = cambi::pooled_count(values.size(), topk);
        unsigned blocks = 0;
        for (CambiPoolScale &scale : args.scale) scale = {.values = 1, .take = 1, .first_block = 1 << 30, .blocks = 1};
        for (const char *name : {"cambi_select_top", "cambi_select_middle", "cambi_select_low"}) {
            const LoadedKernel kernel = device_->load({"cambi", name});
            blocks = blocks_for(count, kernel.shape.tile_width);
            args.scale[0] = {.values = u32(count), .take = u32(take), .first_block = 0, .blocks = int(blocks)};
            launch(*queue, kernel, {blocks, 1, 1}, args);
        }
        launch(*queue, device_->load({"cambi", "cambi_ordered_sum"}), {1, 1, 1}, args);
        queue->download(staging->data(), 0, memory->data() + kPools, 0, {sizeof(u64), 1});
        queue->finish();
        return double(*reinterpret_cast<const u64 *>(staging->data())) * 0x1p-24 / double(take);
    }

    void check(std::vector<float> values, double topk) {
        const double got = pooled_on_device(values, topk);
        EXPECT_EQ(got, cambi::scalar_pool(values, values.size(), topk)) << values.size() << " values, topk " << topk;
    }
};

INSTANTIATE_TEST_SUITE_P(InGroupsOf, CambiPooling, testing::Values(32u, 64u),
                         [](const auto &info) { return std::to_string(info.param); });

TEST_P(CambiPooling, TakesTheLargestValues) {
    std::mt19937 random(7);
    for (const std::size_t size : {1u, 1000u, 40000u})
        for (const unsigned share_of_zeros : {0u, 60u}) {
            std::vector<float> values(size);
            for (float &v : values)
                if (random() % 100 >= share_of_zeros)
                    v = random() % 3 ? std::ldexp(1.0f + float(random() % 8388608) * 0x1p-23f, int(random() % 14) - 1)
                                     : 17.25f;
            for (const double topk : {0.0001, 0.3, 1.0}) check(values, topk);
        }
}

TEST_P(CambiPooling, AddsLargeSumsInThePrescribedOrder) {
    std::mt19937 random(11);
    for (const unsigned kinds : {40u, 1u << 24}) { // few: many ties
        std::vector<float> values(100003);
        for (float &v : values) v = 8500.0f + float(random() % kinds) * (1000.0f / float(kinds));
        for (const double topk : {0.75, 1.0}) check(values, topk);
    }
}

} // namespace
} // namespace vmaf::cambi_device_test
