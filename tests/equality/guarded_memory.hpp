// Memory between two unreadable pages, with canaries in the remaining space.
#pragma once

#include <cstddef>
#include <random>

namespace vmaf::equality {

enum class Placement {
    front,   // starts right after an unreadable page
    back,    // ends right before one
    aligned, // ends as late as alignment to kAlignment allows; a canary fills the rest
};

class GuardedMemory {
  public:
    // Filled with bytes from `junk`.
    GuardedMemory(std::size_t bytes, Placement placement, std::mt19937 &junk);
    ~GuardedMemory();
    GuardedMemory(GuardedMemory &&other) noexcept;
    GuardedMemory &operator=(GuardedMemory &&) = delete;

    std::byte *data() const { return data_; }
    void freeze();       // writing faults from now on
    bool intact() const; // whether the canaries are unchanged

  private:
    std::byte *mapping_ = nullptr, *data_ = nullptr;
    std::size_t mapped_ = 0, bytes_ = 0;
};

} // namespace vmaf::equality
