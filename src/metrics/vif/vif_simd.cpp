// The vector strips of `vif`: the integers of vif_scalar.cpp. Four rows at a time, from a ring of row pairs:
//   - a row pair holds, for every column, the samples of rows 2p and 2p + 1 side by side in one 32-bit lane, so that
//     one multiply-add of 16-bit pairs does two taps of the vertical filter; likewise the horizontal filter with
//     columns 2q and 2q + 1;
//   - multiplications are signed: all 16-bit data are stored less 32768 (bytes less 128). As the taps sum to 65536,
//     filtered sums then miss 2^31, which goes into the start values or is harmless (32-bit sums wrap around);
//   - columns are in segment order (vif_segments-inl.hpp);
//   - what follows the vertical filter is in vif_pipeline-inl.hpp (AVX-512) and vif_statistics-inl.hpp (others).
// docs/development/vif-speed.md has the proofs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/aligned.hpp"
#include "metrics/vif/vif_strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/vif/vif_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "cpu/simd_dot-inl.hpp"
#include "metrics/vif/vif_byte_strip-inl.hpp"
#include "metrics/vif/vif_strip_filter-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {
// Strips of 16-bit samples; those of scale 0 are shifted to 16 bits.
template <int Scale, class Dot> class WordStrip : public StripFilter<Scale, Dot, WordStrip<Scale, Dot>> {
    using Base = StripFilter<Scale, Dot, WordStrip<Scale, Dot>>;
    using Base::ring_row, Base::row, Base::next_row, Base::row_pitch_, Base::segments_, Base::strip_, Base::kNext;

  public:
    WordStrip(const Strip &strip, std::byte *memory) : Base(strip, memory, kRingChannels) {}

    template <bool Kept> void enter_pair(int pair) { this->template enter_words<Kept>(pair); }

#if HWY_TARGET == HWY_WASM
    template <bool Statistics, bool Kept> void vertical_pass(int y) {
        this->template looped_vertical_pass<Statistics, Kept, true>(y);
    }
#else
    // m1, m2, rr, dd, rd of rows y ... y + 3, ready for the horizontal filter, and rows y / 2 and y / 2 + 1 of the next
    // scale; without statistics only the latter.
    template <bool Statistics, bool Kept> HWY_NOINLINE void vertical_pass(int y) {
        const D16 d;
        const TapVectors<Scale> taps;
        const TapVectors<kNext> next_taps;
        const std::ptrdiff_t pitch = row_pitch_ * kStep, next_pitch = row_pitch_ * kNextStep;
        const typename Base::template RowsAhead<std::uint16_t> ahead(*this, y);
        for (int channel = Kept ? kDist : kRef; channel <= kDist; channel++) {
            const RingLoad ring(*this, y, channel);
            std::int16_t *const out = row(0) + channel * kVector, *const next_out = next_row(0) + channel * kVector;
            for (int j = 0; j < segments_.vectors; j++) {
                if (channel == kDist) ahead.prefetch(j);
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                const Sums start(kRounding);
                Sums sums = Filter<Scale>::kHalved ? Sums(0) : start;
                Sums next = Filter<kNext>::kHalved ? Sums(0) : start;
                sample_sums<Statistics, 0>(taps, next_taps, load, sums, next);
                if constexpr (Statistics)
                    for (int i = 0; i < kGroup; i++) {
                        const V32(&s)[2] = sums.at[i / 2][i % 2], first = start.at[0][0][0];
                        const V16 packed = pack_upper(ended_with<Scale>(s[0], first), ended_with<Scale>(s[1], first));
                        hn::Store(packed, d, out + i * pitch + j * kStep);
                    }
                if constexpr (Base::kHasNext)
                    for (int i = 0; i < 2; i++) {
                        const V32(&s)[2] = next.at[i][0], first = start.at[0][0][0];
                        const V16 packed = pack_upper(ended_with<kNext>(s[0], first), ended_with<kNext>(s[1], first));
                        hn::Store(packed, d, next_out + i * next_pitch + j * kNextStep);
                    }
            }
        }
        if constexpr (!Statistics) return;
        for (int i = Kept; i < 3; i++) {
            const RingLoad ring(*this, y, kRefRef + i), low_ring(*this, y, kRefRefLow + i);
            std::int16_t *const out = row(0) + (kRR + 2 * i) * kVector;
            for (int j = 0; j < segments_.vectors; j++) {
                const auto load_low = [&](int m, int s) HWY_ATTR { return low_ring.at(m, j, s); };
                const auto load = [&](int m, int s) HWY_ATTR { return ring.at(m, j, s); };
                Sums sums = upper_halves(filtered<Dot, 2>(taps, load_low, Sums(kOffset + kRounding)));
                sums = filtered<Dot, 2>(taps, load, sums);
                for (int r = 0; r < kGroup; r++) {
                    const V32 even = sums.at[r / 2][r % 2][0], odd = sums.at[r / 2][r % 2][1];
                    std::int16_t *const to = out + r * pitch + j * kStep;
                    hn::Store(pack_upper(even, odd), d, to);
                    hn::Store(flip_sign(pack_lower(even, odd)), d, to + kVector);
                }
            }
        }
    }

  private:
    // Loads from the ring for outputs at row y on: vector j of the row pairs around it.
    class RingLoad {
      public:
        HWY_INLINE RingLoad(const WordStrip &strip, int y, int channel) {
            for (int m = 0; m <= Filter<Scale>::kPairs; m++)
                rows_[m] = strip.ring_row(y / 2 - Filter<Scale>::kHalo + m, channel);
        }
        HWY_INLINE V16 at(int m, int j, int parity) const {
            return hn::Load(D16(), rows_[m] + (2 * j + parity) * kVector);
        }

      private:
        const std::int16_t *rows_[Filter<Scale>::kPairs + 1];
    };

    // Samples under this scale's filter and, every other row, under the next one's, which is shorter.
    template <bool Statistics, int M, class Load>
    static HWY_INLINE void sample_sums(const TapVectors<Scale> &taps, const TapVectors<kNext> &next_taps,
                                       const Load &load, Sums &sums, Sums &next) {
        if constexpr (M <= Filter<Scale>::kPairs) {
            const V16 stream0 = load(M, 0), stream1 = load(M, 1);
            if constexpr (Statistics) {
                multiply_add<Dot, M, 0, 0>(taps, stream0, stream1, sums);
                multiply_add<Dot, M, 0, 1>(taps, stream0, stream1, sums);
                multiply_add<Dot, M - 1, 1, 0>(taps, stream0, stream1, sums);
                multiply_add<Dot, M - 1, 1, 1>(taps, stream0, stream1, sums);
            }
            if constexpr (Base::kHasNext) {
                constexpr int n = M - (Filter<Scale>::kHalo - Filter<kNext>::kHalo);
                multiply_add<Dot, n, 0, 0>(next_taps, stream0, stream1, next);
                multiply_add<Dot, n - 1, 1, 0>(next_taps, stream0, stream1, next);
            }
            sample_sums<Statistics, M + 1>(taps, next_taps, load, sums, next);
        }
    }
#endif
};

