// A queue that does not allocate if room was reserved, so that push_back() cannot fail.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace vmaf {

template <class T> class Ring {
  public:
    // Reserves room for `count` elements in total. Throws std::bad_alloc without changing anything.
    void reserve(std::size_t count) {
        if (count <= slots_.size()) return;
        std::vector<T> larger(std::bit_ceil(count));
        for (std::size_t i = 0; i < size_; i++) larger[i] = std::move(at(i));
        slots_ = std::move(larger);
        head_ = 0;
    }
    void push_back(T value) noexcept { at(size_++) = std::move(value); } // needs room
    T pop_front() noexcept {
        T value = std::move(at(0));
        head_ = (head_ + 1) & (slots_.size() - 1);
        size_--;
        return value;
    }
    T &front() { return at(0); }
    T &at(std::size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

  private:
    std::vector<T> slots_; // a power of two
    std::size_t head_ = 0, size_ = 0;
};

} // namespace vmaf
