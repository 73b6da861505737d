// Memory aligned for vector loads, with slack past its end so that full vectors may be read and written there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace vmaf {

inline constexpr std::size_t kAlignment = 64;      // one cache line, one AVX-512 vector
inline constexpr std::size_t kOverreadBytes = 128; // readable and writable after every buffer and every picture plane

template <class T> constexpr T round_up(T value, T multiple) { return (value + multiple - 1) / multiple * multiple; }

// A fixed-size, zero-filled array of trivial elements.
template <class T> class AlignedArray {
  public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count) : size_(count) {
        if (count > (SIZE_MAX - kOverreadBytes - kAlignment) / sizeof(T)) throw std::bad_alloc();
        // Untouched zeroed pages cost nothing, so a forged clip header alone cannot fill the memory.
        void *const block = std::calloc(1, count * sizeof(T) + kOverreadBytes + kAlignment);
        if (!block) throw std::bad_alloc();
        const auto address = round_up(reinterpret_cast<std::uintptr_t>(block), std::uintptr_t{kAlignment});
        data_ = {reinterpret_cast<T *>(address), Free{block}};
    }
    T *data() { return data_.get(); }
    const T *data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T &operator[](std::size_t i) { return data_.get()[i]; }
    const T &operator[](std::size_t i) const { return data_.get()[i]; }
    std::span<T> span() { return {data(), size_}; }
    std::span<const T> span() const { return {data(), size_}; }

  private:
    struct Free {
        void *block = nullptr;
        void operator()(T *) const { std::free(block); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

} // namespace vmaf
