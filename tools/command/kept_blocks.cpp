#include "kept_blocks.hpp"

#include <algorithm>
#include <utility>

namespace vmaf::cli {

PictureMemory KeptBlocks::around(PictureMemory memory) {
    auto allocate = [self = shared_from_this(), inner = std::move(memory.allocate)](std::size_t bytes) {
        PictureBlock block = self->take(bytes);
        if (!block.data) block = inner(bytes);
        std::byte *const data = block.data;
        std::shared_ptr<void> owner(data, [self, bytes, block = std::move(block)](void *) mutable {
            self->give_back(bytes, std::move(block));
        });
        return PictureBlock{data, std::move(owner)};
    };
    return {memory.kind, std::move(allocate), memory.luma_only};
}

std::size_t KeptBlocks::waiting_bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

PictureBlock KeptBlocks::take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto fits = std::find_if(waiting_.begin(), waiting_.end(), [&](const Block &b) { return b.bytes == bytes; });
    if (fits == waiting_.end()) return {};
    PictureBlock memory = std::move(fits->memory);
    waiting_.erase(fits);
    bytes_ -= bytes;
    return memory;
}

void KeptBlocks::give_back(std::size_t bytes, PictureBlock memory) noexcept try {
    const std::lock_guard lock(mutex_);
    if (bytes > limit_) return;
    waiting_.push_back({bytes, std::move(memory)});
    for (bytes_ += bytes; bytes_ > limit_; waiting_.pop_front()) bytes_ -= waiting_.front().bytes;
} catch (...) { // free it instead
}

} // namespace vmaf::cli
