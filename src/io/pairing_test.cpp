#include "io/pairing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pairing_test {
namespace {

using namespace vmaf;
using Decision = FramePairer::Decision;
using Times = std::vector<std::int64_t>;

constexpr std::int64_t kFrame = 40'000'000;

Times frames(int count, std::int64_t interval = kFrame, std::int64_t start = 0) {
    Times times;
    for (int i = 0; i < count; i++) times.push_back(start + i * interval);
    return times;
}

Times without(Times times, std::initializer_list<int> positions) {
    Times kept;
    for (std::size_t i = 0; i < times.size(); i++)
        if (std::find(positions.begin(), positions.end(), static_cast<int>(i)) == positions.end())
            kept.push_back(times[i]);
    return kept;
}

struct Outcome {
    std::string pairs; // "reference:distorted " by position; "r" marks a repeated frame
    PairingCounts counts;
    std::optional<FramePairer::Longer> longer;
    bool is_out_of_step = false;
};

Outcome run(const Times &reference, const Times &distorted, MissingFrames missing = MissingFrames::skip) {
    FramePairer pairer(missing);
    Outcome outcome;
    std::size_t r = 0, d = 0, given_r = 0, given_d = 0, last = 0;
    for (;;) {
        outcome.is_out_of_step |= pairer.is_out_of_step();
        switch (pairer.next()) {
        case Decision::need_reference:
            given_r < reference.size() ? pairer.reference(reference[given_r++]) : pairer.end_reference();
            break;
        case Decision::need_distorted:
            given_d < distorted.size() ? pairer.distorted(distorted[given_d++]) : pairer.end_distorted();
            break;
        case Decision::pair: outcome.pairs += std::to_string(r++) + ":" + std::to_string(last = d++) + " "; break;
        case Decision::repeat: outcome.pairs += std::to_string(r++) + ":" + std::to_string(last) + "r "; break;
        case Decision::drop_reference: r++; break;
        case Decision::drop_distorted: d++; break;
        case Decision::end:
            outcome.counts = pairer.counts();
            outcome.longer = pairer.longer();
            return outcome;
        }
    }
}

TEST(FramePairer, EqualTimesArePairedInOrder) {
    const Outcome o = run(frames(4), frames(4));
    EXPECT_EQ(o.pairs, "0:0 1:1 2:2 3:3 ");
    EXPECT_EQ(o.counts.pairs, 4u);
    EXPECT_FALSE(o.longer);
}

TEST(FramePairer, TimesRoundedToMillisecondsStillFit) {
    Times exact = frames(300, 16'683'333), rounded;
    for (const std::int64_t t : exact) rounded.push_back((t + 500'000) / 1'000'000 * 1'000'000);
    const Outcome o = run(exact, rounded);
    EXPECT_EQ(o.counts.pairs, 300u);
    EXPECT_EQ(o.counts.unpaired_reference + o.counts.unpaired_distorted, 0u);
}

TEST(FramePairer, AMissingFrameIsSkipped) {
    const Outcome o = run(frames(5), without(frames(5), {2}));
    EXPECT_EQ(o.pairs, "0:0 1:1 3:2 4:3 ");
    EXPECT_EQ(o.counts.unpaired_reference, 1u);
    EXPECT_EQ(o.counts.unpaired_distorted, 0u);
}

TEST(FramePairer, AMissingFrameCanBeTheOneBefore) {
    const Outcome o = run(frames(5), without(frames(5), {2, 3}), MissingFrames::repeat);
    EXPECT_EQ(o.pairs, "0:0 1:1 2:1r 3:1r 4:2 ");
    EXPECT_EQ(o.counts.repeated, 2u);
}

TEST(FramePairer, FramesThatOnlyTheDistortedClipHasAreDropped) {
    const Outcome o = run(without(frames(5), {1}), frames(5));
    EXPECT_EQ(o.pairs, "0:0 1:2 2:3 3:4 ");
    EXPECT_EQ(o.counts.unpaired_distorted, 1u);
}

TEST(FramePairer, HalfTheRateMeetsEverySecondFrame) {
    const Outcome o = run(frames(8), frames(4, 2 * kFrame));
    EXPECT_EQ(o.pairs, "0:0 2:1 4:2 6:3 ");
    EXPECT_EQ(o.counts.unpaired_reference, 3u);
    EXPECT_FALSE(o.longer); // the last reference frame is shown during the last distorted one
    EXPECT_FALSE(o.is_out_of_step);
    EXPECT_EQ(run(frames(4, 2 * kFrame), frames(8)).pairs, "0:0 1:2 2:4 3:6 ");
    EXPECT_EQ(run(frames(8), frames(4, 2 * kFrame), MissingFrames::repeat).pairs,
              "0:0 1:0r 2:1 3:1r 4:2 5:2r 6:3 7:3r ");
}

TEST(FramePairer, VariableRatesAreFollowed) {
    const Times variable = {0, kFrame, 3 * kFrame, 4 * kFrame, 8 * kFrame, 9 * kFrame};
    EXPECT_EQ(run(variable, variable).counts.pairs, 6u);
    EXPECT_EQ(run(frames(10), variable).pairs, "0:0 1:1 3:2 4:3 8:4 9:5 ");
}

TEST(FramePairer, FramesBeforeTheFirstPairAreCountedApart) {
    const Outcome o = run(frames(6), frames(6, kFrame, -3 * kFrame));
    EXPECT_EQ(o.pairs, "0:3 1:4 2:5 ");
    EXPECT_EQ(o.counts.before_distorted, 3u);
    EXPECT_EQ(o.counts.unpaired_distorted, 0u);
    EXPECT_EQ(o.longer, FramePairer::Longer::reference);
}

TEST(FramePairer, TheLongerClipIsKnown) {
    EXPECT_EQ(run(frames(5), frames(3)).longer, FramePairer::Longer::reference);
    EXPECT_EQ(run(frames(3), frames(5)).longer, FramePairer::Longer::distorted);
    EXPECT_EQ(run(frames(5), frames(3), MissingFrames::repeat).counts.pairs, 3u);
}

TEST(FramePairer, RatesWithoutCommonTimesAreOutOfStep) {
    EXPECT_TRUE(run(frames(240, 41'666'667), frames(300, 33'333'333)).is_out_of_step);
    EXPECT_TRUE(run(frames(2000, 41'666'667), frames(2000, 41'708'333)).is_out_of_step); // 24 and 23.976
    EXPECT_FALSE(run(frames(240), frames(480, kFrame / 2)).is_out_of_step);
}

TEST(FramePairer, SingleFramesAndEmptyClips) {
    EXPECT_EQ(run({0}, {0}).pairs, "0:0 ");
    EXPECT_EQ(run({0}, frames(3)).pairs, "0:0 ");
    EXPECT_EQ(run({}, frames(3)).pairs, "");
    EXPECT_EQ(run(frames(3), {}).pairs, "");
    EXPECT_EQ(run({}, {}).pairs, "");
}

} // namespace
} // namespace pairing_test
