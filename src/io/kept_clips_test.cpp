// References that stay for later runs: what is kept, for whom, and how much of it.
#include "io/kept_clips.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace vmaf::kept_clips_test {
namespace {

constexpr std::uint64_t kPicture = 10; // bytes

// Frames with the times 0, 1, ...; counts them, and may end in damage.
class Numbers final : public VideoClip {
  public:
    Numbers(int count, int &made, bool is_damaged = false) : count_(count), is_damaged_(is_damaged), made_(made) {}
    std::optional<TimedFrame> next() override {
        if (next_ == count_ && is_damaged_) throw invalid("damaged");
        if (next_ == count_) return std::nullopt;
        made_++;
        TimedFrame frame;
        frame.time = next_++;
        return frame;
    }

  private:
    int count_, next_ = 0;
    bool is_damaged_;
    int &made_;
};

struct Store {
    std::uint64_t left = 1000;
    std::shared_ptr<KeptClips> clips =
        std::make_shared<KeptClips>(KeptClips::Memory{1000, [this] { return std::optional(left); }});
    int made = 0;

    static VideoFacts facts_of(unsigned width) {
        VideoFacts facts;
        facts.width = width;
        return facts;
    }
    static int read(VideoClip &clip, int most = 1000) {
        int count = 0;
        for (; count < most; count++) {
            const auto frame = clip.next();
            if (!frame) break;
            EXPECT_EQ(frame->time, count);
        }
        return count;
    }
    // A run on `count` frames; returns whether they came from an earlier run.
    bool run(const KeptClips::Key &key, int count, int most = 1000, bool is_unchanged = true, bool is_stated = true) {
        if (auto kept = clips->find(key)) {
            EXPECT_EQ(read(*kept, most), std::min(count, most));
            return true;
        }
        auto [clip, recording] =
            clips->record({key, facts_of(static_cast<unsigned>(count)), kPicture,
                           is_stated ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(count)) : std::nullopt},
                          std::make_unique<Numbers>(count, made));
        EXPECT_EQ(read(*clip, most), std::min(count, most));
        if (recording && is_unchanged) recording->confirm();
        return false;
    }
};

TEST(KeptClips, GivesLaterRunsTheSameFrames) {
    Store store;
    EXPECT_FALSE(store.clips->facts("a"));
    EXPECT_FALSE(store.run({"a", "8 bit"}, 20));
    EXPECT_TRUE(store.run({"a", "8 bit"}, 20));
    EXPECT_TRUE(store.run({"a", "8 bit"}, 20, 7)); // ends early
    EXPECT_TRUE(store.run({"a", "8 bit"}, 20));
    EXPECT_EQ(store.made, 20);
    EXPECT_EQ(store.clips->facts("a")->width, 20u);
    EXPECT_EQ(store.clips->bytes(), 20 * kPicture);
}

TEST(KeptClips, IsForTheSameFileAndTheSameFramesOnly) {
    Store store;
    store.run({"a", "8 bit"}, 20);
    EXPECT_FALSE(store.run({"a", "10 bit"}, 10));
    EXPECT_FALSE(store.run({"b", "8 bit"}, 10));
    EXPECT_TRUE(store.run({"a", "10 bit"}, 10));
    EXPECT_TRUE(store.run({"a", "8 bit"}, 20));
    EXPECT_FALSE(store.clips->facts("c"));
}

TEST(KeptClips, NeedsAWholeFileThatDidNotChange) {
    Store store;
    const KeptClips::Key key{"a", "8 bit"};
    EXPECT_FALSE(store.run(key, 20, 7));
    EXPECT_FALSE(store.run(key, 20, 20)); // its end was not read
    EXPECT_FALSE(store.run(key, 20, 1000, false));
    {
        auto [clip, recording] =
            store.clips->record({key, {}, kPicture, {}}, std::make_unique<Numbers>(3, store.made, true));
        EXPECT_THROW(Store::read(*clip), Error);
        recording->confirm();
    }
    EXPECT_FALSE(store.clips->facts("a"));
    EXPECT_EQ(store.clips->bytes(), 0u);
    EXPECT_FALSE(store.run(key, 20));
    EXPECT_TRUE(store.run(key, 20));
}

