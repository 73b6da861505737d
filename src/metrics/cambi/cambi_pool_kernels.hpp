// Device kernels of CAMBI's pooling (cambi.md 9) and of its heat maps (11). The K-th largest c-value is found by its
// bits, from the top: 12, 8 and 7 of them in three launches; the sum of what lies above is an integer in units of
// 2^-24. Where it needs more than 53 bits, cambi_ordered_sum takes it in the prescribed order.
#pragma once

#include "device/block_sum.hpp"
#include "device/ordered_sum.hpp"
#include "device/soft_f64.hpp"
#include "metrics/cambi/cambi_count_kernel.hpp"

namespace vmaf {
namespace kernels {

constexpr u32 kCambiLeastPattern = 0x3f000000; // of 0.5f, the smallest c-value but 0
constexpr int kCambiMiddleShift = 7, kCambiTopShift = 15;

struct CambiPoolScale {
    u64 c_values; // where they begin in a frame's memory
    u32 values, take;
    int first_block, blocks;
};

struct CambiPoolArgs {
    FrameArray<u32> c_values; // patterns of floats
    FrameArray<u64> pools;    // one CambiPool per scale
    FrameArray<u64> sums;     // results: one per scale, in units of 2^-24
    CambiPoolScale scale[kCambiScales];
};

// A c-value in units of 2^-24.
VMAF_DEVICE_FN u64 cambi_units(u32 pattern) {
    return pattern ? static_cast<u64>((pattern & 0x7fffff) | 0x800000) << ((pattern >> 23) - 126) : 0;
}
VMAF_DEVICE_FN u32 cambi_top_bin(u32 pattern) {
    return pattern ? 1 + ((pattern - kCambiLeastPattern) >> kCambiTopShift) : 0;
}
VMAF_DEVICE_FN u32 cambi_middle_bin(u32 pattern) {
    return (pattern - kCambiLeastPattern) >> kCambiMiddleShift & (kCambiMiddleBins - 1);
}
VMAF_DEVICE_FN u32 cambi_low_bin(u32 pattern) { return (pattern - kCambiLeastPattern) & (kCambiLowBins - 1); }

template <class C, int kRound> struct CambiSelectKernel {
    using Args = CambiPoolArgs;
    static constexpr int kThreads = 256, kMinBlocks = 4;
    static constexpr int kTileWidth = 16384, kTileHeight = 1; // values of a block
    static constexpr int kBins = kRound == 0 ? kCambiBins : kRound == 1 ? kCambiMiddleBins : kCambiLowBins;
    struct SharedMemory {
        u32 bins[kBins];
        u32 scan[kThreads];
        u64 sum;
        u32 is_last, bin, left;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        int number = 0;
        while (number + 1 < kCambiScales && c.block_x >= a.scale[number + 1].first_block) number++;
        const CambiPoolScale &scale = a.scale[number];
        Global<CambiPool> pool = cambi_pool(a.pools, c.frame, number);
        for (int i = c.thread; i < kBins; i += kThreads) s->bins[i] = 0;
        if (c.thread == 0) s->sum = 0;
        c.barrier();

        Global<const u32> values = a.c_values.of(c.frame) + scale.c_values;
        const u32 begin = static_cast<u32>(c.block_x - scale.first_block) * kTileWidth;
        const u32 end = scale.values - begin > kTileWidth ? begin + kTileWidth : scale.values;
        const u32 top = kRound > 0 ? C::load(&pool->top) : 0, middle = kRound > 1 ? C::load(&pool->middle) : 0;
        u64 sum = 0;
        u32 zeros = 0; // the most frequent value
        for (u32 i = begin + static_cast<u32>(c.thread); i < end; i += kThreads) {
            const u32 pattern = C::load(values + i), bin = cambi_top_bin(pattern);
            if (kRound == 0) {
                if (bin)
                    C::shared_add(s->bins + bin, 1u);
                else
                    zeros++;
            } else if (bin != top) {
                if (kRound == 1 && bin > top) sum += cambi_units(pattern);
            } else if (top > 0) {
                const u32 middle_bin = cambi_middle_bin(pattern);
                if (kRound == 1)
                    C::shared_add(s->bins + middle_bin, 1u);
                else if (middle_bin > middle)
                    sum += cambi_units(pattern);
                else if (middle_bin == middle)
                    C::shared_add(s->bins + cambi_low_bin(pattern), 1u);
            }
        }
        if (sum) C::shared_add(&s->sum, sum);
        if (zeros) C::shared_add(s->bins, zeros);
        c.barrier();

        Global<u32> bins = kRound == 0 ? pool->bins : kRound == 1 ? pool->middle_bins : pool->low_bins;
        for (int i = c.thread; i < kBins; i += kThreads)
            if (s->bins[i]) C::atomic_add(bins + i, s->bins[i]);
        if (c.thread == 0 && s->sum) C::atomic_add(&pool->sum, s->sum);
        c.fence();
        c.barrier();
        if (c.thread == 0)
            s->is_last = C::atomic_increment(pool->finished + kRound) == static_cast<u32>(scale.blocks) - 1;
        c.barrier();
        if (!s->is_last) return;
        c.fence();
        conclude(c, s, a, number, pool, bins, top, middle);
    }

  private:
    // The last block of a scale finds the bin of the K-th largest value.
    static VMAF_DEVICE_FN void conclude(C &c, Shared<SharedMemory> s, const Args &a, int number, Global<CambiPool> pool,
                                        Global<const u32> bins, u32 top, u32 middle) {
        const u32 take = kRound == 0 ? a.scale[number].take : C::load(&pool->take);
        if (kRound == 0 || top > 0) {
            find(c, s, bins, take);
            if (c.thread == 0) {
                pool->take = s->left;
                if (kRound == 0) pool->top = s->bin;
                if (kRound == 1) pool->middle = s->bin;
            }
        }
        if (kRound < 2) return;
        // Values of the low bins above the K-th largest one, then as many of its own as are wanted. All zeros: none.
        const u32 base = ((top - 1) << kCambiTopShift | middle << kCambiMiddleShift) + kCambiLeastPattern;
        u64 sum = 0;
        if (top > 0)
            for (u32 i = s->bin + static_cast<u32>(c.thread); i < kBins; i += kThreads)
                sum += cambi_units(base + i) * (i == s->bin ? s->left : C::load_fresh(bins + i));
        c.barrier();
        if (c.thread == 0) s->sum = C::load_fresh(&pool->sum);
        c.barrier();
        if (sum) C::shared_add(&s->sum, sum);
        c.barrier();
        if (c.thread == 0) a.sums.of(c.frame)[number] = s->sum;
    }

    // s->bin: where the sum of counts from the top reaches `take`; s->left: what is wanted of that bin.
    static VMAF_DEVICE_FN void find(C &c, Shared<SharedMemory> s, Global<const u32> bins, u32 take) {
        constexpr int kEach = (kBins + kThreads - 1) / kThreads;
        const int from = kBins - 1 - c.thread * kEach; // downwards
        u32 own = 0;
        for (int i = 0; i < kEach; i++)
            if (from - i >= 0) own += C::load_fresh(bins + from - i);
        s->scan[c.thread] = own;
        c.barrier();
        for (int distance = 1; distance < kThreads; distance *= 2) {
            const u32 before = c.thread >= distance ? s->scan[c.thread - distance] : 0;
            c.barrier();
            s->scan[c.thread] += before;
            c.barrier();
        }
        u32 above = s->scan[c.thread] - own;
        if (above < take && take <= above + own)
            for (int i = from;; i--) {
                const u32 count = C::load_fresh(bins + i);
                if (take <= above + count) {
                    s->bin = static_cast<u32>(i);
                    s->left = take - above;
                    break;
                }
                above += count;
            }
        c.barrier();
    }
};

template <class C> using cambi_select_top = CambiSelectKernel<C, 0>;
template <class C> using cambi_select_middle = CambiSelectKernel<C, 1>;
template <class C> using cambi_select_low = CambiSelectKernel<C, 2>;

// Sums of more than 53 bits depend on the order of the additions: rearranges the values as the definition does and adds
// them as doubles. One block for a scale of a frame; there is nothing to do for nearly all of them.
template <class C> struct cambi_ordered_sum {
    using Args = CambiPoolArgs;
    static constexpr int kThreads = 1024, kMinBlocks = 1;
    static constexpr int kTileWidth = 0, kTileHeight = 0;
    static constexpr int kGroups = kThreads / C::kGroup;
    static_assert(kGroups <= C::kGroup, "a lane for each group");
    static constexpr int kEach = C::kSharedBytes >= 48 * 1024 ? 8 : 4,
                         kChunk = kThreads * kEach; // values of a side that are looked at together
    static constexpr int kLeastChunk = 128;
    static constexpr int kTail = 4 * kLeastChunk; // ranges that one thread rearranges
    using F = typename C::f64;
    using Sum = OrderedSum<C, F, kThreads, false>;
    struct SharedMemory {
        u16 left[kChunk], right[kChunk]; // places of values to be exchanged, from the beginning of a chunk
        u32 values[kTail];
        u32 totals[kGroups];
        typename Sum::SharedMemory sum;
        u64 units;
        int i, j;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        Global<u64> sum = a.sums.of(c.frame) + c.block_x;
        if (C::load(sum) <= 1ull << 53) return;
        const CambiPoolScale &scale = a.scale[c.block_x];
        Global<u32> values = a.c_values.of(c.frame) + scale.c_values;
        if (scale.take < scale.values)
            partition_largest(c, s, values, static_cast<int>(scale.values), static_cast<int>(scale.take));
        u64 units;
        const u32 first = exact_part(c, s, values, scale.take, units);
        const F unit = C::f64_from(0x3e70000000000000ull); // 2^-24
        const F total = Sum::run(c, &s->sum, scale.take - first, F(units) * unit, Values{values + first});
        if (c.thread == 0) *sum = static_cast<u64>(truncated(total * F(16777216.0f)));
    }

  private:
    // This block alone writes the values, so that its ordinary reads, which are cached, see them after a barrier.
    struct Values {
        Global<const u32> list;
        VMAF_DEVICE_FN F operator()(u64 i) const { return F(C::float_from(list[i])); }
    };

    // How many of the first values may be added in any order, because their sum has at most 53 bits; that sum.
    static VMAF_DEVICE_FN u32 exact_part(C &c, Shared<SharedMemory> s, Global<const u32> values, u32 count,
                                         u64 &units) {
        units = 0;
        for (u32 first = 0; first < count; first += kChunk) {
            if (c.thread == 0) s->units = 0;
            c.barrier();
            u64 own = 0;
            for (u32 i = first + static_cast<u32>(c.thread); i < first + kChunk && i < count; i += kThreads)
                own += cambi_units(values[i]);
            add_to_shared(c, &s->units, own);
            c.barrier();
            const u64 more = s->units;
            c.barrier();
            if (units + more > 1ull << 53) return first;
            units += more;
        }
        return count;
    }

    // Hoare's FIND, descending, on position k.
    static VMAF_DEVICE_FN void partition_largest(C &c, Shared<SharedMemory> s, Global<u32> values, int n, int k) {
        int left = 0, right = n - 1;
        while (right - left >= kTail) {
            const u32 pivot = values[k];
            c.barrier();
            int i = left, j = right;
            exchange<kEach>(c, s, values, pivot, kChunk, i, j);
            for (int chunk = kThreads; chunk >= kLeastChunk; chunk /= 8) exchange<1>(c, s, values, pivot, chunk, i, j);
            const int first = i, last = j;
            fetch(c, s, values, first, last);
            if (c.thread == 0) {
                meet(s->values, first, pivot, i, j);
                s->i = i;
                s->j = j;
            }
            c.barrier();
            store(c, s, values, first, last);
            i = s->i;
            j = s->j;
            c.barrier();
            if (j < k) left = i;
            if (k < i) right = j;
        }
        if (left >= right) return;
        fetch(c, s, values, left, right);
        if (c.thread == 0) {
            int from = left, to = right;
            while (from < to) {
                int i = from, j = to;
                meet(s->values, left, s->values[k - left], i, j);
                if (j < k) from = i;
                if (k < i) to = j;
            }
        }
        c.barrier();
        store(c, s, values, left, right);
        c.barrier();
    }

    // Most of a round: i and j go on towards each other until fewer than three chunks lie between them. The t-th value
    // from the left that is not above the pivot changes places with the t-th from the right that is not below it, so
    // many exchanges can be made at once.
    template <int kEachNow>
    static VMAF_DEVICE_FN void exchange(C &c, Shared<SharedMemory> s, Global<u32> values, u32 pivot, int chunk, int &i,
                                        int &j) {
        int next_left = i, next_right = j; // have not been looked at
        int left_base = 0, left_from = 0, left_to = 0, right_base = 0, right_from = 0, right_to = 0;
        while (next_right - next_left + 1 >= 2 * chunk) {
            if (left_from == left_to) {
                left_base = next_left;
                left_from = 0;
                left_to = collect<kEachNow>(c, s, s->left, values, left_base, 1, chunk, pivot);
                next_left += chunk;
            }
            if (right_from == right_to) {
                right_base = next_right;
                right_from = 0;
                right_to = collect<kEachNow>(c, s, s->right, values, right_base, -1, chunk, pivot);
                next_right -= chunk;
            }
            const int from_left = left_to - left_from, from_right = right_to - right_from;
            const int count = from_left < from_right ? from_left : from_right;
            for (int t = c.thread; t < count; t += kThreads) {
                Global<u32> a = values + left_base + s->left[left_from + t];
                Global<u32> b = values + right_base - s->right[right_from + t];
                const u32 x = *a, y = *b;
                *a = y;
                *b = x;
            }
            left_from += count;
            right_from += count;
            c.barrier();
        }
        i = left_from < left_to ? left_base + s->left[left_from] : next_left;
        j = right_from < right_to ? right_base - s->right[right_from] : next_right;
        c.barrier();
    }

    // Places of the values among the next ones in a direction that must go to the other side, in order; how many. A
    // group looks at neighbours.
    template <int kEachNow>
    static VMAF_DEVICE_FN int collect(C &c, Shared<SharedMemory> s, Shared<u16> places, Global<const u32> values,
                                      int base, int direction, int chunk, u32 pivot) {
        const int lane = c.thread % C::kGroup, group = c.thread / C::kGroup;
        const int first = group * C::kGroup * kEachNow + lane;
        u32 flags = 0, offsets[kEachNow], count = 0; // offsets: of this lane's own values
        const Mask lanes_before = (static_cast<Mask>(1) << lane) - 1;
        VMAF_UNROLL
        for (int k = 0; k < kEachNow; k++) {
            const int at = first + k * C::kGroup;
            bool flag = false;
            if (at < chunk) {
                const u32 v = values[base + direction * at];
                flag = direction > 0 ? v <= pivot : v >= pivot;
            }
            const Mask moves = static_cast<Mask>(c.ballot(flag));
            flags |= static_cast<u32>(flag) << k;
            offsets[k] = count + set_bits(moves & lanes_before);
            count += set_bits(moves);
        }
        if (lane == 0) s->totals[group] = count;
        c.barrier();
        const u32 total = lane < kGroups ? s->totals[lane] : 0;
        const u32 before = c.group_sum(lane < group ? total : 0), all = c.group_sum(total);
        VMAF_UNROLL
        for (int k = 0; k < kEachNow; k++)
            if (flags >> k & 1) places[before + offsets[k]] = static_cast<u16>(first + k * C::kGroup);
        c.barrier();
        return static_cast<int>(all);
    }

    using Mask = Select<(C::kGroup > 32), u64, u32>; // of lanes
    static VMAF_DEVICE_FN u32 set_bits(u32 v) { return C::set_bits(v); }
    static VMAF_DEVICE_FN u32 set_bits(u64 v) {
        return C::set_bits(static_cast<u32>(v)) + C::set_bits(static_cast<u32>(v >> 32));
    }

    // The rest of a round, one exchange after the other; `at` begins with position `first`. Neither side goes further
    // than one beyond the other: what lies there has been looked at and stops it.
    static VMAF_DEVICE_FN void meet(Shared<u32> at, int first, u32 pivot, int &i, int &j) {
        do {
            while (i <= j && at[i - first] > pivot) i++;
            while (i <= j && at[j - first] < pivot) j--;
            if (i <= j) {
                const u32 t = at[i - first];
                at[i++ - first] = at[j - first];
                at[j-- - first] = t;
            }
        } while (i <= j);
    }

    static VMAF_DEVICE_FN void fetch(C &c, Shared<SharedMemory> s, Global<const u32> values, int first, int last) {
        for (int i = c.thread; i <= last - first; i += kThreads) s->values[i] = values[first + i];
        c.barrier();
    }
    static VMAF_DEVICE_FN void store(C &c, Shared<SharedMemory> s, Global<u32> values, int first, int last) {
        for (int i = c.thread; i <= last - first; i += kThreads) values[first + i] = s->values[i];
    }
};

struct CambiHeatmapArgs {
    FrameArray<const u32> c_values;
    FrameArray<u64> pixels; // four to a word
    u64 gain;               // bits of a double
    u32 values;             // of all scales
};

template <class C> struct cambi_heatmap {
    using Args = CambiHeatmapArgs;
    static constexpr int kThreads = 256, kMinBlocks = 4;
    static constexpr int kTileWidth = 4 * kThreads, kTileHeight = 1;
    struct SharedMemory {};

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const u32 word = static_cast<u32>(c.block_x) * kThreads + static_cast<u32>(c.thread);
        if (4 * word >= a.values) return;
        using F = typename C::f64;
        const F gain = C::f64_from(a.gain);
        u64 out = 0;
        for (u32 i = 0; i < 4 && 4 * word + i < a.values; i++) {
            const F c_value(C::float_from(C::load(a.c_values.of(c.frame) + 4 * word + i)));
            out |= static_cast<u64>(static_cast<u16>(truncated(gain * c_value))) << (16 * i); // wraps
        }
        a.pixels.of(c.frame)[word] = out;
    }
};

} // namespace kernels
} // namespace vmaf
