#include "io/libav/byte_input.hpp"

#include <new>

#include "base/error.hpp"

namespace vmaf::libav {

namespace {

// Small, as the source fills it before anything can be looked at; frames are read past it.
constexpr int kBufferBytes = 4096;

// Exceptions must not pass through C.
int read_bytes(void *opaque, std::uint8_t *buffer, int bytes) try {
    const std::size_t got = static_cast<ByteSource *>(opaque)->read(
        std::span(reinterpret_cast<std::byte *>(buffer), static_cast<std::size_t>(bytes)));
    return got ? static_cast<int>(got) : AVERROR_EOF;
} catch (const Error &e) {
    return e.code() == ECANCELED ? AVERROR_EXIT : AVERROR(EIO);
} catch (...) {
    return AVERROR(ENOMEM);
}

} // namespace

ByteInput::ByteInput(const std::string &path) : source_(ByteSource::open(path)) {
    auto *const buffer = static_cast<unsigned char *>(av_malloc(kBufferBytes));
    if (buffer) context_ = avio_alloc_context(buffer, kBufferBytes, 0, &source_, read_bytes, nullptr, nullptr);
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
