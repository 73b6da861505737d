// A ByteSource as FFmpeg's input: its reads can be cancelled while a pipe gives nothing.
#pragma once

#include <memory>

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
    ByteSource source_;
    AVIOContext *context_ = nullptr;
};

} // namespace vmaf::libav
