// libvmaf/turbo.h: maps and regions as clients use them.
#include "libvmaf/turbo.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "client.hpp"

namespace {

using namespace capi_test;

struct Taken {
    VmafContext *ctx = nullptr;
    std::vector<unsigned> frames;
    std::vector<double> first_cells;
    int columns = 0, rows = 0, right = 0, bottom = 0, read_from_inside = 0;
};

void take(void *user, const VmafTurboCells *cells) {
    Taken &taken = *static_cast<Taken *>(user);
    EXPECT_EQ(cells->size, sizeof *cells);
    taken.frames.push_back(cells->index);
    taken.first_cells.push_back(cells->scores[0]);
    taken.columns = cells->columns;
    taken.rows = cells->rows;
    taken.right = cells->x[cells->columns];
    taken.bottom = cells->y[cells->rows];
    double score = -1;
    EXPECT_EQ(vmaf_feature_score_at_index(taken.ctx, "psnr_y", &score, cells->index), 0);
    taken.read_from_inside = feed(taken.ctx, 1000);
}

VmafTurboMap map_of(const char *score, Taken &taken) {
    return {.size = sizeof(VmafTurboMap), .score = score, .on_cells = take, .user = &taken};
}

VmafTurboRegion region(const char *name, int x, int y, int w, int h) {
    return {.size = sizeof(VmafTurboRegion), .name = name, .x = x, .y = y, .w = w, .h = h};
}

TEST(TurboParts, MapsAndRegionsOfEveryFrame) {
    for (const unsigned threads : {0u, 3u}) {
        Taken cells, of_model;
        LoadedModel model("vmaf_v0.6.1", "vmaf");
        Context ctx(quiet(threads));
        cells.ctx = of_model.ctx = ctx;
        const VmafTurboMap map = map_of("psnr_y", cells);
        VmafTurboMap model_map = map_of(nullptr, of_model);
        model_map.model = model;
        const VmafTurboRegion all = region("all", 0, 0, 64, 48), corner = region("corner", 1, 1, 9, 9);
        EXPECT_EQ(vmaf_turbo_use_map(ctx, &map), 0) << vmaf_turbo_last_error();
        EXPECT_EQ(vmaf_turbo_use_map(ctx, &model_map), -EINVAL); // its features are not registered
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        EXPECT_EQ(vmaf_turbo_use_map(ctx, &model_map), 0) << vmaf_turbo_last_error();
        EXPECT_EQ(vmaf_turbo_use_region(ctx, &all), 0);
        EXPECT_EQ(vmaf_turbo_use_region(ctx, &corner), 0);
        EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
        for (unsigned i = 0; i < 5; i++) ASSERT_EQ(feed(ctx, i), 0) << vmaf_turbo_last_error();
        EXPECT_EQ(vmaf_turbo_use_region(ctx, &corner), -EINVAL); // too late
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        EXPECT_EQ(cells.frames, (std::vector<unsigned>{0, 1, 2, 3, 4}));
        EXPECT_EQ(of_model.frames, cells.frames);
        EXPECT_EQ(cells.columns, 2);
        EXPECT_EQ(cells.rows, 2); // 32 and 16 lines
        EXPECT_EQ(cells.right, 64);
        EXPECT_EQ(cells.bottom, 48);
        EXPECT_EQ(cells.read_from_inside, -EINVAL);
        for (unsigned i = 0; i < 5; i++) {
            double frame = 0, part = 1, corners = 0;
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, "psnr_y", &frame, i), 0);
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, "psnr_y_all", &part, i), 0);
            EXPECT_EQ(vmaf_feature_score_at_index(ctx, "vmaf_corner", &corners, i), 0);
            EXPECT_EQ(frame, part);
        }
    }
}

