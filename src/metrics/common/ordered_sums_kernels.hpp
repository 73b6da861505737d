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
    FrameArray<u64> chunks; // of `most_chunks` for each sum, see OrderedChunk
    u64 most_chunks;
    FrameArray<u64> sums; // bits of F
};

// What is known of a chunk, as u64; each of all chunks of a sum together.
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
            F value[1];
            fetch(static_cast<u32>(i), 0, value);
            return value[0];
        }
        // Several at once: what all threads decide alike is asked once, and loads do not wait for each other.
        template <int kCount> VMAF_DEVICE_FN void fetch(u32 first, u32 step, F (&out)[kCount]) const {
            values(first, step, out, As<F>());
            if (form & kOrderedNegated) {
                VMAF_UNROLL
                for (int k = 0; k < kCount; k++) out[k] = -out[k];
            }
            if (form & kOrderedAboveZero) {
                VMAF_UNROLL
                for (int k = 0; k < kCount; k++) out[k] = out[k] < F(0) ? F(0) : out[k];
            }
            if (!(form & kOrderedFourthPower)) return;
            VMAF_UNROLL
            for (int k = 0; k < kCount; k++) {
                out[k] = out[k] * out[k];
                out[k] = out[k] * out[k];
            }
        }

      private:
        template <class T> struct As {};
        template <int kCount> VMAF_DEVICE_FN void values(u32 first, u32 step, f64 (&out)[kCount], As<f64>) const {
            if (doubles != nullptr) {
                VMAF_UNROLL
                for (int k = 0; k < kCount; k++)
                    out[k] = C::f64_from(C::load(doubles + (first + static_cast<u32>(k) * step)));
            } else {
                VMAF_UNROLL
                for (int k = 0; k < kCount; k++) out[k] = f64(C::load(floats + (first + static_cast<u32>(k) * step)));
            }
        }
        template <int kCount> VMAF_DEVICE_FN void values(u32 first, u32 step, float (&out)[kCount], As<float>) const {
            VMAF_UNROLL
            for (int k = 0; k < kCount; k++) out[k] = C::load(floats + (first + static_cast<u32>(k) * step));
        }
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
        u64 chunk;
        u32 count; // of terms; 0: nothing to do
        // The one at `place` of the `in_block` chunks of a block.
        VMAF_DEVICE_FN Work(C &c, const OrderedSumsArgs &a, int in_block = 1, int place = 0)
            : which(c.block_x % a.count), chunk(static_cast<u64>(c.block_x / a.count * in_block + place)),
              count(chunk < chunks(a.sources[which]) ? static_cast<u32>(terms_of(a.sources[which], chunk)) : 0) {}
        VMAF_DEVICE_FN Term term(C &c, const OrderedSumsArgs &a) const {
            return Term(a.sources[which], c.frame, chunk * kOrderedChunk);
        }
    };
    // What is known of the chunks of a sum: one word of all of them.
    static VMAF_DEVICE_FN Global<u64> words(const OrderedSumsArgs &a, int frame, int sum, OrderedChunk word) {
        return a.chunks.of(frame) + static_cast<u64>(sum * kChunkWords + word) * a.most_chunks;
    }

    // The sum over the group, in any order, in all lanes.
    static VMAF_DEVICE_FN F sum_of_group(C &c, F value) {
        for (int distance = C::kGroup / 2; distance > 0; distance /= 2)
            value = value + c.shuffle(value, c.thread % C::kGroup ^ distance);
        return value;
    }
    // The same over the block, in all threads.
    static VMAF_DEVICE_FN F sum_of_block(C &c, Shared<Bits> groups, F value) {
        value = sum_of_group(c, value);
        if (c.thread % C::kGroup == 0) groups[c.thread / C::kGroup] = C::bits(value);
        c.barrier();
        F sum = Sum::from_bits(groups[0]);
        for (int g = 1; g < kGroups; g++) sum = sum + Sum::from_bits(groups[g]);
        return sum;
    }
};

