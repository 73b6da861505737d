// Contexts that run kernels on the host: one block at a time, its threads as fibers. Two variants cover how devices
// differ: groups of 32 lanes with fast doubles that may diverge, and groups of 64 lanes without doubles that stay in
// step with the block.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "device/host/fiber.hpp"
#include "device/host/floats.hpp"
#include "device/host/sanitizers.hpp"
#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {

inline constexpr unsigned kMaxBlockThreads = 1024;

// A running block.
class HostBlock {
  public:
    explicit HostBlock(FiberSet &fibers) : fibers_(fibers) {}

    int x = 0, y = 0, frame = 0;
    std::byte *shared = nullptr; // aligned for 16-byte accesses

    void run(unsigned threads, FiberSet::Body body, void *state) {
        arrived_ = 0;
        threads_ = threads;
        groups_ = {};
        fibers_.run(threads, body, state);
    }

    unsigned thread() const { return fibers_.current(); } // the running thread

    void barrier() {
        const unsigned generation = generation_;
        if (++arrived_ == threads_) {
            arrived_ = 0;
            generation_++;
            fibers_.progress();
        }
        while (generation_ == generation) fibers_.pass_on();
    }

    // Passes `value` to the group and returns the values of all lanes. `in_step`: the whole block meets here.
    const kernels::u32 *exchange(unsigned thread, unsigned width, bool in_step, kernels::u32 value) {
        Group &group = groups_[in_step ? 0 : thread / width];
        const unsigned generation = group.generation;
        kernels::u32 *values = posted_[generation & 1].data() + thread / width * width;
        values[thread % width] = value;
        if (++group.arrived == (in_step ? threads_ : width)) {
            group.arrived = 0;
            group.generation++;
            fibers_.progress();
        }
        while (group.generation == generation) fibers_.pass_on();
        return values;
    }

  private:
    struct Group {
        unsigned arrived = 0, generation = 0;
    };
    FiberSet &fibers_;
    unsigned threads_ = 0, arrived_ = 0, generation_ = 0;
    std::array<Group, kMaxBlockThreads / 32> groups_{};
    std::array<std::array<kernels::u32, kMaxBlockThreads>, 2> posted_{};
};

