// Kernels that try what contexts promise (device/kernel.hpp). For tests; not part of the installed library.
#pragma once

#include "device/kernel.hpp"
#include "device/math.hpp"
#include "device/ordered_sum.hpp"

namespace vmaf {
namespace kernels {

constexpr int kProbeThreads = 128;

// What each thread leaves.
struct ProbeWords {
    u32 next, sum, most, least, leading_zeros, permuted, toward_zero;
    u32 has_matrix, matrix[4];
    int previous;
    float float_of_next, quotient, root, product_and_sum;
    u64 ballot, wide_of_next, wide_sum, f64_quotient, f64_root, f64_of_next, exponential;
};
struct ProbeShared {
    u32 sum, least, most, tickets;
    int signed_sum, signed_least, signed_most;
    u64 wide_sum;
};
struct ProbeArgs {
    Global<const float> a, b; // kProbeThreads each
    Global<ProbeWords> words; // kProbeThreads
    Global<ProbeShared> shared;
    Global<u32> counts; // sum, least, most, tickets over all blocks
    Global<u64> wide_count;
};

// Operands of byte_matrix(): six words of each thread.
VMAF_DEVICE_FN u32 probe_operand(u32 thread, u32 place) { return (thread * 6 + place + 1) * 2654435761u; }

template <class C, bool kHas> struct ProbeMatrix {
    static VMAF_DEVICE_FN void run(C &, u32, ProbeWords &w) { w.has_matrix = 0; }
};
template <class C> struct ProbeMatrix<C, true> {
    static VMAF_DEVICE_FN void run(C &c, u32 t, ProbeWords &w) {
        const Words4 a = {{probe_operand(t, 0), probe_operand(t, 1), probe_operand(t, 2), probe_operand(t, 3)}};
        const Words4 out = c.byte_matrix(a, probe_operand(t, 4), probe_operand(t, 5), Words4{{t, 0, 0, ~0u}});
        w.has_matrix = 1;
        for (int i = 0; i < 4; i++) w.matrix[i] = out.v[i];
    }
};

template <class C> struct probe_operations {
    using Args = ProbeArgs;
    using f64 = typename C::f64;
    static constexpr int kThreads = kProbeThreads, kMinBlocks = 1, kTileWidth = kThreads, kTileHeight = C::kGroup;
    using SharedMemory = ProbeShared;

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args) {
        const u32 t = static_cast<u32>(c.thread);
        const int lane = c.thread % C::kGroup, next = (lane + 1) % C::kGroup, previous = lane ? lane - 1 : lane;
        const float a = C::load(args.a + t), b = C::load(args.b + t);
        ProbeWords w;
        w.next = c.shuffle(7 * t, next);
        w.previous = c.shuffle(-static_cast<int>(t), previous);
        w.float_of_next = c.shuffle(a, next);
        w.wide_of_next = c.shuffle(static_cast<u64>(t) << 40 | t, next);
        w.f64_of_next = C::bits(c.shuffle(f64(a), next));
        w.sum = c.group_sum(t * t);
        w.most = c.group_max(t * 37 % 128);
        w.least = c.group_min(t * 37 % 128);
        w.ballot = c.ballot(t % 3 == 0);
        w.wide_sum = group_sum_wide(c, static_cast<u64>(t) << 50 | t);
        w.leading_zeros = static_cast<u32>(C::leading_zeros(t + 1));
        w.permuted = C::permute_bytes(0x03020100u + t, 0x07060504u, 0x7043u);
        w.toward_zero = C::bits_toward_zero(0xffffff81u >> (t % 25));
        ProbeMatrix<C, C::kByteMatrix>::run(c, t, w);
        w.quotient = C::divide(a, b);
        w.root = C::square_root(a);
        w.product_and_sum = a * b + a;
        w.f64_quotient = C::bits(C::divide(f64(a), f64(b)));
        w.f64_root = C::bits(C::square_root(f64(a)));
        w.exponential = C::bits(Math<C>::exponential(f64(b)));
        put(args.words + t, w);

        if (t == 0) put(shared, ProbeShared{0, 1000, 0, 0, 0, 1000, -1000, 0});
        c.barrier();
        C::shared_add(&shared->sum, t);
        C::shared_min(&shared->least, t + 5);
        C::shared_max(&shared->most, t * 37 % 128);
        C::shared_increment(&shared->tickets);
        C::shared_add(&shared->signed_sum, -static_cast<int>(t));
        C::shared_min(&shared->signed_least, -static_cast<int>(t));
        C::shared_max(&shared->signed_most, static_cast<int>(t) - 200);
        C::shared_add(&shared->wide_sum, static_cast<u64>(t) << 33);
        c.barrier();
        if (t == 0 && c.block_x == 0) put(args.shared, fetched(shared));
        c.atomic_add(args.counts, t);
        c.atomic_min(args.counts + 1, t + 3);
        c.atomic_max(args.counts + 2, t + static_cast<u32>(c.block_x));
        c.atomic_increment(args.counts + 3);
        c.atomic_add(args.wide_count, static_cast<u64>(t) << 36);
    }
};

template <class Number, class Word> struct OrderedArgs {
    Global<const Number> terms;
    u64 count;
    Global<Word> result;
};
using OrderedF32Args = OrderedArgs<float, u32>;
using OrderedF64Args = OrderedArgs<u64, u64>;

template <class C, bool kSigned> struct ProbeOrderedF32 {
    using Args = OrderedF32Args;
    static constexpr int kThreads = kProbeThreads, kMinBlocks = 1, kTileWidth = 0, kTileHeight = 0;
    using Sum = OrderedSum<C, float, kThreads, kSigned>;
    using SharedMemory = typename Sum::SharedMemory;
    struct Term {
        Global<const float> terms;
        VMAF_DEVICE_FN float operator()(u64 i) const { return C::load(terms + i); }
    };
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const float sum = Sum::run(c, shared, a.count, 0.0f, Term{a.terms});
        if (c.thread == 0) *a.result = C::bits(sum);
    }
};
template <class C, bool kSigned> struct ProbeOrderedF64 {
    using Args = OrderedF64Args;
    using f64 = typename C::f64;
    static constexpr int kThreads = kProbeThreads, kMinBlocks = 1, kTileWidth = 0, kTileHeight = 0;
    using Sum = OrderedSum<C, f64, kThreads, kSigned>;
    using SharedMemory = typename Sum::SharedMemory;
    struct Term {
        Global<const u64> terms; // bits
        VMAF_DEVICE_FN f64 operator()(u64 i) const { return C::f64_from(C::load(terms + i)); }
    };
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const f64 sum = Sum::run(c, shared, a.count, f64(0), Term{a.terms});
        if (c.thread == 0) *a.result = C::bits(sum);
    }
};
template <class C> using probe_ordered_f32 = ProbeOrderedF32<C, false>;
template <class C> using probe_ordered_f32_signed = ProbeOrderedF32<C, true>;
template <class C> using probe_ordered_f64 = ProbeOrderedF64<C, false>;
template <class C> using probe_ordered_f64_signed = ProbeOrderedF64<C, true>;

} // namespace kernels
} // namespace vmaf
