// The pictures that the next frames look back at.
#pragma once

#include <array>
#include <memory>

#include "metrics/metric.hpp"
#include "picture/pool.hpp"
#include "session/frame.hpp"

namespace vmaf {

class PictureHistory {
  public:
    // What to keep of a pair. Copies the distorted picture if a caller's pool could not spare both; throws Error
    // without changing anything.
    PicturePair kept_of(const PicturePair &pair, const History &wanted);
    void show(Frame &frame) const; // sets the pictures that it looks back at
    void add(const PicturePair &kept, const History &wanted) noexcept;
    void clear() noexcept;

  private:
    Picture copy_of(const Picture &picture);

    std::array<Picture, 2> earlier_ref_, earlier_dist_;
    std::array<std::uint64_t, 2> earlier_numbers_{};
    std::unique_ptr<PicturePool> copies_;
};

} // namespace vmaf
