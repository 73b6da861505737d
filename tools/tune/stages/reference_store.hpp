// Decoded reference frames, kept in memory for the probes that follow (tune.md 18.2). All jobs share one limit.
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

    // Frames decoded before; null: none.
    std::shared_ptr<const MemoryFile> find(const std::string &key);

    // Room for frames that are being decoded. What is not finished is dropped.
    class Filling {
      public:
        ~Filling();
        Filling(const Filling &) = delete;
        Filling &operator=(const Filling &) = delete;
        bool add(std::span<const std::byte> bytes); // false: there is no room after all
        void finish();                              // they are complete: from now on find() gives them

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
    // Null where `bytes` do not fit, or where another job fills that key already.
    std::unique_ptr<Filling> begin(const std::string &key, std::uint64_t bytes);

    // A probe begins. Frames that none of the last probes wanted may make room for others; frames of a search that goes
    // on never do, or a search with more samples than fit would keep none.
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

// What may be taken of a wish, so that the machine does not run out of memory: at most half of what is free now.
std::uint64_t sensible_memory(std::uint64_t wish);

} // namespace vmaf::tune
