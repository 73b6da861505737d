// AVX-512: the horizontal filter and the statistics of a row (vif.md 2.4 to 2.8) in one software-pipelined loop. The
// statistics of one vector of column pairs run between the multiply-adds of the next, so that neither waits for the
// other's long operation chains. Avoids comparisons into mask registers and permutes with two sources: on some
// processors both use the multipliers. Include it inside `#if VMAF_VECTOR_PASS`.
#if defined(VMAF_VIF_PIPELINE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_VIF_PIPELINE_INL_HPP
#undef VMAF_VIF_PIPELINE_INL_HPP
#else
#define VMAF_VIF_PIPELINE_INL_HPP
#endif

#include <array>

#include "metrics/vif/vif_pixel_steps-inl.hpp" // for every target: its guard must toggle

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace vmaf::vif::HWY_NAMESPACE {

// Which lanes of a vector have an existing column.
class LaneMasks {
  public:
    explicit LaneMasks(const Segments &segments) : segments_(segments) {
        for (int n = 0; n <= kLanes; n++)
            for (int i = 0; i < kLanes; i++) lanes_[n][i] = i < n ? -1 : 0;
    }
    HWY_INLINE const Bits *at(int j, int parity) const { return first(segments_.valid_lanes(j, parity)); }
    HWY_INLINE const Bits *none() const { return first(0); }

  private:
    const Bits *first(int n) const { return reinterpret_cast<const Bits *>(lanes_[n]); }
    const Segments &segments_;
    alignas(64) std::int32_t lanes_[kLanes + 1][kLanes];
};

// Tap pairs as numbers to broadcast from memory.
template <int Scale> struct TapNumbers {
    std::uint32_t pairs[2][Filter<Scale>::kPairs];
    constexpr TapNumbers() : pairs() {
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < Filter<Scale>::kPairs; k++) pairs[e][k] = Filter<Scale>::pair(e, k);
    }
};
template <int Scale> inline constexpr TapNumbers<Scale> kTapNumbers;

// Channels of a vector, `at` elements after `first`: sums for even and odd columns. Calls `between` 2 kPairs
// times.
template <class Dot, int Scale, int M, int... Channels, class Between>
HWY_INLINE void filter_channels(const std::int16_t *first, V32 (&sums)[sizeof...(Channels)][2],
                                const Between &between) {
    if constexpr (M < Filter<Scale>::kPairs) {
        constexpr bool even = Filter<Scale>::pair(0, M) != 0, odd = Filter<Scale>::pair(1, M) != 0;
        const TapNumbers<Scale> &taps = kTapNumbers<Scale>;
        const V16 even_taps{broadcast(taps.pairs[0][M])}, odd_taps{broadcast(taps.pairs[1][M])};
        const auto channel = [&](int c, V32(&sum)[2]) HWY_ATTR {
            const V16 data = hn::Load(D16(), first + M * kStep + c * kVector);
            if constexpr (even) sum[0] = Dot::dot(sum[0], data, even_taps), pin(sum[0].raw);
            if constexpr (odd) sum[1] = Dot::dot(sum[1], data, odd_taps), pin(sum[1].raw);
        };
        int i = 0;
        ((channel(Channels, sums[i]), i++, i == sizeof...(Channels) / 2 ? between.template step<2 * M>() : void()),
         ...);
        between.template step<2 * M + 1>();
        filter_channels<Dot, Scale, M + 1, Channels...>(first, sums, between);
    }
}

