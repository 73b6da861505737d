#include "io/kept_clips.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vmaf {

namespace {

constexpr std::uint64_t kShareOfFree = 2; // of what is free, kept clips included: the rest is for sessions and decoders
constexpr std::uint64_t kShareForRun = 8; // of all memory, that a run finds free
constexpr std::uint64_t kUnknownFree = 2; // share of all memory that counts as free where the runtime does not tell

} // namespace

// Counts the pictures that come out of a clip.
class KeptClips::Meter final : public VideoClip {
  public:
    Meter(std::shared_ptr<KeptClips> home, std::uint64_t entry, std::uint64_t picture_bytes,
          std::unique_ptr<VideoClip> clip)
        : home_(std::move(home)), entry_(entry), picture_bytes_(picture_bytes), clip_(std::move(clip)) {}
    std::optional<TimedFrame> next() override {
        auto frame = clip_->next();
        if (frame) home_->add(entry_, picture_bytes_);
        return frame;
    }

  private:
    const std::shared_ptr<KeptClips> home_;
    const std::uint64_t entry_;
    const std::uint64_t picture_bytes_;
    const std::unique_ptr<VideoClip> clip_;
};

KeptClips::Recording::~Recording() { home_->settle(entry_, false); }

void KeptClips::Recording::confirm() { home_->settle(entry_, true); }

std::optional<VideoFacts> KeptClips::facts(const std::string &file) const {
    const std::lock_guard lock(mutex_);
    for (const Entry &entry : entries_)
        if (entry.is_confirmed && !entry.is_dropped && entry.key.file == file) return entry.facts;
    return std::nullopt;
}

// The caller holds the mutex, here and below.
bool KeptClips::has(const Key &key) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry &entry) { return entry.key == key && !entry.is_dropped; });
}

KeptClips::Entry *KeptClips::entry_of(std::uint64_t number) {
    for (Entry &entry : entries_)
        if (entry.number == number && !entry.is_dropped) return &entry;
    return nullptr;
}

// Makes room for more bytes of a clip, by dropping others.
bool KeptClips::fits(std::uint64_t more, std::uint64_t but) {
    for (Entry &entry : entries_) {
        if (bytes_ + more <= most_) break;
        if (entry.number != but && !entry.is_dropped) drop(entry);
    }
    return bytes_ + more <= most_;
}

// Frees its pictures, except those that a reader still needs.
void KeptClips::drop(Entry &entry) {
    bytes_ -= entry.bytes;
    entry.bytes = 0;
    entry.is_dropped = true;
    entry.clip->stop_keeping();
}

// Dropped entries, to be destroyed without the mutex and on a run's own thread: decoders of an unfinished clip may be
// waiting for it.
KeptClips::Entries KeptClips::sweep() {
    Entries dropped;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto next = std::next(entry);
        if (entry->is_dropped) dropped.splice(dropped.end(), entries_, entry);
        entry = next;
    }
    return dropped;
}

std::unique_ptr<VideoClip> KeptClips::find(const Key &key) {
    const std::lock_guard lock(mutex_);
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &candidate) {
        return candidate.key == key && candidate.is_confirmed && !candidate.is_dropped;
    });
    if (entry == entries_.end()) return nullptr;
    entries_.splice(entries_.end(), entries_, entry);
    entry->clip->expect_another();
    return ClipTicket(entry->clip).join(key.frames, {});
}

KeptClips::Recorded KeptClips::record(const Wish &wish, std::unique_ptr<VideoClip> clip) {
    const std::uint64_t expected = wish.picture_bytes * wish.pictures.value_or(0);
    const std::uint64_t left = memory_.left().value_or(memory_.all / kUnknownFree);
    Entries dropped;
    const std::lock_guard lock(mutex_);
    most_ = (left + bytes_) / kShareOfFree;
    const std::uint64_t number = recorded_ + 1;
    if (expected > most_ || has(wish.key) || !fits(expected, number)) return {std::move(clip), nullptr};
    recorded_ = number;
    dropped = sweep();
    const auto shared = std::make_shared<SharedClip>(SharedClip::KeepsAll{});
    shared->expect_another();
    Recorded recorded;
    recorded.clip = ClipTicket(shared).join(wish.key.frames, [&] {
        return std::make_unique<Meter>(shared_from_this(), number, wish.picture_bytes, std::move(clip));
    });
    entries_.push_back({number, wish.key, wish.facts, shared});
    recorded.recording.reset(new Recording(shared_from_this(), number));
    return recorded;
}

void KeptClips::add(std::uint64_t number, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    Entry *const entry = entry_of(number);
    if (!entry) return; // it was let go
    if (!fits(bytes, number)) return drop(*entry);
    entry->bytes += bytes;
    bytes_ += bytes;
}

void KeptClips::settle(std::uint64_t number, bool is_good) {
    Entries dropped;
    const std::lock_guard lock(mutex_);
    if (Entry *const entry = entry_of(number); entry && !entry->is_confirmed) {
        entry->is_confirmed = is_good && entry->clip->is_whole();
        if (!entry->is_confirmed) drop(*entry);
    }
    dropped = sweep();
}

void KeptClips::make_room() {
    Entries dropped;
    const std::lock_guard lock(mutex_);
    for (Entry &entry : entries_) {
        if (memory_.left().value_or(memory_.all) >= memory_.all / kShareForRun) break;
        drop(entry);
    }
    dropped = sweep();
}

bool KeptClips::let_go() {
    const std::lock_guard lock(mutex_);
    bool had_some = false;
    for (Entry &entry : entries_) {
        if (entry.is_dropped) continue;
        drop(entry);
        had_some = true;
    }
    return had_some;
}

std::uint64_t KeptClips::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

} // namespace vmaf
