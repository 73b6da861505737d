// Pictures whose samples a caller owns (libvmaf/turbo.h).
#pragma once

#include "picture/picture.hpp"

namespace vmaf {

class ForeignBuffer final : public PictureBuffer {
  public:
    explicit ForeignBuffer(const PictureFormat &format) : PictureBuffer(format) {}

    void *ready_queue = nullptr; // device memory: valid when this queue gets there; null: the default one
    bool is_transient = false;   // device memory: copied at once, since it changes afterwards
    bool is_ready = false;       // no queue has to be waited for

    // Called when the last reference goes.
    void (*release)(void *user) = nullptr;
    void *user = nullptr;

  private:
    ~ForeignBuffer() override {
        if (release) release(user);
    }
};

// Null for pictures of our own.
inline const ForeignBuffer *foreign(const Picture &picture) {
    return dynamic_cast<const ForeignBuffer *>(picture.get());
}

} // namespace vmaf
