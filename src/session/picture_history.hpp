// Pictures that the next frames will look back at.
#pragma once

#include <array>
#include <memory>

#include "metrics/metric.hpp"
#include "picture/pool.hpp"
#include "session/frame.hpp"

namespace vmaf {

class PictureHistory {
  public:
    // What is to be kept of a pair. Copies the distorted picture where a caller's pool could not spare both: throws
    // Error, and nothing has changed.
    PicturePair kept_of(const PicturePair &pair, const History &wanted);
    void show(Frame &frame) const; // what it looks back at
    void add(const PicturePair &kept, const History &wanted) noexcept;
    void clear() noexcept;

  private:
    Picture copy_of(const Picture &picture);

    std::array<Picture, 2> earlier_ref_, earlier_dist_;
    std::array<std::uint64_t, 2> earlier_numbers_{};
    std::unique_ptr<PicturePool> copies_;
};

} // namespace vmaf