template <int kGroupWidth, bool kFastDoubles, bool kInStep>
class HostContext : public kernels::PortableOperations,
                    public HostFloats<kernels::Select<kFastDoubles, double, kernels::SoftF64>> {
    using Base = HostFloats<kernels::Select<kFastDoubles, double, kernels::SoftF64>>;

  public:
    using u32 = kernels::u32;
    using u64 = kernels::u64;
    using Base::bits;
    using Base::f64_from;
    using Base::float_from;
    static constexpr int kGroup = kGroupWidth;
    static constexpr bool kBlockInStep = kInStep;
    static constexpr bool kFastF64 = kFastDoubles;
    static constexpr bool kByteMatrix = kGroup == 32;
    static constexpr int kSharedBytes = (kGroup == 32 ? 99 : 64) * 1024;
    using f64 = typename Base::f64;

    int thread, block_x, block_y, frame;

    HostContext(HostBlock &block, unsigned index)
        : thread(static_cast<int>(index)), block_x(block.x), block_y(block.y), frame(block.frame), block_(block) {}

    void barrier() { block_.barrier(); }
    u32 shuffle(u32 value, int lane) { return posted(value)[lane]; }
    int shuffle(int value, int lane) { return static_cast<int>(shuffle(static_cast<u32>(value), lane)); }
    float shuffle(float value, int lane) { return float_from(shuffle(bits(value), lane)); }
    u64 shuffle(u64 value, int lane) {
        const u32 high = shuffle(static_cast<u32>(value >> 32), lane);
        return static_cast<u64>(high) << 32 | shuffle(static_cast<u32>(value), lane);
    }
    f64 shuffle(f64 value, int lane) { return f64_from(shuffle(bits(value), lane)); }
    u64 ballot(bool flag) {
        const u32 *flags = posted(flag);
        u64 mask = 0;
        for (int i = 0; i < kGroup; i++) mask |= static_cast<u64>(flags[i]) << i;
        return mask;
    }
    u32 group_sum(u32 value) {
        return reduced(value, [](u32 a, u32 b) { return a + b; });
    }
    u32 group_max(u32 value) {
        return reduced(value, [](u32 a, u32 b) { return a > b ? a : b; });
    }
    u32 group_min(u32 value) {
        return reduced(value, [](u32 a, u32 b) { return a < b ? a : b; });
    }
    kernels::Words4 byte_matrix(const kernels::Words4 &a, u32 b0, u32 b1, const kernels::Words4 &c) {
        static_assert(kGroup == 32);
        const std::array<u32, 6> own{a.v[0], a.v[1], a.v[2], a.v[3], b0, b1};
        std::array<std::array<u32, 32>, 6> words; // of all lanes: four neighbours have 16 bytes of a row or column
        for (std::size_t i = 0; i < 6; i++) std::copy_n(posted(own[i]), 32, words[i].begin());
        const std::size_t g = static_cast<unsigned>(thread) % 32 / 4, t = static_cast<unsigned>(thread) % 4;
        kernels::Words4 out = c;
        for (std::size_t i = 0; i < 4; i++)
            for (std::size_t half = 0; half < 2; half++)
                out.v[i] += dot16(&words[2 * half + i / 2][4 * g], &words[4 + half][4 * (2 * t + i % 2)]);
        return out;
    }
    static void converge() {}
    // The blocks of a launch run one after another, and the threads of a block on one host thread.
    void fence() {}
    static void atomic_add(u64 *at, u64 value) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
    static void atomic_add(u32 *at, u32 value) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
    static void atomic_max(u32 *at, u32 value) { *at = value > *at ? value : *at; }
    static void atomic_min(u32 *at, u32 value) { *at = value < *at ? value : *at; }
    static u32 atomic_increment(u32 *at) { return __atomic_fetch_add(at, 1, __ATOMIC_RELAXED); }
    template <class T> static void shared_add(T *at, T value) { *at += value; }
    template <class T> static void shared_max(T *at, T value) { *at = value > *at ? value : *at; }
    template <class T> static void shared_min(T *at, T value) { *at = value < *at ? value : *at; }
    static u32 shared_increment(u32 *at) { return (*at)++; }
    template <class T> static T load(const T *at) { return *at; }
    template <class T> static T load_fresh(const T *at) { return *at; }

    // a * b + c; the product may be rounded or not. For sums that are exact anyway or checked afterwards.
    static double multiply_add(double a, double b, double c) { return a * b + c; }
    // floor(a * b) + 2^52, for products not close to an integer.
    static double floor_of_product(double a, double b) {
        const double product = a * b;
        if (product != product) return 0; // any value would do, but it must be defined
        return static_cast<double>(static_cast<long long>(product)) + 4503599627370496.0;
    }
    static double reciprocal_estimate(double v) { return from_words(high_word(1.0 / v), 0); } // 20 accurate bits
    static float reciprocal_estimate(float v) { return 1.0f / v; }
    static double from_words(u32 high, u32 low) {
        return Base::template bit_copy<double>(static_cast<u64>(high) << 32 | low);
    }
    static u32 low_word(double v) { return static_cast<u32>(bits(v)); }
    static u32 high_word(double v) { return static_cast<u32>(bits(v) >> 32); }

  private:
    static u32 dot16(const u32 *a, const u32 *b) {
        u32 sum = 0;
        for (int i = 0; i < 4; i++)
            for (int shift = 0; shift < 32; shift += 8) sum += (a[i] >> shift & 255) * (b[i] >> shift & 255);
        return sum;
    }
    template <class Operation> u32 reduced(u32 value, Operation operation) {
        const u32 *values = posted(value);
        u32 out = values[0];
        for (int i = 1; i < kGroup; i++) out = operation(out, values[i]);
        return out;
    }
    const u32 *posted(u32 value) { return block_.exchange(static_cast<unsigned>(thread), kGroup, kInStep, value); }

    HostBlock &block_;
};

using HostContext32 = HostContext<32, true, false>;
using HostContext64 = HostContext<64, false, true>;

struct HostBody;

// Runs one block of kernel K.
template <template <class> class K, class C> void run_on_host(HostBlock &block, const HostBody &, const void *args) {
    using Kernel = K<C>;
    struct State {
        HostBlock &block;
        const typename Kernel::Args &args;
    } state{block, *static_cast<const typename Kernel::Args *>(args)};
    static_assert(Kernel::kThreads <= static_cast<int>(kMaxBlockThreads));
    block.run(
        Kernel::kThreads,
        [](void *p, unsigned index) {
            State &s = *static_cast<State *>(p);
            C context(s.block, index);
            Kernel::run(context, reinterpret_cast<typename Kernel::SharedMemory *>(s.block.shared), s.args);
        },
        &state);
}

} // namespace vmaf
