// Pairs that read one clip concurrently.
#include "io/shared_clip.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"

namespace vmaf::shared_clip_test {
namespace {

// Frames with the times 0, 1, ...; counts how many were made, and fails at one of them on request.
class Numbers final : public VideoClip {
  public:
    Numbers(int count, std::atomic<int> &made, int bad = -1) : count_(count), bad_(bad), made_(made) {}
    std::optional<TimedFrame> next() override {
        if (made_ == bad_) throw invalid("damaged");
        if (made_ == count_) return std::nullopt;
        TimedFrame frame;
        frame.time = made_++;
        return frame;
    }

  private:
    int count_, bad_;
    std::atomic<int> &made_;
};

// Takes at most `most` frames; returns how many arrived, with ascending times.
int take(VideoClip &clip, int most) {
    int taken = 0;
    for (; taken < most; taken++) {
        const auto frame = clip.next();
        if (!frame) break;
        EXPECT_EQ(frame->time, taken);
    }
    return taken;
}

TEST(SharedClip, GivesEveryPairAllFramesAndMakesEachOnce) {
    std::atomic<int> made{0};
    const auto clip = std::make_shared<SharedClip>(4);
    std::vector<std::thread> pairs;
    std::array<int, 4> taken{};
    for (std::size_t i = 0; i < taken.size(); i++)
        pairs.emplace_back([&, i] {
            ClipTicket ticket(clip);
            if (i == 3) return; // could not open its other clip
            const auto reader = ticket.join("a", [&] { return std::make_unique<Numbers>(100, made); });
            taken[i] = take(*reader, i == 1 ? 7 : 1000); // one ends early
        });
    for (std::thread &pair : pairs) pair.join();
    EXPECT_EQ(taken, (std::array<int, 4>{100, 7, 100, 0}));
    EXPECT_EQ(made, 100);
}

TEST(SharedClip, IsNotForPairsThatNeedOtherFrames) {
    std::atomic<int> made{0};
    const auto clip = std::make_shared<SharedClip>(2);
    ClipTicket first(clip), second(clip);
    const auto reader = first.join("a", [&] { return std::make_unique<Numbers>(20, made); });
    EXPECT_EQ(second.join("b", [&] { return std::make_unique<Numbers>(20, made); }), nullptr);
    EXPECT_EQ(take(*reader, 100), 20);
}

TEST(SharedClip, ReportsDamageToEveryPair) {
    std::atomic<int> made{0};
    const auto clip = std::make_shared<SharedClip>(2);
    ClipTicket first(clip), second(clip);
    const auto make = [&] { return std::make_unique<Numbers>(20, made, 3); };
    const auto one = first.join("a", make), other = second.join("a", make);
    EXPECT_EQ(take(*one, 3), 3);
    EXPECT_THROW(one->next(), Error);
    EXPECT_EQ(take(*other, 3), 3);
    EXPECT_THROW(other->next(), Error);
}

} // namespace
} // namespace vmaf::shared_clip_test
