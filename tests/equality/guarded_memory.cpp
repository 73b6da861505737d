#include "equality/guarded_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/aligned.hpp"
#include "system/pages.hpp"

namespace vmaf::equality {

namespace {

constexpr std::byte kCanary{0xC5};

} // namespace

GuardedMemory::GuardedMemory(std::size_t bytes, Placement placement, std::mt19937 &junk) : bytes_(bytes) {
    const std::size_t page = system::page_bytes(), inner = round_up(std::max<std::size_t>(bytes, 1), page);
    mapped_ = inner + 2 * page;
    mapping_ = system::allocate_pages(mapped_);
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
    for (std::byte *guard : {mapping_, begin + inner}) system::protect_pages(guard, page, system::Access::none);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), data_(other.data_), mapped_(other.mapped_),
      bytes_(other.bytes_) {}

GuardedMemory::~GuardedMemory() {
    if (mapping_) system::release_pages(mapping_, mapped_);
}

void GuardedMemory::freeze() {
    const std::size_t page = system::page_bytes();
    system::protect_pages(mapping_ + page, mapped_ - 2 * page, system::Access::read);
}

bool GuardedMemory::intact() const {
    const auto untouched = [](const std::byte *from, const std::byte *to) {
        return std::all_of(from, to, [](std::byte b) { return b == kCanary; });
    };
    const std::size_t page = system::page_bytes();
    return untouched(mapping_ + page, data_) && untouched(data_ + bytes_, mapping_ + mapped_ - page);
}

} // namespace vmaf::equality
