// The dialect in which device kernels are written: a C++14 subset without the standard library, so that nvcc, hipcc,
// SYCL and Metal compilers, and the host compiler, all take the same text.
//
// A kernel is a class template over a context:
//
//     template <class C> struct BlurKernel {
//         using Args = ...;                           plain data, passed by value
//         struct SharedMemory { ... };                of one block
//         static constexpr int kThreads, kMinBlocks;  threads of a block; blocks that should fit a multiprocessor
//         static constexpr int kTileWidth, kTileHeight;   samples that one block covers (0: chosen per launch)
//         static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &args);
//     };
//
// The context C is all a kernel knows of its device:
//
//     kGroup                        lanes that run in step (32 or 64)
//     kBlockInStep                  all groups of the block meet in shuffle, ballot and group_*: none goes another way
//     kSharedBytes                  shared memory that a block may have
//     kFastF64, f64                 whether 64-bit floats run at a useful rate; their type (double or SoftF64)
//     thread, block_x, block_y, frame   place of the thread; `frame` counts the frames of one launch
//     barrier()                     all threads of the block arrive here, shared memory is in order
//     shuffle(v, lane)              v of another lane of the group; all lanes take part. u32, int, u64, float, f64
//     ballot(flag)                  one bit per lane of the group, lane 0 lowest
//     group_sum, group_max, group_min(v)   over the group, in all lanes (u32)
//     fence()                       global writes before it are seen by others before those after it
//     atomic_add(at, v)             on global memory: u32, u64; atomic_min, atomic_max: u32
//     atomic_increment(at)          returns what was there: u32 in global memory
//     shared_add(at, v)             on shared memory: u32, int, u64; shared_min, shared_max: u32, int
//     shared_increment(at)          returns what was there: u32 in shared memory
//     load(p)                       of memory that nothing writes during the launch; load_fresh(p): that others write
//     store_fresh(p, v)             u32 for other blocks of the launch, after a fence()
//     divide(a, b), square_root(v)  correctly rounded; float and f64
//     bits(v), float_from(bits), f64_from(bits)   floats as integers
//     kByteMatrix                   there are the next two words, and groups have 32 lanes
//     byte_matrix(a, b0, b1, c)     A * B + C, of 16 x 32 and 32 x 8 bytes and 16 x 8 words, spread over the group:
//                                   lane 4 g + t has of A row g, columns 4 t to 4 t + 3 in a.v[0] and 16 more in
//                                   a.v[2], row g + 8 in a.v[1] and a.v[3]; of B column g, rows 4 t to 4 t + 3 and 16
//                                   more; of C and the result row g, columns 2 t and 2 t + 1, then row g + 8. First
//                                   bytes lowest
//     converge()                    lanes that went different ways are together again
//     small arithmetic              of PortableOperations below, in the device's own spelling where it has one
//
// Floats: + - * round once and are never contracted; for division and roots use the context's words (`/` and sqrtf are
// something cheaper on some devices). f32 <-> f64: f64(v) and to_float(v). Nothing of any <math.h>: device/math.hpp.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define VMAF_DEVICE_FN __device__ __forceinline__
#define VMAF_UNROLL _Pragma("unroll")
#elif defined(__METAL_VERSION__)
#define VMAF_DEVICE_FN inline
#define VMAF_UNROLL _Pragma("unroll")
#elif defined(VMAF_SYCL_DEVICE)
#define VMAF_DEVICE_FN inline __attribute__((always_inline))
#define VMAF_UNROLL _Pragma("unroll")
#else
#define VMAF_DEVICE_FN inline
#define VMAF_UNROLL
#endif

// What Metal spells differently.
#ifdef __METAL_VERSION__
#define VMAF_GLOBAL VMAF_MSL_DEVICE
#define VMAF_SHARED VMAF_MSL_THREADGROUP
#define VMAF_LEADING_ZEROS(v) metal::clz(v)
#define VMAF_SET_BITS(v) metal::popcount(v)
#define VMAF_DEVICE_HAS_NO_DOUBLE 1
#else
#define VMAF_GLOBAL
#define VMAF_SHARED
#define VMAF_LEADING_ZEROS(v) __builtin_clz(v)
#define VMAF_SET_BITS(v) __builtin_popcount(v)
#endif