// Sums of chunks, about, in any order. A group takes a chunk.
template <class C, class F> struct OrderedSumsRough {
    using Args = OrderedSumsArgs;
    using Parts = OrderedSumsParts<C, F>;
    static constexpr int kThreads = kOrderedThreads, kMinBlocks = 8, kTileHeight = 0;
    static constexpr int kTileWidth = Parts::kGroups; // chunks
    static constexpr int kShare = 4, kTurns = kOrderedChunk / (kShare * C::kGroup);
    struct SharedMemory {
        u32 unused;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const typename Parts::Work work(c, a, kTileWidth, c.thread / C::kGroup);
        const u32 lane = static_cast<u32>(c.thread % C::kGroup);
        F sum(0);
        if (work.count == kOrderedChunk) { // nothing comes after a chunk that is not full
            const typename Parts::Term term = work.term(c, a);
            // Powers differ much: all of them count. Of others one run in four tells enough, at places that repeat in
            // no picture.
            if (term.form) {
                for (int turn = 0; turn < kTurns; turn++) {
                    F terms[kShare];
                    term.fetch(lane + static_cast<u32>(turn * kShare * C::kGroup), C::kGroup, terms);
                    VMAF_UNROLL
                    for (int i = 0; i < kShare; i++) sum = sum + terms[i];
                }
            } else {
                VMAF_UNROLL
                for (u32 turn = 0; turn < kTurns; turn++) {
                    const u32 place = (static_cast<u32>(work.chunk) * kTurns + turn) * 2654435761u >> 30;
                    sum = sum + term((turn * kShare + place) * C::kGroup + lane);
                }
                sum = sum * F(kShare);
            }
        }
        sum = Parts::sum_of_group(c, sum);
        if (lane == 0 && work.count > 0) Parts::words(a, c.frame, work.which, kChunkRough)[work.chunk] = C::bits(sum);
    }
};

