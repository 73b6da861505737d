// Host pictures that are handed out and come back when their last handle goes.
#pragma once

#include <memory>

#include "picture/picture.hpp"

namespace vmaf {

class PicturePool {
  public:
    PicturePool(const PictureFormat &format, unsigned count);
    // Pictures still held elsewhere stay valid and free themselves.
    ~PicturePool();

    // Waits until a picture is free. Contents are those of its last use.
    Picture fetch();
    // Adds a picture to the pool instead of waiting.
    Picture fetch_or_add();
    const PictureFormat &format() const;
    unsigned size() const;

  private:
    struct State;
    class Pooled;
    static Picture take_idle(State &state); // with its lock held
    std::shared_ptr<State> state_;
};

} // namespace vmaf
