// Per target: the ring of row pairs, and how samples enter it: the same for all filters. Include it inside `#if
// VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_RING_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_RING_INL_HPP
#undef VMAF_VIF_RING_INL_HPP
#else
#define VMAF_VIF_RING_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metrics/common/reflect.hpp"
#include "metrics/vif/vif_filter-inl.hpp"
#include "metrics/vif/vif_segments-inl.hpp"
#include "metrics/vif/vif_strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Order of the channels of the ring; products of bytes have no lower halves.
enum RingChannel { kRef, kDist, kRefRef, kDistDist, kRefDist, kRefRefLow, kDistDistLow, kRefDistLow };
constexpr int kRingChannels = 8, kRingChannelsOfBytes = 5;
constexpr int kRingPairs = 10; // row pairs that four rows of the longest filter need

// The row pairs around the rows of a strip. Depends on neither the scale nor the dot product, so that filters share its
// code.
class Ring {
  protected:
    Ring(const Strip &strip, std::byte *memory, int channels)
        : strip_(strip), segments_(strip.images.width), channels_(channels), pitch_(2 * segments_.vectors * kVector),
          ring_(reinterpret_cast<std::int16_t *>(memory)) {}

    // Vectors of the even and of the odd columns of a row pair alternate.
    std::int16_t *ring_row(int pair, int channel) const {
        return ring_ + ((pair + kRingPairs) % kRingPairs * channels_ + channel) * pitch_;
    }
    // Rows 2 pair and 2 pair + 1 of the reference and of the distorted image.
    template <class T> struct RowPairs { const T *ref_a, *ref_b, *dist_a, *dist_b; };
    template <class T> RowPairs<T> sample_rows(int pair) const {
        const ScaleImages &images = strip_.images;
        const auto at = [&](const void *image, std::ptrdiff_t stride, int y) {
            const int inside = reflect(y, images.height);
            return reinterpret_cast<const T *>(static_cast<const std::byte *>(image) + inside * stride);
        };
        return {at(images.ref, images.ref_stride, 2 * pair), at(images.ref, images.ref_stride, 2 * pair + 1),
                at(images.dist, images.dist_stride, 2 * pair), at(images.dist, images.dist_stride, 2 * pair + 1)};
    }

    // Rows 2 pair and 2 pair + 1 enter. `Kept`: without what depends on the reference alone.
    template <bool Kept> HWY_NOINLINE void enter_words(int pair) {
        const auto rows = sample_rows<std::uint16_t>(pair);
        const int shift = int(16 - strip_.images.bits);
        for (int first = 0; first < segments_.vectors; first += kLanes) {
            VU32 blocks[4][kLanes];
            load_block(rows.ref_a, segments_, first, shift, blocks[0]);
            load_block(rows.ref_b, segments_, first, shift, blocks[1]);
            load_block(rows.dist_a, segments_, first, shift, blocks[2]);
            load_block(rows.dist_b, segments_, first, shift, blocks[3]);
            const int count = std::min(kLanes, segments_.vectors - first);
            for (int i = 0; i < count; i++) {
                const DU16 du;
                const VU16 ra = hn::BitCast(du, blocks[0][i]), rb = hn::BitCast(du, blocks[1][i]);
                const VU16 da = hn::BitCast(du, blocks[2][i]), db = hn::BitCast(du, blocks[3][i]);
                const std::ptrdiff_t at = 2 * (first + i) * kVector;
                enter_word_pairs<Kept>(pair, at, left_pairs(ra, rb), left_pairs(da, db));
                enter_word_pairs<Kept>(pair, at + kVector, right_pairs(ra, rb), right_pairs(da, db));
            }
        }
    }

    // The same for bytes: see ByteStrip.
    template <bool Kept> HWY_NOINLINE void enter_bytes(int pair) {
        const auto rows = sample_rows<std::uint8_t>(pair);
        const DU16 du;
        std::int16_t *const out = ring_row(pair, 0);
        for (int first = 0; first < segments_.vectors; first += 2 * kLanes) {
            VU32 blocks[4][kLanes];
            load_block(rows.ref_a, segments_, first, blocks[0]);
            load_block(rows.ref_b, segments_, first, blocks[1]);
            load_block(rows.dist_a, segments_, first, blocks[2]);
            load_block(rows.dist_b, segments_, first, blocks[3]);
            const int count = std::min(2 * kLanes, segments_.vectors - first);
            for (int i = 0; i < count; i += 2) {
                const VU16 ra = hn::BitCast(du, blocks[0][i / 2]), rb = hn::BitCast(du, blocks[1][i / 2]);
                const VU16 da = hn::BitCast(du, blocks[2][i / 2]), db = hn::BitCast(du, blocks[3][i / 2]);
                std::int16_t *const to = out + 2 * (first + i) * kVector;
                enter_byte_pairs<Kept>(to, left_pairs(ra, rb), left_pairs(da, db));
                if (i + 1 < count) enter_byte_pairs<Kept>(to + 2 * kVector, right_pairs(ra, rb), right_pairs(da, db));
            }
        }
    }