template <class Dot> StripSums run_strip_with(const Strip &strip, std::byte *memory) {
    switch (strip.scale) {
    case 0:
        if (strip.images.bits == 8) return ByteStrip<Dot>(strip, memory).run();
        return WordStrip<0, Dot>(strip, memory).run();
    case 1: return WordStrip<1, Dot>(strip, memory).run();
    case 2: return WordStrip<2, Dot>(strip, memory).run();
    default: // as fast with VNNI, which would take 50 KB more
        return WordStrip<3, vmaf::HWY_NAMESPACE::MulThenAdd>(strip, memory).run();
    }
}

StripSums run_strip(const Strip &strip, std::byte *memory) {
    return run_strip_with<vmaf::HWY_NAMESPACE::MulThenAdd>(strip, memory);
}
#if HWY_TARGET == HWY_AVX3
StripSums run_strip_vnni(const Strip &strip, std::byte *memory) {
    return run_strip_with<vmaf::HWY_NAMESPACE::Vnni>(strip, memory);
}
#endif

// Narrower scales have segments shorter than the filter's halo.
bool wide_enough(int scale, int width) {
    const int halo = (kTapCount[std::size_t(scale)] / 2 + 1) / 2;
    return Segments(width).vectors >= halo;
}

std::size_t scratch_bytes(int width) {
    const int vectors = Segments(width).vectors;
    const std::size_t ring = std::size_t(kRingPairs * kRingChannels * 2 * vectors * kVector);
    const std::size_t rows = std::size_t(row_vectors(vectors) * (kGroup * kStep + 2 * kNextStep));
    return (ring + rows) * sizeof(std::int16_t) + RowStatistics<0, vmaf::HWY_NAMESPACE::MulThenAdd>::kScratchBytes +
           TileRuns::scratch_bytes(vectors);
}

std::size_t half_row(int width) { return half_row_elements(Segments(width)); }

constexpr StripCode kCode = {run_strip, wide_enough, scratch_bytes, half_row, logarithms};
#if HWY_TARGET == HWY_AVX3
constexpr StripCode kCodeVnni = {run_strip_vnni, wide_enough, scratch_bytes, half_row, logarithms};
#endif

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::vif {

const StripCode *pick_strip_code(Isa isa) {
    static constexpr SimdTable<const StripCode> kTable = {.scalar = nullptr,
                                                          VMAF_VECTOR_VERSIONS(kCode) VMAF_VNNI_VERSION(kCodeVnni)};
    return kTable.pick(isa);
}

} // namespace vmaf::vif
#endif
