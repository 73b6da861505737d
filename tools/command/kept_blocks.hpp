// Memory of pictures that outlives their pool: page-locked memory takes longer to get than a frame to score.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "picture/pool.hpp"

namespace vmaf::cli {

class KeptBlocks : public std::enable_shared_from_this<KeptBlocks> {
  public:
    explicit KeptBlocks(std::size_t limit) : limit_(limit) {} // in bytes, of blocks that wait

    // The same memory, whose blocks come back here and are handed out again.
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
    std::deque<Block> waiting_; // the oldest in front
    std::size_t bytes_ = 0;
};

} // namespace vmaf::cli
