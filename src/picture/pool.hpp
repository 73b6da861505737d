// A pool of pictures; each returns to it with its last handle.
#pragma once

#include <functional>
#include <memory>

#include "picture/picture.hpp"

namespace vmaf {

// Memory for the samples of one picture, and how to free it.
struct PictureBlock {
    std::byte *data = nullptr;
    std::shared_ptr<void> owner;
};
// How a pool allocates its pictures. `allocate` throws std::bad_alloc or Error.
struct PictureMemory {
    Memory kind = Memory::host;
    std::function<PictureBlock(std::size_t bytes)> allocate;
    bool luma_only = false; // chroma planes have a size but no samples
};
PictureMemory host_memory();

class PicturePool {
  public:
    PicturePool(const PictureFormat &format, unsigned count, PictureMemory memory = host_memory());
    // Pictures still in use stay valid and free themselves.
    ~PicturePool();

    // Waits for a free picture; it contains the samples of its last use.
    Picture fetch();
    // Adds a picture to the pool instead of waiting.
    Picture fetch_or_add();
    // Adds a picture while the pool has fewer than `limit` and there is memory; then waits.
    Picture fetch_within(unsigned limit);
    const PictureFormat &format() const;
    unsigned size() const;

  private:
    struct State;
    class Pooled;
    static Picture take_idle(State &state); // call it with the lock held
    std::shared_ptr<State> state_;
};

} // namespace vmaf
