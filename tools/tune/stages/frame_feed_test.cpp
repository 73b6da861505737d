#include "stages/frame_feed.hpp"

#include <gmock/gmock.h>
#include <string>

#include "stages/probe.hpp"
#include "stages/time_pairing.hpp"

namespace vmaf::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::span<const std::byte> bytes_of(const std::string &text) { return std::as_bytes(std::span(text)); }

// The output of a feed of two-byte frames.
std::string fed(const std::string &frames, std::vector<std::int64_t> order,
                std::unique_ptr<ReferenceStore::Filling> keep = nullptr) {
    system::Pipe pipe = system::make_pipe();
    system::write_full(pipe.write.get(), bytes_of(frames));
    pipe.write.reset();
    FrameFeed feed({std::move(pipe.read), 2, std::move(order), std::move(keep)});
    const Descriptor output = feed.take_output();
    std::string text(100, '\0');
    text.resize(system::read_full(output.get(), std::as_writable_bytes(std::span(text))));
    feed.keep_frames();
    return text;
}

TEST(FrameFeed, PassesOnWhatIsAskedFor) {
    EXPECT_EQ(fed("a0b1c2d3", {}), "a0b1c2d3");
    EXPECT_EQ(fed("a0b1c2d3", {1, 3}), "b1d3");
    EXPECT_EQ(fed("a0b1c2d3", {0, 0, 2, 2, 2}), "a0a0c2c2c2");
    EXPECT_EQ(fed("a0b1c", {0, 1, 2}), "a0b1"); // an incomplete frame does not count
}

TEST(ReferenceStore, KeepsCompleteFramesWithinItsLimit) {
    ReferenceStore store(10);
    EXPECT_EQ(store.find("a"), nullptr);
    EXPECT_EQ(store.begin("a", 11), nullptr);
    EXPECT_EQ(fed("a0b1", {}, store.begin("a", 8)), "a0b1");
    EXPECT_EQ(store.used(), 4u); // unused reservations are released
    const auto file = store.find("a");
    ASSERT_TRUE(file);
    std::string text(10, '\0');
    EXPECT_EQ(system::read_full(file->open().get(), std::as_writable_bytes(std::span(text))), 4u);
    EXPECT_EQ(text.substr(0, 4), "a0b1");
    EXPECT_EQ(store.begin("b", 8), nullptr); // no room
    {                                        // abandoned: not kept
        const auto filling = store.begin("c", 6);
        ASSERT_TRUE(filling);
        EXPECT_EQ(store.begin("c", 2), nullptr); // another thread is filling it
        EXPECT_EQ(store.find("c"), nullptr);
        EXPECT_FALSE(filling->add(bytes_of("1234567")));
    }
    EXPECT_EQ(store.used(), 4u);
}

TEST(ReferenceStore, EvictsOnlyWhatHasNotBeenUsedForLong) {
    ReferenceStore store(4);
    fed("a0b1", {}, store.begin("a", 4));
    store.next_probe();
    EXPECT_EQ(store.begin("b", 4), nullptr);
    for (int i = 0; i < 100; i++) store.next_probe();
    const auto in_use = store.find("a");
    EXPECT_EQ(store.begin("b", 4), nullptr);
    for (int i = 0; i < 100; i++) store.next_probe();
    EXPECT_EQ(store.begin("b", 4), nullptr); // it is still being read
}

TEST(Permits, ShareTheProcessors) {
    Permits permits(2, 1, {4, 5, 6, 7});
    const Permits::Held first(&permits, Stage::encode), second(&permits, Stage::encode), score(&permits, Stage::score);
    EXPECT_THAT(first.processors(), ElementsAre(4, 5));
    EXPECT_THAT(second.processors(), ElementsAre(6, 7));
    EXPECT_THAT(score.processors(), ElementsAre(4, 5, 6, 7));
    Permits many(3, 1, {1, 2});
    const Permits::Held a(&many, Stage::encode), b(&many, Stage::encode), c(&many, Stage::encode);
    EXPECT_THAT(a.processors(), ElementsAre(1));
    EXPECT_THAT(b.processors(), ElementsAre(1));
    EXPECT_THAT(c.processors(), ElementsAre(2));
    EXPECT_THAT(Permits::Held(nullptr, Stage::encode).processors(), IsEmpty());
}

TEST(Permits, ListsOfProcessorsAreChecked) {
    EXPECT_THAT(parse_processors("0-2,8"), ElementsAre(0, 1, 2, 8));
    for (const char *bad : {"", "a", "3-1", "1-", "-1", "1,,2", "99999", "1x"})
        EXPECT_ANY_THROW(parse_processors(bad)) << bad;
}

TEST(PairByTime, LeavesOutFramesWithoutPartner) {
    const std::vector<std::int64_t> constant = {0, 40'000'000, 80'000'000, 120'000'000, 160'000'000, 200'000'000};
    const std::vector<std::int64_t> variable = {0, 40'000'000, 120'000'000, 160'000'000, 200'000'000};
    const FrameOrder order = pair_by_time(constant, variable, 0);
    EXPECT_THAT(order.reference, ElementsAre(0, 1, 3, 4, 5));
    EXPECT_THAT(order.distorted, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_FALSE(order.is_out_of_step);
    EXPECT_THAT(pair_by_time(constant, constant, 40'000'000).distorted, ElementsAre(1, 2, 3, 4, 5));
}

} // namespace
} // namespace vmaf::tune
