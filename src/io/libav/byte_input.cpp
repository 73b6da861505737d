#include "io/libav/byte_input.hpp"

#include <new>

#include "base/error.hpp"

namespace vmaf::libav {

namespace {

// Small for pipes, whose source fills it before anything is examined; frames bypass it.
constexpr int kPipeBufferBytes = 4096, kFileBufferBytes = 1 << 16;

} // namespace

// Exceptions must not pass through C.
int ByteInput::read(void *opaque, std::uint8_t *buffer, int bytes) try {
    auto &self = *static_cast<ByteInput *>(opaque);
    const std::span memory(reinterpret_cast<std::byte *>(buffer), static_cast<std::size_t>(bytes));
    const std::size_t got =
        self.position_ ? self.source_.read_some_at(*self.position_, memory) : self.source_.read(memory);
    if (self.position_) *self.position_ += got;
    return got ? static_cast<int>(got) : AVERROR_EOF;
} catch (const Error &e) {
    return e.code() == ECANCELED ? AVERROR_EXIT : AVERROR(EIO);
} catch (...) {
    return AVERROR(ENOMEM);
}

std::int64_t ByteInput::seek(void *opaque, std::int64_t offset, int whence) {
    auto &self = *static_cast<ByteInput *>(opaque);
    const auto size = self.source_.size();
    if (!size || !self.position_) return AVERROR(ENOSYS);
    const auto end = static_cast<std::int64_t>(*size);
    if (whence & AVSEEK_SIZE) return end;
    std::int64_t base = 0;
    switch (whence & ~AVSEEK_FORCE) {
    case SEEK_SET: break;
    case SEEK_CUR: base = static_cast<std::int64_t>(*self.position_); break;
    case SEEK_END: base = end; break;
    default: return AVERROR(EINVAL);
    }
    std::int64_t target = 0;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return AVERROR(EINVAL);
    self.position_ = static_cast<std::uint64_t>(target);
    return target;
}

ByteInput::ByteInput(const std::string &path) : source_(ByteSource::open(path)), position_(source_.position()) {
    if (source_.gather(1) == 0) throw invalid(source_.name() + " is empty; there is nothing to score");
    const int bytes = position_ ? kFileBufferBytes : kPipeBufferBytes;
    auto *const buffer = static_cast<unsigned char *>(av_malloc(static_cast<std::size_t>(bytes)));
    if (buffer) context_ = avio_alloc_context(buffer, bytes, 0, this, read, nullptr, position_ ? seek : nullptr);
    if (!context_) {
        av_free(buffer);
        throw std::bad_alloc();
    }
}

ByteInput::~ByteInput() {
    av_freep(&context_->buffer);
    avio_context_free(&context_);
}

} // namespace vmaf::libav
