// Sums of millions of floats or doubles in a given order, rounded after every addition, by many blocks: the bits of the
// loop `for (...) sum += term` (device/ordered_sum.hpp says how runs of terms combine). F is the type of the sum.
//
// What a run does to the sum depends on the binade that the sum is in. So the first launch adds each chunk in any
// order, which tells the binade at the beginning of every chunk but for a few next to a power of two; the second makes
// the map of each chunk for that binade; the third applies the maps one after the other, and adds the terms of a chunk
// itself where the sum turned out to be in another binade or leaves it on the way.
#pragma once

#include "device/ordered_sum.hpp"

namespace vmaf {
namespace kernels {

// What is added of the values of an array: they themselves, or after these steps, in this order.
constexpr int kOrderedNegated = 1, kOrderedAboveZero = 2, kOrderedFourthPower = 4;

// Values are bits of f64, or f32 where `doubles` is null.
struct OrderedSource {
    FrameArray<u64> doubles;
    FrameArray<float> floats;
    u64 count;
    int form;
    int place; // of the sum among the results
};

constexpr int kMaxOrderedSums = 20, kOrderedThreads = 128, kOrderedChunk = 16 * kOrderedThreads;

struct OrderedSumsArgs {
    OrderedSource sources[kMaxOrderedSums];
    int count;              // of sources
    FrameArray<u64> chunks; // `most_chunks` for each sum, see OrderedChunk
    u64 most_chunks;
    FrameArray<u64> sums; // bits of F
};

// What is known of a chunk, as u64.
enum OrderedChunk { kChunkRough, kChunkBinade, kChunkEven, kChunkOdd, kChunkLow, kChunkHigh, kChunkWords };

template <class C, class F> struct OrderedSumsParts {
    using f64 = typename C::f64;
    static constexpr int kThreads = kOrderedThreads, kGroups = kThreads / C::kGroup;
    using Sum = OrderedSum<C, F, kThreads, true>;
    using Bits = typename Sum::Bits;
    using Map = typename Sum::Map;
    static_assert(kThreads * Sum::kRun == kOrderedChunk, "a run for each thread");

    struct Term {
        Global<const u64> doubles;
        Global<const float> floats;
        int form;
        VMAF_DEVICE_FN Term(const OrderedSource &source, int frame, u64 first)
            : doubles(source.doubles.first == nullptr ? nullptr : source.doubles.of(frame) + first),
              floats(source.floats.first == nullptr ? nullptr : source.floats.of(frame) + first), form(source.form) {}
        VMAF_DEVICE_FN F operator()(u64 i) const {
            F value = value_at(i, As<F>());
            if (form & kOrderedNegated) value = -value;
            if ((form & kOrderedAboveZero) && value < F(0)) value = F(0);
            if (form & kOrderedFourthPower) {
                value = value * value;
                value = value * value;
            }
            return value;
        }

      private:
        template <class T> struct As {};
        VMAF_DEVICE_FN f64 value_at(u64 i, As<f64>) const {
            return doubles != nullptr ? C::f64_from(C::load(doubles + i)) : f64(C::load(floats + i));
        }
        VMAF_DEVICE_FN float value_at(u64 i, As<float>) const { return C::load(floats + i); }
    };

    static VMAF_DEVICE_FN u64 chunks(const OrderedSource &source) {
        return (source.count + kOrderedChunk - 1) / kOrderedChunk;
    }
    static VMAF_DEVICE_FN u64 terms_of(const OrderedSource &source, u64 chunk) {
        const u64 left = source.count - chunk * kOrderedChunk;
        return left < kOrderedChunk ? left : kOrderedChunk;
    }
    // What a block of the first two kernels works on: blocks of one chunk of all sums are neighbours, so that sums of
    // the same values read them together.
    struct Work {
        int which;
        u64 chunk, count; // count: of terms; 0: nothing to do
        VMAF_DEVICE_FN Work(C &c, const OrderedSumsArgs &a)
            : which(c.block_x % a.count), chunk(static_cast<u64>(c.block_x / a.count)),
              count(chunk < chunks(a.sources[which]) ? terms_of(a.sources[which], chunk) : 0) {}
        VMAF_DEVICE_FN Term term(C &c, const OrderedSumsArgs &a) const {
            return Term(a.sources[which], c.frame, chunk * kOrderedChunk);
        }
    };
    static VMAF_DEVICE_FN Global<u64> chunk_at(const OrderedSumsArgs &a, int frame, int sum, u64 chunk) {
        return a.chunks.of(frame) + (static_cast<u64>(sum) * a.most_chunks + chunk) * kChunkWords;
    }

    // The sum of the threads' values, in any order, in all threads.
    static VMAF_DEVICE_FN F sum_of_block(C &c, Shared<Bits> groups, F value) {
        for (int distance = C::kGroup / 2; distance > 0; distance /= 2)
            value = value + c.shuffle(value, c.thread % C::kGroup ^ distance);
        if (c.thread % C::kGroup == 0) groups[c.thread / C::kGroup] = C::bits(value);
        c.barrier();
        F sum = Sum::from_bits(groups[0]);
        for (int g = 1; g < kGroups; g++) sum = sum + Sum::from_bits(groups[g]);
        return sum;
    }
};

// Sums of chunks in any order.
template <class C, class F> struct OrderedSumsRough {
    using Args = OrderedSumsArgs;
    using Parts = OrderedSumsParts<C, F>;
    static constexpr int kThreads = kOrderedThreads, kMinBlocks = 8, kTileWidth = 0, kTileHeight = 0;
    struct SharedMemory {
        typename Parts::Bits groups[Parts::kGroups];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const typename Parts::Work work(c, a);
        if (work.count == 0) return;
        const typename Parts::Term term = work.term(c, a);
        F sum(0);
        for (u64 i = static_cast<u64>(c.thread); i < work.count; i += kThreads) sum = sum + term(i);
        sum = Parts::sum_of_block(c, shared->groups, sum);
        if (c.thread == 0) Parts::chunk_at(a, c.frame, work.which, work.chunk)[kChunkRough] = C::bits(sum);
    }
};

// The map of each chunk, for the binade in which the sum probably is there.
template <class C, class F> struct OrderedSumsMaps {
    using Args = OrderedSumsArgs;
    using Parts = OrderedSumsParts<C, F>;
    using Sum = typename Parts::Sum;
    using Map = typename Sum::Map;
    using Bits = typename Sum::Bits;
    using Signed = typename Sum::Signed;
    static constexpr int kThreads = kOrderedThreads, kMinBlocks = 8, kTileWidth = 0, kTileHeight = 0;
    static constexpr int kRun = Sum::kRun;
    struct SharedMemory {
        Bits terms[kThreads * (kRun + 1)]; // runs lie a word apart, so that threads read from different banks
        Bits groups[Parts::kGroups];
        Signed low[Parts::kGroups], high[Parts::kGroups];
        typename Sum::SharedMemory sum;
        u32 is_unusable;
    };
    struct Term {
        Shared<const Bits> terms;
        VMAF_DEVICE_FN F operator()(u64 i) const {
            return Sum::from_bits(terms[static_cast<u32>(i) + static_cast<u32>(i) / kRun]);
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const typename Parts::Work work(c, a);
        if (work.count == 0) return;
        const typename Parts::Term term = work.term(c, a);
        for (u32 i = static_cast<u32>(c.thread); i < work.count; i += kThreads)
            shared->terms[i + i / kRun] = C::bits(term(i));
        F before(0);
        for (u64 i = static_cast<u64>(c.thread); i < work.chunk; i += kThreads)
            before = before + Sum::from_bits(
                                  static_cast<Bits>(C::load(Parts::chunk_at(a, c.frame, work.which, i) + kChunkRough)));
        if (c.thread == 0) shared->is_unusable = 0;
        const Bits start = C::bits(Parts::sum_of_block(c, shared->groups, before)); // has a barrier

        Map own = Sum::map_of(start, static_cast<u64>(c.thread) * kRun, work.count, Term{shared->terms});
        const Signed hidden = static_cast<Signed>(Sum::kHidden);
        if (own.low == Sum::kUnusable || own.low < -hidden || own.high > hidden) { // such a run leaves any binade
            C::shared_max(&shared->is_unusable, 1u);
            own = {0, 0, 0, 0};
        }
        const Map here = Sum::scan(c, &shared->sum, own);
        Signed low = lesser(static_cast<Signed>(here.even), static_cast<Signed>(here.odd)) + own.low;
        Signed high = -lesser(-static_cast<Signed>(here.even), -static_cast<Signed>(here.odd)) + own.high;
        for (int distance = C::kGroup / 2; distance > 0; distance /= 2) {
            const int other = c.thread % C::kGroup ^ distance;
            low = lesser(low, static_cast<Signed>(c.shuffle(static_cast<Bits>(low), other)));
            high = -lesser(-high, -static_cast<Signed>(c.shuffle(static_cast<Bits>(high), other)));
        }
        if (c.thread % C::kGroup == 0) {
            shared->low[c.thread / C::kGroup] = low;
            shared->high[c.thread / C::kGroup] = high;
        }
        c.barrier();
        if (c.thread != kThreads - 1) return;
        for (int g = 0; g < Parts::kGroups; g++) {
            low = lesser(low, shared->low[g]);
            high = -lesser(-high, -shared->high[g]);
        }
        const Map all = Sum::joined(here, own);
        Global<u64> out = Parts::chunk_at(a, c.frame, work.which, work.chunk);
        out[kChunkBinade] = Sum::binade_of(start);
        out[kChunkEven] = all.even;
        out[kChunkOdd] = all.odd;
        out[kChunkLow] = static_cast<u64>(shared->is_unusable ? Sum::kUnusable : low); // negative ones come back, too
        out[kChunkHigh] = static_cast<u64>(high);
    }

  private:
    static VMAF_DEVICE_FN Signed lesser(Signed a, Signed b) { return a < b ? a : b; }
};

// The sums from the maps: one block for each.
template <class C, class F> struct OrderedSumsJoin {
    using Args = OrderedSumsArgs;
    using Parts = OrderedSumsParts<C, F>;
    using Sum = typename Parts::Sum;
    using Bits = typename Sum::Bits;
    using Signed = typename Sum::Signed;
    using Map = typename Sum::Map;
    static constexpr int kThreads = kOrderedThreads, kMinBlocks = 4, kTileWidth = 0, kTileHeight = 0;
    using SharedMemory = typename Sum::SharedMemory;

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const OrderedSource &source = a.sources[c.block_x];
        const u64 chunks = Parts::chunks(source);
        Bits sum = 0;
        for (u64 first = 0; first < chunks;) {
            const u64 mine = first + static_cast<u64>(c.thread);
            Map own = {0, 0, mine == 0 ? Sum::kUnusable : 0, 0}; // the first terms pass through many binades
            if (mine > 0 && mine < chunks) {
                Global<const u64> chunk = Parts::chunk_at(a, c.frame, c.block_x, mine);
                own = {static_cast<Bits>(C::load(chunk + kChunkEven)), static_cast<Bits>(C::load(chunk + kChunkOdd)),
                       static_cast<Signed>(C::load(chunk + kChunkLow)),
                       static_cast<Signed>(C::load(chunk + kChunkHigh))};
                if (C::load(chunk + kChunkBinade) != Sum::binade_of(sum)) own.low = Sum::kUnusable;
            }
            const u32 good = Sum::advance(c, shared, sum, own, mine < chunks);
            first += good;
            if (good == kThreads) continue;
            const typename Parts::Term term(source, c.frame, first * kOrderedChunk);
            sum = C::bits(Sum::run(c, shared, Parts::terms_of(source, first), Sum::from_bits(sum), term));
            first++;
        }
        if (c.thread == 0) a.sums.of(c.frame)[source.place] = sum;
    }
};

template <class C> using ordered_sums_rough = OrderedSumsRough<C, typename C::f64>;
template <class C> using ordered_sums_maps = OrderedSumsMaps<C, typename C::f64>;
template <class C> using ordered_sums_join = OrderedSumsJoin<C, typename C::f64>;
template <class C> using ordered_f32_sums_rough = OrderedSumsRough<C, float>;
template <class C> using ordered_f32_sums_maps = OrderedSumsMaps<C, float>;
template <class C> using ordered_f32_sums_join = OrderedSumsJoin<C, float>;

} // namespace kernels
} // namespace vmaf