// Waiting for the end of the stream, which delivers the frames' motion for models, would grow memory with the clip.
TEST(TurboParts, CellsOfModelsComeOneFrameLate) {
    for (const char *version : {"vmaf_v0.6.1", "vmaf_float_v0.6.1"}) {
        Taken cells;
        LoadedModel model(version, "vmaf");
        Context ctx(quiet(0));
        cells.ctx = ctx;
        VmafTurboMap map = map_of(nullptr, cells);
        map.model = model;
        EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
        EXPECT_EQ(vmaf_use_features_from_model(ctx, model), 0);
        EXPECT_EQ(vmaf_turbo_use_map(ctx, &map), 0) << vmaf_turbo_last_error();
        for (unsigned i = 0; i < 5; i++) ASSERT_EQ(feed(ctx, i), 0) << vmaf_turbo_last_error();
        EXPECT_EQ(cells.frames, (std::vector<unsigned>{0, 1, 2, 3})) << version;
        EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
        EXPECT_EQ(cells.frames.size(), 5u);
    }
}

TEST(TurboParts, RegionsThatMoveHaveScoresWhereTheyAre) {
    Context ctx;
    VmafTurboRegion face = region("face", 0, 0, 16, 16);
    face.moves = 1;
    face.index = 2;
    EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
    EXPECT_EQ(vmaf_turbo_use_region(ctx, &face), 0);
    EXPECT_EQ(vmaf_turbo_use_region(ctx, &face), -EINVAL); // two positions in one frame
    face.index = 3;
    EXPECT_EQ(vmaf_turbo_use_region(ctx, &face), 0);
    for (unsigned i = 0; i < 4; i++) ASSERT_EQ(feed(ctx, i), 0);
    EXPECT_EQ(vmaf_read_pictures(ctx, nullptr, nullptr, 0), 0);
    double score = 0;
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "psnr_y_face", &score, 1), -EINVAL);
    EXPECT_EQ(vmaf_feature_score_at_index(ctx, "psnr_y_face", &score, 3), 0);
    const std::string path = testing::TempDir() + "turbo_parts.json";
    ASSERT_EQ(vmaf_write_output(ctx, path.c_str(), VMAF_OUTPUT_FORMAT_JSON), 0) << vmaf_turbo_last_error();
    std::ifstream file(path);
    const std::string document((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NE(document.find("\"moves\""), std::string::npos);
}

// Each is refused with a message; the context continues where possible.
TEST(TurboParts, ImpossibleMapsAndRegionsAreRefused) {
    Taken taken;
    const auto first_frame = [](VmafContext *ctx) {
        EXPECT_EQ(vmaf_use_feature(ctx, "psnr", nullptr), 0);
        return feed(ctx, 0);
    };
    for (const VmafTurboRegion &bad :
         {region("", 0, 0, 16, 16), region("a b", 0, 0, 16, 16), region("far", 1 << 30, 0, 1 << 30, 1),
          region("least", std::numeric_limits<int>::min(), -1, -1, std::numeric_limits<int>::min())}) {
        Context ctx;
        EXPECT_EQ(vmaf_turbo_use_region(ctx, &bad), -EINVAL);
        EXPECT_STRNE(vmaf_turbo_last_error(), "");
        EXPECT_EQ(first_frame(ctx), 0);
    }
    for (const VmafTurboRegion &bad : {region("out", 40, 0, 32, 16), region("empty", 0, 0, 0, 16)}) {
        Context ctx;
        EXPECT_EQ(vmaf_turbo_use_region(ctx, &bad), 0);
        EXPECT_EQ(first_frame(ctx), -EINVAL);
        EXPECT_NE(std::string(vmaf_turbo_last_error()).find(bad.name), std::string::npos);
    }
    Context ctx;
    VmafTurboMap map = map_of("vmaf", taken);
    map.cell = 24;
    EXPECT_EQ(vmaf_turbo_use_map(ctx, &map), -EINVAL);
    map.cell = 0;
    map.on_cells = nullptr;
    EXPECT_EQ(vmaf_turbo_use_map(ctx, &map), -EINVAL);
    map = map_of(nullptr, taken);
    EXPECT_EQ(vmaf_turbo_use_map(ctx, &map), -EINVAL);
    EXPECT_EQ(vmaf_turbo_use_map(ctx, nullptr), -EINVAL);
    EXPECT_EQ(vmaf_turbo_use_region(nullptr, nullptr), -EINVAL);
}

} // namespace
