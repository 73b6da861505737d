#include "kept_blocks.hpp"

#include <gtest/gtest.h>

namespace vmaf::cli {

namespace {

class KeptBlocksTest : public testing::Test {
  protected:
    PictureMemory memory_ = {.kind = Memory::pinned_host,
                             .allocate =
                                 [this](std::size_t bytes) {
                                     made_++;
                                     std::shared_ptr<std::byte[]> owner(new std::byte[bytes], [this](std::byte *at) {
                                         freed_++;
                                         delete[] at;
                                     });
                                     return PictureBlock{owner.get(), owner};
                                 },
                             .luma_only = true};
    int made_ = 0, freed_ = 0;
};

TEST_F(KeptBlocksTest, BlocksAreHandedOutAgain) {
    auto kept = std::make_shared<KeptBlocks>(1000);
    for (int run = 0; run < 3; run++) {
        const PictureMemory memory = kept->around(memory_);
        EXPECT_EQ(memory.kind, Memory::pinned_host);
        EXPECT_TRUE(memory.luma_only);
        PictureBlock a = memory.allocate(300), b = memory.allocate(300), c = memory.allocate(200);
        EXPECT_NE(a.data, b.data);
        EXPECT_EQ(kept->waiting_bytes(), 0u);
    }
    EXPECT_EQ(made_, 3);
    EXPECT_EQ(freed_, 0);
    EXPECT_EQ(kept->waiting_bytes(), 800u);
    kept.reset();
    EXPECT_EQ(freed_, 3);
}

TEST_F(KeptBlocksTest, OldOnesMakeRoom) {
    auto kept = std::make_shared<KeptBlocks>(1000);
    const PictureMemory memory = kept->around(memory_);
    { PictureBlock old = memory.allocate(700); }
    { PictureBlock recent = memory.allocate(600); }
    { PictureBlock too_large = memory.allocate(1001); }
    EXPECT_EQ(kept->waiting_bytes(), 600u);
    EXPECT_EQ(freed_, 2);
}

TEST_F(KeptBlocksTest, ABlockMayOutliveAll) {
    auto kept = std::make_shared<KeptBlocks>(1000);
    PictureBlock last = kept->around(memory_).allocate(10);
    kept.reset();
    last.data[9] = std::byte{1};
    last = {};
    EXPECT_EQ(freed_, 1);
}

} // namespace

} // namespace vmaf::cli
