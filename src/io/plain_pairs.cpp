#include "io/plain_pairs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "io/shared_clip.hpp"

namespace vmaf {

namespace {

// Below this, handing frames between threads takes longer than reading them.
constexpr std::size_t kLeastBytesForThreads = 64 * 1024;

bool is_worth_a_thread(const PictureFormat &format) {
    return std::size_t{format.width} * format.height * format.bytes_per_sample() >= kLeastBytesForThreads;
}

VideoFacts facts_of(const ClipReader &clip) {
    VideoFacts facts;
    facts.container = clip.container();
    facts.codec = facts.decoder = "rawvideo";
    facts.width = clip.format().width;
    facts.height = clip.format().height;
    facts.chroma = clip.format().pixel_format;
    facts.bits = clip.format().bits;
    return facts;
}

// Frames of a clip that several pairs read.
class FramesOfReader final : public VideoClip {
  public:
    FramesOfReader(std::shared_ptr<ClipReader> reader, const ReadAhead::Config &config)
        : reader_(std::move(reader)), frames_(*reader_, config) {}
    std::optional<TimedFrame> next() override {
        TimedFrame frame;
        frame.picture = frames_.next();
        if (!frame.picture) return std::nullopt;
        return frame;
    }

  private:
    std::shared_ptr<ClipReader> reader_;
    ReadAhead frames_;
};

} // namespace

PlainPairs::PlainPairs(std::unique_ptr<ClipReader> reference, std::unique_ptr<ClipReader> distorted,
                       std::vector<std::string> steps)
    : reference_{"reference", std::move(reference)}, distorted_{"distorted", std::move(distorted)},
      format_(reference_.reader->format()) {
    format_.bits = std::max(format_.bits, distorted_.reader->format().bits);
    report_.reference = facts_of(*reference_.reader);
    report_.distorted = facts_of(*distorted_.reader);
    report_.scored_as = format_;
    report_.is_by_index = true;
    report_.steps = std::move(steps);
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
        const ChromaSize size = clip->reader->frame_size();
        throw invalid("the " + std::string(clip->role) + " clip " + clip->reader->name() + " has no frame of " +
                      std::to_string(size.width) + "x" + std::to_string(size.height) + " " + to_string(f.pixel_format) +
                      " " + std::to_string(f.bits) + " bit to score" +
                      (clip->has_skipped ? " after the skipped ones" : "; check that it is complete"));
    }
}

ReadAhead::Config PlainPairs::reading(const PairsUse &use) const {
    return {.bits = format_.bits,
            .has_chroma = use.reads_chroma,
            .frames_ahead = use.frames_ahead,
            .threads = is_worth_a_thread(format_) ? use.reading_threads : 0,
            .memory = use.memory};
}

// Null: this pair reads the reference itself.
std::unique_ptr<VideoClip> PlainPairs::join_reference(const PairsUse &use) {
    if (!use.reference_ticket || use.memory.kind != Memory::host) return nullptr;
    const std::string key = to_string(reference_.reader->part()) + " " + std::to_string(format_.bits) +
                            (use.reads_chroma ? " with chroma" : "");
    return use.reference_ticket->join(
        key, [&] { return std::make_unique<FramesOfReader>(reference_.reader, reading(use)); });
}

void PlainPairs::start(const PairsUse &use) {
    shared_reference_ = join_reference(use);
    if (!shared_reference_) reference_.frames = std::make_unique<ReadAhead>(*reference_.reader, reading(use));
    distorted_.frames = std::make_unique<ReadAhead>(*distorted_.reader, reading(use));
}

unsigned PlainPairs::pictures() const {
    return (reference_.frames ? reference_.frames->pictures() : 0) + distorted_.frames->pictures();
}

std::optional<FramePairs::Pair> PlainPairs::next() {
    Pair pair;
    if (!shared_reference_) {
        pair.reference = reference_.frames->next();
    } else if (auto frame = shared_reference_->next()) {
        pair.reference = std::move(frame->picture);
        pair.halves = std::move(frame->halves);
    }
    pair.distorted = distorted_.frames->next();
    reference_.has_ended = !pair.reference;
    distorted_.has_ended = !pair.distorted;
    if (reference_.has_ended || distorted_.has_ended) return std::nullopt;
    report_.counts.pairs++;
    return pair;
}

} // namespace vmaf