namespace vmaf {
namespace kernels {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i16 = short;
using i64 = long long;

// Pointers include their address space, which Metal requires.
template <class T> using Global = VMAF_GLOBAL T *;
template <class T> using Shared = VMAF_SHARED T *;

// Read and write whole structs in such memory with these (single fields need nothing): not every compiler copies
// structs between address spaces.
#ifndef __METAL_VERSION__ // there: device/metal/msl/prelude.metal
template <class T> VMAF_DEVICE_FN T fetched(const T *at) { return *at; }
template <class T> VMAF_DEVICE_FN void put(T *at, const T &value) { *at = value; }
#endif

// Sizes of a kernel. They depend on the context, so each runtime reads them from its image, not from the host compiler.
// Plain 32-bit words, which every runtime can return.
struct KernelShape {
    u32 threads;      // of a block
    u32 shared_bytes; // of a block
    u32 args_bytes;
    u32 group_width;             // lanes
    int tile_width, tile_height; // samples that one block covers
};

template <class K, class C> constexpr KernelShape shape_of() {
    static_assert(sizeof(typename K::SharedMemory) <= C::kSharedBytes,
                  "more shared memory than a block can have there");
    return {static_cast<u32>(K::kThreads),
            static_cast<u32>(sizeof(typename K::SharedMemory)),
            static_cast<u32>(sizeof(typename K::Args)),
            static_cast<u32>(C::kGroup),
            K::kTileWidth,
            K::kTileHeight};
}

template <bool kCondition, class A, class B> struct SelectType { using type = A; };
template <class A, class B> struct SelectType<false, A, B> { using type = B; };
template <bool kCondition, class A, class B> using Select = typename SelectType<kCondition, A, B>::type;

struct alignas(8) Words2 {
    u32 v[2];
};
struct alignas(16) Words4 {
    u32 v[4];
};

// Most frames of one launch: the third dimension of the grid.
constexpr int kMaxFrames = 16;

// A plane of each frame of a launch.
struct FramePlanes {
    Global<const void> plane[kMaxFrames];
};

// The same piece of memory for each frame of a launch, at a fixed stride: scratch memory, results.
template <class T> struct FrameArray {
    Global<T> first; // of frame 0
    u64 stride;      // elements
    VMAF_DEVICE_FN Global<T> of(int frame) const { return first + static_cast<u64>(frame) * stride; }
};

// Two planes (reference and distorted) for each frame of a launch: of the pictures themselves, or computed
// ones.
struct PicturePlanes {
    FramePlanes ref, dist;
    int pitch; // samples
    VMAF_DEVICE_FN Global<const void> ref_of(int frame) const { return ref.plane[frame]; }
    VMAF_DEVICE_FN Global<const void> dist_of(int frame) const { return dist.plane[frame]; }
};
template <class T> struct ScratchPlanes {
    Global<T> ref, dist; // of frame 0
    u64 frame_stride;    // samples
    int pitch;
    VMAF_DEVICE_FN Global<const void> ref_of(int frame) const { return ref + static_cast<u64>(frame) * frame_stride; }
    VMAF_DEVICE_FN Global<const void> dist_of(int frame) const { return dist + static_cast<u64>(frame) * frame_stride; }
};

// Sum over the group of values below 2^60, in all lanes.
template <class C> VMAF_DEVICE_FN u64 group_sum_wide(C &c, u64 v) {
    u64 sum = 0;
    for (int part = 0; part < 3; part++) // 20 bits each: sums cannot overflow
        sum += static_cast<u64>(c.group_sum(static_cast<u32>(v >> (20 * part)) & 0xfffff)) << (20 * part);
    return sum;
}

VMAF_DEVICE_FN u32 magnitude(int v) { return v < 0 ? 0u - static_cast<u32>(v) : static_cast<u32>(v); }

// Operations that every device can do, in plain C++.
struct PortableOperations {
    static constexpr bool kBlockInStep = false, kByteMatrix = false;
    static constexpr int kSharedBytes = 64 * 1024;
    static VMAF_DEVICE_FN int leading_zeros(u32 v) { return static_cast<int>(VMAF_LEADING_ZEROS(v)); } // v > 0
    static VMAF_DEVICE_FN void store_fresh(Global<u32> at, u32 v) { *at = v; }
    // The bits of v > 0 as a float, rounded toward zero.
    static VMAF_DEVICE_FN u32 bits_toward_zero(u32 v) {
        const int zeros = leading_zeros(v);
        return (static_cast<u32>(157 - zeros) << 23) + (v << zeros >> 8);
    }
    static VMAF_DEVICE_FN u32 set_bits(u32 v) { return static_cast<u32>(VMAF_SET_BITS(v)); }
    // Four bytes chosen from the eight of (b, a) by the four nibbles of `selector`.
    static VMAF_DEVICE_FN u32 permute_bytes(u32 a, u32 b, u32 selector) {
        const u64 bytes = static_cast<u64>(b) << 32 | a;
        u32 out = 0;
        for (int i = 0; i < 4; i++) out |= static_cast<u32>(bytes >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
        return out;
    }
    // sum + two signed 16-bit taps times two unsigned bytes: bytes 0 and 1 of `bytes`, or 2 and 3.
    template <bool kUpper> static VMAF_DEVICE_FN int dot2(u32 taps, u32 bytes, int sum) {
        const u32 pair = kUpper ? bytes >> 16 : bytes;
        return sum + static_cast<i16>(taps) * static_cast<int>(pair & 255) +
               (static_cast<int>(taps) >> 16) * static_cast<int>(pair >> 8 & 255);
    }
};

} // namespace kernels
} // namespace vmaf