template <int Scale, class Dot> class RowStatistics {
  public:
    static constexpr std::size_t kScratchBytes = 0;
    RowStatistics(const Segments &segments, const Strip &strip, std::byte *scratch)
        : segments_(segments), masks_(segments), limits_(strip.limits), runs_(strip, segments, scratch) {}

    // Row y, filtered, with its borders.
    template <bool Kept> void add(const std::int16_t *row, int y, const HalfRow &half) {
        constexpr RowKind kind = Kept ? RowKind::kept : RowKind::plain;
        const bool has_limit = limits_.values[0] < 100.0; // no gain reaches that
        if (!Kept && runs_.wanted()) {
            runs_.begin_row(y);
            add_row<1, RowKind::tiled>(row, half);
        } else if (limits_.count > 1) {
            add_row<2, kind>(row, half);
        } else {
            has_limit ? add_row<1, kind>(row, half) : add_row<0, kind>(row, half);
        }
    }
    StripSums total(std::int64_t pixels) {
        if (runs_.wanted()) return runs_.total();
        return totals_.total(pixels);
    }

  private:
    static constexpr bool kHalved = Filter<Scale>::kHalved;
    static constexpr int kHalfSteps = 2 * Filter<Scale>::kPairs; // of filter_channels
    template <class Steps> struct FirstSteps {
        Steps &steps;
        template <int M> HWY_INLINE void step() const {
            steps.template first_steps<M * Steps::kSteps / kHalfSteps, (M + 1) * Steps::kSteps / kHalfSteps>();
        }
    };
    template <class Steps> struct SecondSteps {
        Steps &steps;
        typename Steps::Next &next;
        V32 (&s2)[2], (&s12)[2];
        template <int M> HWY_INLINE void step() const {
            steps.template second_steps<M * Steps::kSteps / kHalfSteps, (M + 1) * Steps::kSteps / kHalfSteps>(next, s2,
                                                                                                              s12);
        }
    };

    static HWY_INLINE V32 start(const std::uint32_t &value) { return V32{broadcast(value)}; }
    static HWY_INLINE V32 mean_start() { return begun_with<Scale>(start(constants().start_mean)); }
    static HWY_INLINE V32 low_start() { return begun_with<Scale>(start(constants().start_low)); }

    enum class RowKind { plain, tiled, kept };
    template <int Limits, RowKind Kind> HWY_NOINLINE void add_row(const std::int16_t *row, const HalfRow &half) {
        constexpr bool Tiled = Kind == RowKind::tiled, Kept = Kind == RowKind::kept;
        using Steps = PixelSteps<Limits, Kept>;
        Steps steps;
        steps.limits = limits_.values.data();
        steps.clear();
        for (int v = 0; v < 2; v++) { // starts with a vector without counting pixels
            steps.s1[v] = steps.s2[v] = steps.s12[v] = Steps::zero();
            steps.pixels[v] = masks_.none();
        }
        typename Steps::Next next;
        int unflushed = 0, run = 0;
        for (int j = 0; j < segments_.vectors; j++) {
            const std::int16_t *const first = row + (j - Filter<Scale>::kHalo) * kStep;
            if constexpr (Kept)
                add_vector_with_half(steps, next, first, half.kept + j * kHalfStep);
            else
                add_vector(steps, next, first, half.to_make ? half.to_make + j * kHalfStep : nullptr);
            for (int e = 0; e < 2; e++) steps.pixels[e] = masks_.at(j, e);
            ++unflushed;
            if constexpr (Tiled) {
                const bool is_end = j == runs_.end(run); // the statistics lag one vector
                if (is_end || unflushed == Steps::kFlush) {
                    steps.move_to(runs_, run, unflushed);
                    unflushed = 0;
                }
                run += is_end;
            } else if (HWY_UNLIKELY(unflushed == Steps::kFlush)) {
                steps.move_to(totals_, unflushed);
                unflushed = 0;
            }
        }
        V32 none[2][2];
        for (int e = 0; e < 2; e++) {
            next.m1[e] = next.m2[e] = next.s1[e] = Steps::zero();
            none[0][e] = none[1][e] = hn::Zero(D32());
        }
        steps.template first_steps<0, Steps::kSteps>();
        steps.template second_steps<0, Steps::kSteps>(next, none[0], none[1]);
        if constexpr (Tiled)
            steps.move_to(runs_, run, unflushed + 1);
        else
            steps.move_to(totals_, unflushed + 1);
    }

    // The statistics of the previous vector, and the filters of this one.
    template <class Steps>
    static HWY_INLINE void add_vector(Steps &steps, typename Steps::Next &next, const std::int16_t *first,
                                      std::int32_t *half) {
        V32 sums[4][2], minus[4][2]; // with halved taps the sums are doubled at the end
        for (int e = 0; e < 2; e++) {
            sums[0][e] = sums[1][e] = mean_start();
            sums[2][e] = hn::Zero(D32());
            sums[3][e] = low_start();
        }
        filter_channels<Dot, Scale, 0, kM1, kM2, kRR, kRRLow>(first, sums, FirstSteps<Steps>{steps});
        for (int e = 0; e < 2; e++) {
            next.m1[e] = ended_with<Scale>(sums[0][e], start(constants().start_mean)).raw;
            next.m2[e] = ended_with<Scale>(sums[1][e], start(constants().start_mean)).raw;
            next.s1[e] = moment(sums[2][e], sums[3][e], hn::Zero(D32()));
            sums[0][e] = sums[2][e] = minus[0][e] = minus[2][e] = hn::Zero(D32());
            sums[1][e] = sums[3][e] = low_start();
        }
        filter_channels<Dot, Scale, 0, kDD, kDDLow, kRD, kRDLow>(
            first, sums, SecondSteps<Steps>{steps, next, kHalved ? minus[0] : sums[0], kHalved ? minus[2] : sums[2]});
        for (int e = 0; e < 2; e++) {
            steps.s1[e] = next.s1[e];
            steps.s2[e] = moment(sums[0][e], sums[1][e], minus[0][e]);
            steps.s12[e] = moment(sums[2][e], sums[3][e], minus[2][e]);
        }
        if (!half) return;
        for (int e = 0; e < 2; e++) {
            stream(V32{next.m1[e]}, half + e * kLanes);
            stream(V32{next.s1[e]}, half + (2 + e) * kLanes);
        }
    }

    // The same with five channels instead of eight.
    template <class Steps>
    static HWY_INLINE void add_vector_with_half(Steps &steps, typename Steps::Next &next, const std::int16_t *first,
                                                const std::int32_t *half) {
        V32 sums[3][2], last[2][2], minus[2], s12[2];
        prefetch_half(half);
        for (int e = 0; e < 2; e++) {
            sums[0][e] = mean_start();
            sums[1][e] = hn::Zero(D32());
            sums[2][e] = low_start();
        }
        filter_channels<Dot, Scale, 0, kM2, kRD, kRDLow>(first, sums, FirstSteps<Steps>{steps});
        for (int e = 0; e < 2; e++) {
            next.m1[e] = _mm512_load_si512(half + e * kLanes);
            next.m2[e] = ended_with<Scale>(sums[0][e], start(constants().start_mean)).raw;
            next.s1[e] = _mm512_load_si512(half + (2 + e) * kLanes);
            s12[e].raw = moment(sums[1][e], sums[2][e], hn::Zero(D32()));
            last[0][e] = minus[e] = hn::Zero(D32());
            last[1][e] = low_start();
        }
        filter_channels<Dot, Scale, 0, kDD, kDDLow>(first, last,
                                                    SecondSteps<Steps>{steps, next, kHalved ? minus : last[0], s12});
        for (int e = 0; e < 2; e++) {
            steps.s1[e] = next.s1[e];
            steps.s2[e] = moment(last[0][e], last[1][e], minus[e]);
            steps.s12[e] = s12[e].raw;
        }
    }
    // Combines the sums of a moment's upper and lower halves.
    static HWY_INLINE Bits moment(V32 high, V32 low, V32 start) {
        const V32 carried = ended_with<Scale>(low, V32{broadcast(constants().start_low)});
        return hn::Add(ended_with<Scale>(high, start), upper_halves(carried)).raw;
    }

    const Segments &segments_;
    LaneMasks masks_;
    GainLimits limits_;
    LaneTotals totals_;
    TileRuns runs_;
};

} // namespace vmaf::vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif
