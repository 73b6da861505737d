// Decoded reference frames, kept in memory for later probes (tune.md 18.2). All jobs share one limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "system/descriptor.hpp"

namespace vmaf::tune {

using system::MemoryFile;

class ReferenceStore {
  public:
    explicit ReferenceStore(std::uint64_t limit) : limit_(limit) {}

    // Frames decoded earlier; null: none.
    std::shared_ptr<const MemoryFile> find(const std::string &key);

    // Room for frames being decoded. Unfinished ones are dropped.
    class Filling {
      public:
        ~Filling();
        Filling(const Filling &) = delete;
        Filling &operator=(const Filling &) = delete;
        bool add(std::span<const std::byte> bytes); // false: no room after all
        void finish();                              // complete: find() returns them from now on

      private:
        friend class ReferenceStore;
        Filling(ReferenceStore &store, std::string key, std::uint64_t reserved)
            : store_(store), key_(std::move(key)), reserved_(reserved) {}
        ReferenceStore &store_;
        std::string key_;
        std::uint64_t reserved_, written_ = 0;
        std::shared_ptr<MemoryFile> file_ = std::make_shared<MemoryFile>();
        bool is_finished_ = false;
    };
    // Null if `bytes` do not fit, or another job is filling that key.
    std::unique_ptr<Filling> begin(const std::string &key, std::uint64_t bytes);

    // A probe begins. Frames unused by recent probes may be evicted; frames of a running search never are, or a search
    // with more samples than fit would keep none.
    void next_probe();

    std::uint64_t used() const;

  private:
    struct Entry {
        std::shared_ptr<MemoryFile> file; // null while it is filled
        std::uint64_t bytes = 0, last_probe = 0;
    };
    bool reserve(std::uint64_t bytes);

    const std::uint64_t limit_;
    mutable std::mutex mutex_;
    std::uint64_t used_ = 0, probe_ = 0;
    std::map<std::string, Entry> entries_;
};

// The part of a wish that does not exhaust the machine: at most half of the free memory.
std::uint64_t sensible_memory(std::uint64_t wish);

} // namespace vmaf::tune
