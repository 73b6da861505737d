#include "io/pairing.hpp"

#include <algorithm>
#include <cstdlib>

namespace vmaf {

namespace {

// Frames match if their times differ by at most this part of the gap between frames. Containers round times to
// milliseconds; frames of other rates are further apart.
constexpr std::int64_t kTolerance = 4;

constexpr std::uint64_t kFewFrames = 24;

} // namespace

// Considers both neighbours: a gap on one side says nothing about the precision of times.
std::int64_t FramePairer::Clip::shortest_gap() const {
    const std::int64_t ahead = gap();
    if (!interval) return ahead;
    return ahead ? std::min(ahead, interval) : interval;
}

void FramePairer::Clip::take() {
    interval = gap();
    last = times.front();
    times.pop_front();
}

FramePairer::Decision FramePairer::drop(Clip &clip) {
    const bool is_reference = &clip == &reference_;
    if (is_reference && missing_ == MissingFrames::repeat && counts_.pairs > 0) {
        reference_.take();
        counts_.pairs++;
        counts_.repeated++;
        return Decision::repeat;
    }
    clip.take();
    (is_reference ? pending_.unpaired_reference : pending_.unpaired_distorted)++;
    return is_reference ? Decision::drop_reference : Decision::drop_distorted;
}

FramePairer::Decision FramePairer::next() {
    const bool has_reference = !reference_.times.empty(), has_distorted = !distorted_.times.empty();
    if (!has_reference && !reference_.is_ended) return Decision::need_reference;
    if (!has_distorted && !distorted_.is_ended) return Decision::need_distorted;
    if (!has_reference || !has_distorted) {
        // Frames during the last frame of the other clip do not make a clip longer.
        Clip &left = has_reference ? reference_ : distorted_;
        const Clip &ended = has_reference ? distorted_ : reference_;
        if (!left.times.empty() && ended.last && left.times[0] < *ended.last + ended.interval * 3 / 4)
            return drop(left);
        return Decision::end;
    }
    if (!reference_.is_decidable()) return Decision::need_reference;
    if (!distorted_.is_decidable()) return Decision::need_distorted;

    const std::int64_t r = reference_.times[0], d = distorted_.times[0];
    const std::int64_t apart = std::abs(r - d);
    std::int64_t gap = std::min(reference_.shortest_gap(), distorted_.shortest_gap());
    if (!reference_.shortest_gap() || !distorted_.shortest_gap()) // a clip of one frame
        gap = std::max(reference_.shortest_gap(), distorted_.shortest_gap());
    const bool is_near = gap == 0 || apart <= gap / kTolerance;
    if (!is_near) return drop(r < d ? reference_ : distorted_);
    // The next frame of the earlier clip may be closer.
    Clip &earlier = r < d ? reference_ : distorted_;
    const std::int64_t later_time = std::max(r, d);
    if (apart > 0 && earlier.times.size() >= 2 && std::abs(earlier.times[1] - later_time) < apart) return drop(earlier);

    reference_.take();
    distorted_.take();
    if (counts_.pairs == 0) {
        counts_.before_reference = pending_.unpaired_reference;
        counts_.before_distorted = pending_.unpaired_distorted;
    } else {
        counts_.unpaired_reference += pending_.unpaired_reference;
        counts_.unpaired_distorted += pending_.unpaired_distorted;
    }
    pending_ = {};
    counts_.pairs++;
    return Decision::pair;
}

std::optional<FramePairer::Longer> FramePairer::longer() const {
    if (reference_.times.empty() == distorted_.times.empty()) return std::nullopt;
    return distorted_.times.empty() ? Longer::reference : Longer::distorted;
}

bool FramePairer::is_out_of_step() const {
    const std::uint64_t paired = counts_.pairs - counts_.repeated;
    const std::uint64_t reference = counts_.unpaired_reference + pending_.unpaired_reference + counts_.repeated;
    const std::uint64_t distorted = counts_.unpaired_distorted + pending_.unpaired_distorted;
    return std::min(reference, distorted) * 4 > paired && reference + distorted >= kFewFrames;
}

} // namespace vmaf