    const Strip &strip_;
    Segments segments_;
    int channels_, pitch_; // a channel's elements of a row pair
    std::int16_t *ring_;

  private:
    // The left (right) one of two columns of rows a and b, interleaved.
    static HWY_INLINE VU16 left_pairs(VU16 a, VU16 b) {
        return hn::OddEven(hn::BitCast(DU16(), hn::ShiftLeft<16>(hn::BitCast(DU32(), b))), a);
    }
    static HWY_INLINE VU16 right_pairs(VU16 a, VU16 b) {
        return hn::OddEven(b, hn::BitCast(DU16(), hn::ShiftRight<16>(hn::BitCast(DU32(), a))));
    }

    template <bool Kept> HWY_INLINE void enter_word_pairs(int pair, std::ptrdiff_t at, VU16 r, VU16 d) const {
        const auto store = [&](int channel, VU16 v) HWY_ATTR {
            hn::Store(flip_sign(hn::BitCast(D16(), v)), D16(), ring_row(pair, channel) + at);
        };
        if (!Kept) store(kRef, r);
        store(kDist, d);
        if (!strip_.statistics) return;
        if (!Kept) store(kRefRef, hn::MulHigh(r, r));
        store(kDistDist, hn::MulHigh(d, d));
        store(kRefDist, hn::MulHigh(r, d));
        if (!Kept) store(kRefRefLow, hn::Mul(r, r));
        store(kDistDistLow, hn::Mul(d, d));
        store(kRefDistLow, hn::Mul(r, d));
    }

    // Two bytes of each row in a 32-bit lane: two columns.
    template <bool Kept> HWY_INLINE void enter_byte_pairs(std::int16_t *to, VU16 r, VU16 d) const {
        const VU16 low = hn::Set(DU16(), 255);
        enter_column<Kept>(to, hn::And(r, low), hn::And(d, low));
        enter_column<Kept>(to + kVector, hn::ShiftRight<8>(r), hn::ShiftRight<8>(d));
    }
    template <bool Kept> HWY_INLINE void enter_column(std::int16_t *to, VU16 ref, VU16 dist) const {
        const D16 d16;
#if HWY_TARGET == HWY_WASM // nothing is folded there: 16 bits less 32768, as in WordStrip
        const auto store = [&](int channel, VU16 v)
                               HWY_ATTR { hn::Store(flip_sign(hn::BitCast(d16, v)), d16, to + channel * pitch_); };
        if (!Kept) store(kRef, hn::ShiftLeft<8>(ref));
        store(kDist, hn::ShiftLeft<8>(dist));
        if (!strip_.statistics) return;
        if (!Kept) store(kRefRef, hn::Mul(ref, ref));
        store(kDistDist, hn::Mul(dist, dist));
        store(kRefDist, hn::Mul(ref, dist));
#else
        const V16 middle = hn::Set(d16, 128), minus_one = hn::Set(d16, -1);
        const V16 r = hn::Sub(hn::BitCast(d16, ref), middle), d = hn::Sub(hn::BitCast(d16, dist), middle);
        if (!Kept) hn::Store(r, d16, to);
        hn::Store(d, d16, to + pitch_);
        if (!strip_.statistics) return;
        if (!Kept) hn::Store(hn::Add(hn::Mul(r, r), minus_one), d16, to + kRefRef * pitch_);
        hn::Store(hn::Add(hn::Mul(d, d), minus_one), d16, to + kDistDist * pitch_);
        const V16 rd = Kept ? hn::Mul(r, hn::BitCast(d16, dist)) : hn::Add(hn::Mul(r, d), minus_one);
        hn::Store(rd, d16, to + kRefDist * pitch_);
#endif
    }
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
