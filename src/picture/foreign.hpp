// Pictures whose samples a caller owns (libvmaf/turbo.h).
#pragma once

#include "picture/picture.hpp"

namespace vmaf {

class ForeignBuffer final : public PictureBuffer {
  public:
    explicit ForeignBuffer(const PictureFormat &format) : PictureBuffer(format) {}

    void *ready_queue =
        nullptr; // device memory: the samples are valid once this queue gets here; null: the default queue
    bool is_transient = false; // device memory: copied at once, since the caller reuses it
    bool is_ready = false;     // no queue to wait for

    // Called when the last reference is dropped.
    void (*release)(void *user) = nullptr;
    void *user = nullptr;

  private:
    ~ForeignBuffer() override {
        if (release) release(user);
    }
};

// Null for our own pictures.
inline const ForeignBuffer *foreign(const Picture &picture) {
    return dynamic_cast<const ForeignBuffer *>(picture.get());
}

} // namespace vmaf
