// Keeps picture memory beyond its pool: allocating page-locked memory takes longer than scoring a frame.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "picture/pool.hpp"

namespace vmaf::cli {

class KeptBlocks : public std::enable_shared_from_this<KeptBlocks> {
  public:
    explicit KeptBlocks(std::size_t limit) : limit_(limit) {} // bytes of unused blocks

    // Wraps `memory` so that freed blocks return here and are reused.
    PictureMemory around(PictureMemory memory);
    std::size_t waiting_bytes() const;

  private:
    struct Block {
        std::size_t bytes = 0;
        PictureBlock memory;
    };
    PictureBlock take(std::size_t bytes);
    void give_back(std::size_t bytes, PictureBlock memory) noexcept;

    const std::size_t limit_;
    mutable std::mutex mutex_;
    std::deque<Block> waiting_; // oldest first
    std::size_t bytes_ = 0;
};

} // namespace vmaf::cli
