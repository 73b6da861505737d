// A ByteSource as FFmpeg's input, so that FFmpeg opens nothing itself: no other files named by a playlist, and no
// addresses. Files support random access; reads of a stalled pipe can be cancelled.
#pragma once

#include <cstdint>

#include "io/byte_source.hpp"
#include "io/libav/libav.hpp"

namespace vmaf::libav {

class ByteInput {
  public:
    explicit ByteInput(const std::string &path); // "-" is standard input; throws Error
    ~ByteInput();
    ByteInput(const ByteInput &) = delete;
    ByteInput &operator=(const ByteInput &) = delete;

    AVIOContext *context() const { return context_; }
    void cancel() noexcept { source_.cancel(); }

  private:
    static int read(void *self, std::uint8_t *buffer, int bytes);
    static std::int64_t seek(void *self, std::int64_t offset, int whence);

    ByteSource source_;
    std::optional<std::uint64_t> position_; // in files
    AVIOContext *context_ = nullptr;
};

} // namespace vmaf::libav
