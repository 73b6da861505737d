// Pictures that are handed out and come back when their last handle goes.
#pragma once

#include <functional>
#include <memory>

#include "picture/picture.hpp"

namespace vmaf {

// Memory for the samples of one picture, and what frees it.
struct PictureBlock {
    std::byte *data = nullptr;
    std::shared_ptr<void> owner;
};
// Where the pictures of a pool lie. `allocate` throws std::bad_alloc or Error.
struct PictureMemory {
    Memory kind = Memory::host;
    std::function<PictureBlock(std::size_t bytes)> allocate;
    bool luma_only = false; // chroma planes have a size but no samples
};
PictureMemory host_memory();

class PicturePool {
  public:
    PicturePool(const PictureFormat &format, unsigned count, PictureMemory memory = host_memory());
    // Pictures still held elsewhere stay valid and free themselves.
    ~PicturePool();

    // Waits until a picture is free. Contents are those of its last use.
    Picture fetch();
    // Adds a picture to the pool instead of waiting.
    Picture fetch_or_add();
    // The same as long as the pool has less than `limit` pictures and there is memory; then waits.
    Picture fetch_within(unsigned limit);
    const PictureFormat &format() const;
    unsigned size() const;

  private:
    struct State;
    class Pooled;
    static Picture take_idle(State &state); // with its lock held
    std::shared_ptr<State> state_;
};

} // namespace vmaf
