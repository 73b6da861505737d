#include "io/plain_pairs.hpp"

#include <algorithm>

namespace vmaf {

namespace {

// A thread that hands over frames smaller than this takes longer for that than for reading them.
constexpr std::size_t kLeastBytesForThreads = 64 * 1024;

bool is_worth_a_thread(const PictureFormat &format) {
    return std::size_t{format.width} * format.height * format.bytes_per_sample() >= kLeastBytesForThreads;
}

} // namespace

PlainPairs::PlainPairs(std::unique_ptr<ClipReader> reference, std::unique_ptr<ClipReader> distorted)
    : reference_{"reference", std::move(reference)}, distorted_{"distorted", std::move(distorted)},
      format_(reference_.reader->format()) {
    format_.bits = std::max(format_.bits, distorted_.reader->format().bits);
}

std::optional<std::uint64_t> PlainPairs::pairs_left() const {
    std::optional<std::uint64_t> count;
    for (const Clip *clip : {&reference_, &distorted_})
        if (const auto left = clip->reader->frames_left()) count = std::min(count.value_or(*left), *left);
    return count;
}

void PlainPairs::skip(std::uint64_t reference, std::uint64_t distorted) {
    const auto drop = [](Clip &clip, std::uint64_t count) {
        clip.has_skipped = count > 0;
        for (std::uint64_t i = 0; i < count && clip.reader->skip(); i++) {
        }
    };
    drop(reference_, reference);
    drop(distorted_, distorted);
}

void PlainPairs::check_not_empty() const {
    for (const Clip *clip : {&reference_, &distorted_}) {
        if (clip->reader->frames_left() != 0u) continue;
        const PictureFormat &f = clip->reader->format();
        throw invalid("the " + std::string(clip->role) + " clip " + clip->reader->name() + " has no frame of " +
                      std::to_string(f.width) + "x" + std::to_string(f.height) + " " + to_string(f.pixel_format) + " " +
                      std::to_string(f.bits) + " bit to score" +
                      (clip->has_skipped ? " after the skipped ones" : "; check that it is complete"));
    }
}

void PlainPairs::start(const PairsUse &use) {
    for (Clip *clip : {&reference_, &distorted_})
        clip->frames = std::make_unique<ReadAhead>(
            *clip->reader, ReadAhead::Config{.bits = format_.bits,
                                             .has_chroma = use.reads_chroma,
                                             .frames_ahead = use.frames_ahead,
                                             .threads = is_worth_a_thread(format_) ? use.reading_threads : 0,
                                             .memory = use.memory});
}

unsigned PlainPairs::pictures() const { return reference_.frames->pictures() + distorted_.frames->pictures(); }

std::optional<FramePairs::Pair> PlainPairs::next() {
    Pair pair{reference_.frames->next(), distorted_.frames->next()};
    reference_.has_ended = !pair.reference;
    distorted_.has_ended = !pair.distorted;
    if (reference_.has_ended || distorted_.has_ended) return std::nullopt;
    return pair;
}

} // namespace vmaf
