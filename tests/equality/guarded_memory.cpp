#include "equality/guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/aligned.hpp"

namespace vmaf::equality {

namespace {

constexpr std::byte kCanary{0xC5};

std::size_t page_size() {
    static const auto size = std::size_t(sysconf(_SC_PAGESIZE));
    return size;
}

} // namespace

GuardedMemory::GuardedMemory(std::size_t bytes, Placement placement, std::mt19937 &junk) : bytes_(bytes) {
    const std::size_t page = page_size(), inner = round_up(std::max<std::size_t>(bytes, 1), page);
    mapped_ = inner + 2 * page;
    void *const memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<std::byte *>(memory);
    std::byte *const begin = mapping_ + page;
    data_ = placement == Placement::front  ? begin
            : placement == Placement::back ? begin + inner - bytes
                                           : begin + (inner - bytes) / kAlignment * kAlignment;
    std::memset(begin, int(kCanary), inner);
    auto word = std::uint32_t(junk());
    for (std::size_t i = 0; i < bytes; i++) {
        word = word * 1664525u + 1013904223u;
        data_[i] = std::byte(word >> 24);
    }
    mprotect(mapping_, page, PROT_NONE);
    mprotect(begin + inner, page, PROT_NONE);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), data_(other.data_), mapped_(other.mapped_),
      bytes_(other.bytes_) {}

GuardedMemory::~GuardedMemory() {
    if (mapping_) munmap(mapping_, mapped_);
}

void GuardedMemory::freeze() { mprotect(mapping_ + page_size(), mapped_ - 2 * page_size(), PROT_READ); }

bool GuardedMemory::intact() const {
    const auto untouched = [](const std::byte *from, const std::byte *to) {
        return std::all_of(from, to, [](std::byte b) { return b == kCanary; });
    };
    return untouched(mapping_ + page_size(), data_) && untouched(data_ + bytes_, mapping_ + mapped_ - page_size());
}

} // namespace vmaf::equality