TEST(KeptClips, UsesHalfOfWhatIsFree) {
    Store store;
    for (const bool is_stated : {true, false}) {
        const KeptClips::Key large{"large", is_stated ? "a" : "b"};
        EXPECT_FALSE(store.run(large, 51, 1000, true, is_stated));
        EXPECT_EQ(store.clips->bytes(), 0u);
        EXPECT_FALSE(store.run(large, 50, 1000, true, is_stated));
        EXPECT_EQ(store.clips->bytes(), 500u);
        EXPECT_TRUE(store.run(large, 50));
        store.clips->let_go();
    }
    store.left = 300; // others took the rest
    EXPECT_FALSE(store.run({"small", ""}, 16));
    EXPECT_EQ(store.clips->bytes(), 0u);
    EXPECT_FALSE(store.run({"small", ""}, 15));
    EXPECT_EQ(store.clips->bytes(), 150u);
}

TEST(KeptClips, DropsTheLeastRecentlyUsedFirst) {
    Store store;
    for (const char *name : {"a", "b", "c"}) EXPECT_FALSE(store.run({name, ""}, 10)); // 100 bytes each
    EXPECT_TRUE(store.run({"a", ""}, 10));
    store.left = 100; // so that 200 may be kept
    EXPECT_FALSE(store.run({"d", ""}, 10));
    EXPECT_FALSE(store.clips->facts("b"));
    EXPECT_FALSE(store.clips->facts("c"));
    EXPECT_TRUE(store.run({"a", ""}, 10));
    EXPECT_TRUE(store.run({"d", ""}, 10));
    EXPECT_EQ(store.clips->bytes(), 200u);
}

TEST(KeptClips, LeavesARunAnEighthOfTheMemory) {
    Store store;
    store.run({"a", ""}, 10);
    store.clips->make_room();
    EXPECT_TRUE(store.run({"a", ""}, 10));
    store.left = 124;
    store.clips->make_room();
    EXPECT_EQ(store.clips->bytes(), 0u);
}

TEST(KeptClips, AReaderGoesOnWhenItsClipIsLetGo) {
    Store store;
    store.run({"a", ""}, 20);
    const auto kept = store.clips->find({"a", ""});
    EXPECT_EQ(Store::read(*kept, 5), 5);
    EXPECT_TRUE(store.clips->let_go());
    EXPECT_FALSE(store.clips->let_go());
    int rest = 5;
    while (const auto frame = kept->next()) EXPECT_EQ(frame->time, rest++);
    EXPECT_EQ(rest, 20);
    EXPECT_FALSE(store.run({"a", ""}, 20));
    // While it is recorded: the clip goes on without being kept.
    auto [clip, recording] =
        store.clips->record({{"b", ""}, {}, kPicture, {}}, std::make_unique<Numbers>(20, store.made));
    EXPECT_EQ(Store::read(*clip, 5), 5);
    store.clips->let_go();
    for (rest = 5; const auto frame = clip->next(); rest++) EXPECT_EQ(frame->time, rest);
    EXPECT_EQ(rest, 20);
    recording->confirm();
    EXPECT_FALSE(store.clips->find({"b", ""}));
    EXPECT_EQ(store.clips->bytes(), 0u);
}

TEST(KeptClips, TwoRunsAtOnceDoNotMeetInOneClip) {
    Store store;
    const KeptClips::Key key{"a", ""};
    auto first = store.clips->record({key, {}, kPicture, {}}, std::make_unique<Numbers>(20, store.made));
    EXPECT_FALSE(store.clips->find(key));
    auto second = store.clips->record({key, {}, kPicture, {}}, std::make_unique<Numbers>(20, store.made));
    EXPECT_FALSE(second.recording);
    EXPECT_EQ(Store::read(*second.clip), 20);
    EXPECT_EQ(Store::read(*first.clip), 20);
    first.recording->confirm();
    EXPECT_TRUE(store.run(key, 20));
    EXPECT_EQ(store.made, 40);
}

TEST(KeptClips, ARunWhoseClipWasLetGoLeavesTheNextOneAlone) {
    Store store;
    const KeptClips::Key key{"a", ""};
    auto first = store.clips->record({key, {}, kPicture, {}}, std::make_unique<Numbers>(20, store.made));
    EXPECT_EQ(Store::read(*first.clip, 5), 5);
    store.clips->let_go();
    auto second = store.clips->record({key, {}, kPicture, {}}, std::make_unique<Numbers>(20, store.made));
    EXPECT_EQ(Store::read(*second.clip, 20), 20);
    EXPECT_FALSE(second.clip->next());
    while (first.clip->next()) continue;
    EXPECT_EQ(store.clips->bytes(), 20 * kPicture);
    first.recording.reset();
    second.recording->confirm();
    EXPECT_TRUE(store.run(key, 20));
}

} // namespace
} // namespace vmaf::kept_clips_test