// The terms of a chunk in shared memory. Runs lie a word apart, so that threads read from different banks.
template <class C, class F> struct OrderedSumsTerms {
    using Parts = OrderedSumsParts<C, F>;
    using Sum = typename Parts::Sum;
    using Bits = typename Sum::Bits;
    static constexpr int kThreads = kOrderedThreads, kRun = Sum::kRun, kPlaces = kThreads * (kRun + 1);
    struct Run { // of one thread
        Shared<const Bits> terms;
        VMAF_DEVICE_FN F operator()(u64 i) const { return Sum::from_bits(terms[i]); }
    };
    struct All {
        Shared<const Bits> terms;
        VMAF_DEVICE_FN F operator()(u64 i) const {
            return Sum::from_bits(terms[static_cast<u32>(i) + static_cast<u32>(i) / kRun]);
        }
    };

    static VMAF_DEVICE_FN void bring(C &c, Shared<Bits> terms, const typename Parts::Term &term, u32 count) {
        constexpr int kAtOnce = 8;
        static_assert(kThreads % kRun == 0 && kRun % kAtOnce == 0, "places of terms are known");
        if (count < kOrderedChunk) {
            for (u32 i = static_cast<u32>(c.thread); i < count; i += kThreads) terms[i + i / kRun] = C::bits(term(i));
            return;
        }
        Shared<Bits> to = terms + (c.thread + c.thread / kRun);
        VMAF_UNROLL
        for (int first = 0; first < kRun; first += kAtOnce) {
            F some[kAtOnce];
            term.fetch(static_cast<u32>(c.thread + first * kThreads), kThreads, some);
            VMAF_UNROLL
            for (int k = 0; k < kAtOnce; k++) to[(first + k) * (kThreads + kThreads / kRun)] = C::bits(some[k]);
        }
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
    using Terms = OrderedSumsTerms<C, F>;
    struct SharedMemory {
        Bits terms[Terms::kPlaces];
        Bits groups[Parts::kGroups];
        u32 low[Parts::kGroups], high[Parts::kGroups];
        typename Sum::SharedMemory sum;
        u32 is_unusable;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const typename Parts::Work work(c, a);
        if (work.count == 0) return;
        const bool full = work.count == kOrderedChunk;
        Terms::bring(c, shared->terms, work.term(c, a), work.count);
        Global<const u64> rough = Parts::words(a, c.frame, work.which, kChunkRough);
        F before(0);
        for (u64 i = static_cast<u64>(c.thread); i < work.chunk; i += kThreads)
            before = before + Sum::from_bits(static_cast<Bits>(C::load(rough + i)));
        if (c.thread == 0) shared->is_unusable = 0;
        const Bits start = C::bits(Parts::sum_of_block(c, shared->groups, before)); // has a barrier

        const typename Terms::Run terms{shared->terms + c.thread * (kRun + 1)};
        const u32 first = static_cast<u32>(c.thread) * kRun;
        Map own = full ? Sum::map_of_whole(start, terms)
                       : Sum::map_of(start, 0, work.count < first ? 0 : work.count - first, terms);
        const Signed hidden = static_cast<Signed>(Sum::kHidden);
        if (own.low == Sum::kUnusable || own.low < -hidden || own.high > hidden) { // such a run leaves any binade
            C::shared_max(&shared->is_unusable, 1u);
            own = {0, 0, 0, 0};
        }
        const Map here = Sum::scan(c, &shared->sum, own);
        // How far a run goes down and up: upper words are enough, and one step more.
        const Signed even = static_cast<Signed>(here.even), odd = static_cast<Signed>(here.odd);
        u32 low = c.group_min(upper((even < odd ? even : odd) + own.low));
        u32 high = c.group_max(upper((even < odd ? odd : even) + own.high));
        if (c.thread % C::kGroup == 0) {
            shared->low[c.thread / C::kGroup] = low;
            shared->high[c.thread / C::kGroup] = high;
        }
        c.barrier();
        if (c.thread != kThreads - 1) return;
        for (int g = 0; g < Parts::kGroups; g++) {
            low = shared->low[g] < low ? shared->low[g] : low;
            high = shared->high[g] > high ? shared->high[g] : high;
        }
        const Map all = Sum::joined(here, own);
        Parts::words(a, c.frame, work.which, kChunkBinade)[work.chunk] = Sum::binade_of(start);
        Parts::words(a, c.frame, work.which, kChunkEven)[work.chunk] = all.even;
        Parts::words(a, c.frame, work.which, kChunkOdd)[work.chunk] = all.odd;
        Parts::words(a, c.frame, work.which, kChunkLow)[work.chunk] =
            static_cast<u64>(shared->is_unusable ? Sum::kUnusable : from_upper(low)); // negative ones come back, too
        Parts::words(a, c.frame, work.which, kChunkHigh)[work.chunk] = static_cast<u64>(from_upper(high + 1));
    }

  private:
    static constexpr int kRest = 8 * (static_cast<int>(sizeof(Bits)) - 4); // bits below the upper word

    // The upper word, in the order of unsigned words; and the least value that has it.
    static VMAF_DEVICE_FN u32 upper(Signed v) { return static_cast<u32>(v >> kRest) ^ 0x80000000u; }
    static VMAF_DEVICE_FN Signed from_upper(u32 v) {
        return static_cast<Signed>(static_cast<Bits>(static_cast<Signed>(static_cast<int>(v ^ 0x80000000u))) << kRest);
    }
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
    using Terms = OrderedSumsTerms<C, F>;
    struct SharedMemory {
        Bits terms[Terms::kPlaces];
        typename Sum::SharedMemory sum;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const OrderedSource &source = a.sources[c.block_x];
        const u64 chunks = Parts::chunks(source);
        Bits sum = 0;
        for (u64 first = 0; first < chunks;) {
            const u64 mine = first + static_cast<u64>(c.thread);
            Map own = {0, 0, mine == 0 ? Sum::kUnusable : 0, 0}; // the first terms pass through many binades
            if (mine > 0 && mine < chunks) {
                own = {static_cast<Bits>(word(c, a, kChunkEven, mine)), static_cast<Bits>(word(c, a, kChunkOdd, mine)),
                       static_cast<Signed>(word(c, a, kChunkLow, mine)),
                       static_cast<Signed>(word(c, a, kChunkHigh, mine))};
                if (word(c, a, kChunkBinade, mine) != Sum::binade_of(sum)) own.low = Sum::kUnusable;
            }
            const u32 good = Sum::advance(c, &shared->sum, sum, own, mine < chunks);
            first += good;
            if (good == kThreads) continue;
            const typename Parts::Term term(source, c.frame, first * kOrderedChunk);
            const u64 count = Parts::terms_of(source, first);
            Terms::bring(c, shared->terms, term, static_cast<u32>(count));
            c.barrier();
            sum = C::bits(Sum::run(c, &shared->sum, count, Sum::from_bits(sum), typename Terms::All{shared->terms}));
            first++;
        }
        if (c.thread == 0) a.sums.of(c.frame)[source.place] = sum;
    }

  private:
    static VMAF_DEVICE_FN u64 word(C &c, const Args &a, OrderedChunk which, u64 chunk) {
        return C::load(Parts::words(a, c.frame, c.block_x, which) + chunk);
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
