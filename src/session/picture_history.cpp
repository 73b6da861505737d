#include "session/picture_history.hpp"

#include <cstring>
#include <utility>

namespace vmaf {

namespace {

// Caller's pictures kept between calls: a pool of four then has two left for the next pair (c-api.md 6.3).
constexpr unsigned kMostKept = 2;

// Keeps the pictures that the next frames look back at, and releases others.
void keep(std::array<Picture, 2> &kept, const Picture &picture, unsigned count) noexcept {
    kept[1] = count > 1 ? std::move(kept[0]) : Picture();
    kept[0] = count > 0 ? picture : Picture();
}

} // namespace

PicturePair PictureHistory::kept_of(const PicturePair &pair, const History &wanted) {
    return {pair.ref, wanted.ref + wanted.dist > kMostKept ? copy_of(pair.dist) : pair.dist, pair.halves};
}

void PictureHistory::show(Frame &frame) const {
    frame.earlier_ref = earlier_ref_;
    frame.earlier_dist = earlier_dist_;
    frame.earlier_numbers = earlier_numbers_;
}

void PictureHistory::add(const PicturePair &kept, const History &wanted) noexcept {
    keep(earlier_ref_, kept.ref, wanted.ref);
    keep(earlier_dist_, kept.dist, wanted.dist);
    earlier_numbers_ = {kept.halves ? kept.halves->picture() : 0, earlier_numbers_[0]};
}

void PictureHistory::clear() noexcept {
    earlier_ref_.fill({});
    earlier_dist_.fill({});
}

Picture PictureHistory::copy_of(const Picture &picture) {
    if (!copies_) copies_ = std::make_unique<PicturePool>(picture.format(), 0);
    Picture copy = copies_->fetch_or_add();
    const PictureFormat &f = picture.format();
    for (unsigned p = 0; p < f.planes(); p++)
        for (unsigned y = 0; y < f.plane_height(p) && picture.data(p); y++)
            std::memcpy(copy.data(p) + std::ptrdiff_t(y) * copy.stride_bytes(p),
                        picture.data(p) + std::ptrdiff_t(y) * picture.stride_bytes(p),
                        std::size_t{f.plane_width(p)} * f.bytes_per_sample());
    return copy;
}

} // namespace vmaf
