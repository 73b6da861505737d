// The context (device/kernel.hpp) of Metal devices, in the kernel dialect: msl.py translates both to Metal's language.
// Needs Metal 3.2 (macOS 15) for a fence between the blocks of a launch.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

struct MetalContext {
    static constexpr int kGroup = 32; // every Apple GPU
    static constexpr int kSharedBytes = 32 * 1024;
    static constexpr bool kBlockInStep = false, kFastF64 = false, kByteMatrix = false;
    using f64 = SoftF64;

    int thread, block_x, block_y, frame;

    static VMAF_DEVICE_FN void barrier() {
        metal::threadgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup);
    }

    template <class T> static VMAF_DEVICE_FN T shuffle(T v, int lane) {
        return metal::simd_shuffle(v, static_cast<u16>(lane));
    }
    static VMAF_DEVICE_FN u64 shuffle(u64 v, int lane) {
        const u32 high = shuffle(static_cast<u32>(v >> 32), lane);
        return static_cast<u64>(high) << 32 | shuffle(static_cast<u32>(v), lane);
    }
    static VMAF_DEVICE_FN SoftF64 shuffle(SoftF64 v, int lane) { return SoftF64::from_bits(shuffle(v.bits(), lane)); }
    static VMAF_DEVICE_FN u64 ballot(bool flag) {
        return static_cast<u64>(static_cast<metal::simd_vote::vote_t>(metal::simd_ballot(flag)));
    }
    static VMAF_DEVICE_FN u32 group_sum(u32 v) { return metal::simd_sum(v); }
    static VMAF_DEVICE_FN u32 group_max(u32 v) { return metal::simd_max(v); }
    static VMAF_DEVICE_FN u32 group_min(u32 v) { return metal::simd_min(v); }

    static VMAF_DEVICE_FN void fence() {
        metal::atomic_thread_fence(metal::mem_flags::mem_device, metal::memory_order_seq_cst,
                                   metal::thread_scope_device);
    }
    static VMAF_DEVICE_FN void atomic_add(Global<u32> at, u32 v) { added(atomic(at), v); }
    static VMAF_DEVICE_FN void atomic_add(Global<u64> at, u64 v) { add_wide(reinterpret_cast<Global<u32>>(at), v); }
    static VMAF_DEVICE_FN void atomic_max(Global<u32> at, u32 v) {
        metal::atomic_fetch_max_explicit(atomic(at), v, metal::memory_order_relaxed);
    }
    static VMAF_DEVICE_FN void atomic_min(Global<u32> at, u32 v) {
        metal::atomic_fetch_min_explicit(atomic(at), v, metal::memory_order_relaxed);
    }
    static VMAF_DEVICE_FN u32 atomic_increment(Global<u32> at) { return added(atomic(at), 1u); }

    static VMAF_DEVICE_FN void shared_add(Shared<u32> at, u32 v) { added(atomic(at), v); }
    static VMAF_DEVICE_FN void shared_add(Shared<int> at, int v) { added(atomic(at), v); }
    static VMAF_DEVICE_FN void shared_add(Shared<u64> at, u64 v) { add_wide(reinterpret_cast<Shared<u32>>(at), v); }
    template <class T> static VMAF_DEVICE_FN void shared_max(Shared<T> at, T v) {
        metal::atomic_fetch_max_explicit(atomic(at), v, metal::memory_order_relaxed);
    }
    template <class T> static VMAF_DEVICE_FN void shared_min(Shared<T> at, T v) {
        metal::atomic_fetch_min_explicit(atomic(at), v, metal::memory_order_relaxed);
    }
    static VMAF_DEVICE_FN u32 shared_increment(Shared<u32> at) { return added(atomic(at), 1u); }

    template <class T> static VMAF_DEVICE_FN T load(Global<const T> at) { return fetched(at); }
    // Caches of Apple GPUs are not coherent within a launch, but atomic accesses are.
    static VMAF_DEVICE_FN u32 load_fresh(Global<const u32> at) {
        return metal::atomic_load_explicit(atomic(const_cast<Global<u32>>(at)), metal::memory_order_relaxed);
    }
    static VMAF_DEVICE_FN u64 load_fresh(Global<const u64> at) {
        Global<const u32> words = reinterpret_cast<Global<const u32>>(at);
        const u32 low = load_fresh(words);
        return static_cast<u64>(load_fresh(words + 1)) << 32 | low;
    }
    static VMAF_DEVICE_FN void store_fresh(Global<u32> at, u32 v) {
        metal::atomic_store_explicit(atomic(at), v, metal::memory_order_relaxed);
    }

    static VMAF_DEVICE_FN float divide(float a, float b) { return a / b; }
    static VMAF_DEVICE_FN SoftF64 divide(SoftF64 a, SoftF64 b) { return a / b; }
    static VMAF_DEVICE_FN float square_root(float v) { return metal::precise::sqrt(v); }
    static VMAF_DEVICE_FN SoftF64 square_root(SoftF64 v) { return v.square_root(); }
    static VMAF_DEVICE_FN float reciprocal_estimate(float v) { return 1.0f / v; }
    static VMAF_DEVICE_FN u32 bits(float v) { return as_type<u32>(v); }
    static VMAF_DEVICE_FN u64 bits(SoftF64 v) { return v.bits(); }
    static VMAF_DEVICE_FN float float_from(u32 v) { return as_type<float>(v); }
    static VMAF_DEVICE_FN SoftF64 f64_from(u64 v) { return SoftF64::from_bits(v); }

    static VMAF_DEVICE_FN int leading_zeros(u32 v) { return PortableOperations::leading_zeros(v); }
    static VMAF_DEVICE_FN u32 bits_toward_zero(u32 v) { return PortableOperations::bits_toward_zero(v); }
    static VMAF_DEVICE_FN u32 set_bits(u32 v) { return PortableOperations::set_bits(v); }
    static VMAF_DEVICE_FN u32 permute_bytes(u32 a, u32 b, u32 selector) {
        return PortableOperations::permute_bytes(a, b, selector);
    }
    template <bool kUpper> static VMAF_DEVICE_FN int dot2(u32 taps, u32 bytes, int sum) {
        return PortableOperations::dot2<kUpper>(taps, bytes, sum);
    }

  private:
    static VMAF_DEVICE_FN Global<metal::atomic_uint> atomic(Global<u32> at) {
        return reinterpret_cast<Global<metal::atomic_uint>>(at);
    }
    static VMAF_DEVICE_FN Shared<metal::atomic_uint> atomic(Shared<u32> at) {
        return reinterpret_cast<Shared<metal::atomic_uint>>(at);
    }
    static VMAF_DEVICE_FN Shared<metal::atomic_int> atomic(Shared<int> at) {
        return reinterpret_cast<Shared<metal::atomic_int>>(at);
    }
    template <class Pointer, class T> static VMAF_DEVICE_FN T added(Pointer at, T v) { // returns the old value
        return metal::atomic_fetch_add_explicit(at, v, metal::memory_order_relaxed);
    }
    // Metal has no 64-bit addition: adds two words; the carry of the lower word reaches the upper one before anyone may
    // read it.
    template <class Pointer> static VMAF_DEVICE_FN void add_wide(Pointer words, u64 v) {
        const u32 low = static_cast<u32>(v), before = added(atomic(words), low);
        const u32 high = static_cast<u32>(v >> 32) + (before + low < low ? 1u : 0u);
        if (high) added(atomic(words + 1), high);
    }
};

// Returns the kernel's sizes to the host.
template <class K> VMAF_DEVICE_FN void store_shape(Global<KernelShape> to) {
    constexpr KernelShape shape = shape_of<K, MetalContext>();
    to->threads = shape.threads;
    to->shared_bytes = shape.shared_bytes;
    to->args_bytes = shape.args_bytes;
    to->group_width = shape.group_width;
    to->tile_width = shape.tile_width;
    to->tile_height = shape.tile_height;
}

} // namespace kernels
} // namespace vmaf
