// References whose pictures stay on a device between the runs of a process: each is decoded once, and later encodes are
// compared with what is there. Bounded by the device's free memory; the least recently used go first.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/shared_clip.hpp"
#include "io/video_clip.hpp"

namespace vmaf {

class KeptClips : public std::enable_shared_from_this<KeptClips> {
  public:
    struct Memory {
        std::uint64_t all = 0;                              // bytes of the device
        std::function<std::optional<std::uint64_t>()> left; // that can still be allocated, if known
    };
    explicit KeptClips(Memory memory) : memory_(std::move(memory)) {}
    KeptClips(const KeptClips &) = delete;
    KeptClips &operator=(const KeptClips &) = delete;

    struct Key {
        std::string file;   // its content, and how it is opened
        std::string frames; // how its pictures are made
        bool operator==(const Key &) const = default;
    };
    // Of a file of which pictures are kept; empty: none are.
    std::optional<VideoFacts> facts(const std::string &file) const;
    // The kept pictures from the first one on; null: there are none.
    std::unique_ptr<VideoClip> find(const Key &key);

    // A clip whose pictures are kept while it is read, if they fit; find() does not give it before confirm().
    class Recording {
      public:
        ~Recording();
        Recording(const Recording &) = delete;
        Recording &operator=(const Recording &) = delete;
        // The file was read to its end, and has not changed since `key` was made.
        void confirm();

      private:
        friend class KeptClips;
        Recording(std::shared_ptr<KeptClips> home, std::uint64_t entry) : home_(std::move(home)), entry_(entry) {}
        const std::shared_ptr<KeptClips> home_;
        const std::uint64_t entry_;
    };
    struct Recorded {
        std::unique_ptr<VideoClip> clip;
        std::unique_ptr<Recording> recording; // null: the clip is not kept
    };
    struct Wish {
        Key key;
        VideoFacts facts;
        std::uint64_t picture_bytes = 0;
        std::optional<std::uint64_t> pictures; // if known
    };
    Recorded record(const Wish &wish, std::unique_ptr<VideoClip> clip);

    // Before a run: leaves it a share of the memory.
    void make_room();
    // Memory is short. False if nothing was kept.
    bool let_go();

    std::uint64_t bytes() const;

  private:
    struct Entry {
        std::uint64_t number; // of all recorded: a run whose entry was dropped must not touch a later one of its key
        Key key;
        VideoFacts facts;
        std::shared_ptr<SharedClip> clip;
        std::uint64_t bytes = 0;
        bool is_confirmed = false, is_dropped = false;
    };
    class Meter;
    using Entries = std::list<Entry>; // least recently used first
    bool has(const Key &key) const;
    Entry *entry_of(std::uint64_t number);
    bool fits(std::uint64_t more, std::uint64_t but);
    void drop(Entry &entry);
    Entries sweep();
    void add(std::uint64_t number, std::uint64_t bytes);
    void settle(std::uint64_t number, bool is_good);

    const Memory memory_;
    mutable std::mutex mutex_;
    Entries entries_;
    std::uint64_t recorded_ = 0;         // entries so far
    std::uint64_t bytes_ = 0, most_ = 0; // of all entries; that they may have
};

} // namespace vmaf
