// A sum of floats in a given order, rounded after every addition, evaluated by all threads of a block: the bits are
// those of the loop `for (...) sum += term`.
//
// While the sum stays in one binade it is an integer A (the fraction with its hidden bit), and adding a term changes A
// by the term's rounded value in units of A's last place. Only a tie looks at A: it goes to the even side. A run of
// terms is therefore a map from the parity of A to an increment, and maps of neighbouring runs combine associatively.
// The first run that may leave the binade is added term by term, and the next binade begins after it
// (fidelity.md 9.5).
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// The bits of a float type: u32 of f32, u64 of f64 in either form.
template <class F> struct FloatLayout {
    using Bits = u64;
    using Signed = i64;
    static constexpr int kFraction = 52, kExponents = 2047;
};
template <> struct FloatLayout<float> {
    using Bits = u32;
    using Signed = int;
    static constexpr int kFraction = 23, kExponents = 255;
};

// kThreads: block size. kSigned: terms may be negative.
template <class C, class F, int kThreads, bool kSigned> struct OrderedSum {
    using Layout = FloatLayout<F>;
    using Bits = typename Layout::Bits;
    using Signed = typename Layout::Signed;
    static constexpr int kRun = 16; // terms per thread and round
    static constexpr int kGroups = kThreads / C::kGroup;

    struct SharedMemory {
        Bits even[kGroups], odd[kGroups];
        u32 first_bad;
        Bits sum, exact; // `exact` is separate: some threads still read `sum` when it is written
    };

    // How a run changes A, by A's parity (modulo 2^32 or 2^64), and how far A moves below and above its start. `low` >
    // 0: unusable.
    struct Map {
        Bits even, odd;
        Signed low, high;
    };
    static constexpr Bits kHidden = static_cast<Bits>(1) << Layout::kFraction;
    static constexpr Signed kUnusable = 1;

    // Returns start + term(0) + ... + term(count - 1), summed from left to right, to all threads. `term` is a function
    // object and may be called twice per index. All threads must call this. start is 0 or a sum of the same kind.
    template <class Term>
    static VMAF_DEVICE_FN F run(C &c, Shared<SharedMemory> shared, u64 count, F start, const Term &term) {
        Bits sum = C::bits(start);
        for (u64 first = 0; first < count;) {
            const u64 mine = first + static_cast<u64>(c.thread) * kRun;
            const u32 good = advance(c, shared, sum, map_of(sum, mine, count, term), mine < count);
            if (good < kThreads) {
                if (static_cast<u32>(c.thread) == good) {
                    F exact = from_bits(sum);
                    for (u64 i = mine; i < mine + kRun && i < count; i++) exact = exact + term(i);
                    shared->exact = C::bits(exact);
                }
                c.barrier();
                sum = shared->exact;
            }
            first += static_cast<u64>(good < kThreads ? static_cast<int>(good) + 1 : kThreads) * kRun;
        }
        return from_bits(sum);
    }

    // Joins the runs of all threads to `sum` up to the first that may leave the binade; returns that thread, or
    // kThreads. For threads without a run is_there is false, and the map adds nothing.
    static VMAF_DEVICE_FN u32 advance(C &c, Shared<SharedMemory> shared, Bits &sum, const Map &own, bool is_there) {
        const Map before = scan(c, shared, own);
        if (c.thread == 0) shared->first_bad = kThreads;
        c.barrier();
        const Bits a = integer_of(sum), at = a + (a & 1 ? before.odd : before.even);
        if (is_there && leaves(sum, own, at)) C::shared_min(&shared->first_bad, static_cast<u32>(c.thread));
        c.barrier();
        const u32 bad = shared->first_bad;
        if (static_cast<u32>(c.thread) == bad) shared->sum = moved(sum, at);
        if (bad == kThreads && c.thread == kThreads - 1) shared->sum = moved(sum, at + (at & 1 ? own.odd : own.even));
        c.barrier();
        sum = shared->sum;
        return bad;
    }

    // The existing terms of first .. first + kRun - 1, for a sum in the binade of `sum`.
    template <class Term> static VMAF_DEVICE_FN Map map_of(Bits sum, u64 first, u64 count, const Term &term) {
        return map_of(sum, first, count, term, Way < sizeof(Bits) == 4 || C::kFastF64 > ());
    }

    // The same of kRun terms, which cost little: their loop is written out where additions are fast.
    template <class Term> static VMAF_DEVICE_FN Map map_of_whole(Bits sum, const Term &term) {
        return map_of_whole(sum, term, Way < sizeof(Bits) == 4 || C::kFastF64 > ());
    }

    static VMAF_DEVICE_FN Map joined(const Map &f, const Map &g) {
        Map out;
        out.even = f.even + (f.even & 1 ? g.odd : g.even);
        out.odd = f.odd + (f.odd & 1 ? g.even : g.odd);
        out.low = out.high = 0; // of single runs only
        return out;
    }

    // The map of everything before this thread's run. Maps after a run that leaves the binade are meaningless and not
    // used.
    static VMAF_DEVICE_FN Map scan(C &c, Shared<SharedMemory> shared, const Map &own) {
        const int lane = c.thread % C::kGroup, group = c.thread / C::kGroup;
        Map sum = own;
        for (int distance = 1; distance < C::kGroup; distance *= 2) {
            const int from = lane >= distance ? lane - distance : lane;
            const Map earlier = {c.shuffle(sum.even, from), c.shuffle(sum.odd, from), 0, 0};
            if (lane >= distance) sum = joined(earlier, sum);
        }
        if (lane == C::kGroup - 1) {
            shared->even[group] = sum.even;
            shared->odd[group] = sum.odd;
        }
        const int from = lane > 0 ? lane - 1 : lane;
        Map before = {c.shuffle(sum.even, from), c.shuffle(sum.odd, from), 0, 0};
        if (lane == 0) before.even = before.odd = 0;
        c.barrier();
        Map groups = {0, 0, 0, 0};
        for (int g = 0; g < group; g++) groups = joined(groups, Map{shared->even[g], shared->odd[g], 0, 0});
        return joined(groups, before);
    }
    static VMAF_DEVICE_FN F from_bits(Bits bits) { return from(bits); }
    // Sign and exponent of a sum.
    static VMAF_DEVICE_FN Bits binade_of(Bits sum) { return sum & ~(kHidden - 1); }

  private:
    static constexpr Bits kSign = static_cast<Bits>(1) << (8 * sizeof(Bits) - 1);

    template <bool kAddsFast> struct Way {};

    // By additions: on an even and on an odd sum of the binade that leave room on both sides. The second is never more
    // than two steps above the first, so that one of them tells how far both went; its upper bits are enough for that.
    struct Pair {
        static constexpr int kRest = 8 * (static_cast<int>(sizeof(Bits)) - 4);
        static constexpr Bits kSlack =
            (static_cast<Bits>(1) << kRest) + 1; // what the upper bits do not tell, and two steps
        Bits bottom, start;
        F even, odd;
        u32 least, most;

        VMAF_DEVICE_FN explicit Pair(Bits sum)
            : bottom(binade_of(sum)), start(kSigned ? bottom | kHidden >> 1 : bottom), even(from_bits(start)),
              odd(from_bits(start | 1)), least(static_cast<u32>(start >> kRest)), most(least) {}
        VMAF_DEVICE_FN void add(F x) {
            even = even + x;
            odd = odd + x;
            const u32 at = static_cast<u32>(C::bits(even) >> kRest);
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        VMAF_DEVICE_FN Map map() const {
            const Bits low = (static_cast<Bits>(least) << kRest), high = (static_cast<Bits>(most) << kRest) + kSlack;
            Map map = {C::bits(even) - start, C::bits(odd) - (start | 1), 0, static_cast<Signed>(high - start)};
            if (kSigned) map.low = static_cast<Signed>(low - start) - 1;
            if ((kSigned && low <= bottom + 2) || high >= bottom + kHidden) map.low = kUnusable;
            return map;
        }
    };
    static VMAF_DEVICE_FN bool has_pair(Bits sum) { return exponent_of(sum) && exponent_of(sum) != Layout::kExponents; }
    template <class Term>
    static VMAF_DEVICE_FN Map map_of(Bits sum, u64 first, u64 count, const Term &term, Way<true>) {
        if (!has_pair(sum)) return map_of(sum, first, count, term, Way<false>());
        Pair pair(sum);
        for (u64 i = first; i < first + kRun && i < count; i++) pair.add(term(i));
        return pair.map();
    }
    template <class Term> static VMAF_DEVICE_FN Map map_of_whole(Bits sum, const Term &term, Way<true>) {
        if (!has_pair(sum)) return map_of(sum, 0, kRun, term, Way<false>());
        Pair pair(sum);
        VMAF_UNROLL
        for (int i = 0; i < kRun; i++) pair.add(term(static_cast<u64>(i)));
        return pair.map();
    }
    template <class Term> static VMAF_DEVICE_FN Map map_of_whole(Bits sum, const Term &term, Way<false>) {
        return map_of(sum, 0, kRun, term, Way<false>());
    }

    // By integer arithmetic.
    template <class Term>
    static VMAF_DEVICE_FN Map map_of(Bits sum, u64 first, u64 count, const Term &term, Way<false>) {
        Map map = {0, 0, 0, 0};
        const int binade = exponent_of(sum);
        const bool dead = binade == 0 || binade == Layout::kExponents; // cannot count, unless all terms are 0
        for (u64 i = first; i < first + kRun && i < count; i++) {
            const Bits x = C::bits(term(i));
            if (is_zero(x)) continue;
            const int own = exponent_of(x), shift = binade - (own ? own : 1);
            if (dead || shift < 0) {
                map.low = kUnusable;
                return map;
            }
            const Bits m = (x & (kHidden - 1)) | (own ? kHidden : 0);
            Bits whole = 0;
            bool tie = false, up = false;
            if (shift <= Layout::kFraction + 1) {
                const Bits unit = static_cast<Bits>(1) << shift, rest = m & (unit - 1), half = unit >> 1;
                whole = m >> shift;
                tie = shift > 0 && rest == half;
                up = shift > 0 && rest > half;
            }
            Signed even, odd; // steps from an even and an odd A
            if (kSigned && ((x ^ sum) & kSign)) {
                even = -static_cast<Signed>(whole + up);
                odd = even;
                if (tie) {
                    even -= static_cast<Signed>(whole & 1); // to even
                    odd -= static_cast<Signed>(~whole & 1);
                }
            } else {
                even = static_cast<Signed>(whole + up);
                odd = even;
                if (tie) {
                    even += static_cast<Signed>(whole & 1);
                    odd += static_cast<Signed>(~whole & 1);
                }
            }
            map.even += static_cast<Bits>(map.even & 1 ? odd : even);
            map.odd += static_cast<Bits>(map.odd & 1 ? even : odd);
            const Signed from_even = static_cast<Signed>(map.even), from_odd = static_cast<Signed>(map.odd);
            if (kSigned) map.low = lesser(map.low, lesser(from_even, from_odd));
            map.high = greater(map.high, greater(from_even, from_odd));
        }
        return map;
    }

    static VMAF_DEVICE_FN Signed lesser(Signed a, Signed b) { return a < b ? a : b; }
    static VMAF_DEVICE_FN Signed greater(Signed a, Signed b) { return a > b ? a : b; }
    static VMAF_DEVICE_FN float from(u32 bits) { return C::float_from(bits); }
    static VMAF_DEVICE_FN typename C::f64 from(u64 bits) { return C::f64_from(bits); }
    static VMAF_DEVICE_FN int exponent_of(Bits bits) {
        return static_cast<int>(bits >> Layout::kFraction) & Layout::kExponents;
    }
    static VMAF_DEVICE_FN bool is_zero(Bits bits) { return !(bits & ~kSign); }
    static VMAF_DEVICE_FN Bits integer_of(Bits sum) { return (sum & (kHidden - 1)) | (exponent_of(sum) ? kHidden : 0); }
    // The sum with its integer replaced, in the same binade.
    static VMAF_DEVICE_FN Bits moved(Bits sum, Bits integer) {
        if (!exponent_of(sum)) return sum; // zero, which stayed so
        return (sum & ~(kHidden - 1)) | (integer & (kHidden - 1));
    }
    static VMAF_DEVICE_FN bool leaves(Bits sum, const Map &own, Bits start) {
        if (own.low == kUnusable) return true;
        if (!exponent_of(sum)) return false;                      // zeros added to zero
        if (start >= 2 * kHidden || start < kHidden) return true; // an earlier run has already left
        const Signed bottom = static_cast<Signed>(kHidden), at = static_cast<Signed>(start);
        // A value of exactly `bottom` may have come from below, where steps are finer.
        return (kSigned && own.low < 0 && at + own.low <= bottom) || at + own.high >= 2 * bottom;
    }
};

} // namespace kernels
} // namespace vmaf
