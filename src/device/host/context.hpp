// Contexts with which kernels run on the host: one block at a time, its threads as fibers. Two forms, so that CI sees
// what devices differ in: groups of 32 lanes with fast doubles, and groups of 64 lanes without doubles.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "device/host/fiber.hpp"
#include "device/host/sanitizers.hpp"
#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {

struct KernelShape;

inline constexpr unsigned kMaxBlockThreads = 256;

// One block under way.
class HostBlock {
  public:
    explicit HostBlock(FiberSet &fibers) : fibers_(fibers) {}

    int x = 0, y = 0, frame = 0;
    std::byte *shared = nullptr; // aligned for 16-byte accesses

    void run(unsigned threads, FiberSet::Body body, void *state) {
        arrived_ = 0;
        groups_ = {};
        fibers_.run(threads, body, state);
    }

    void barrier() {
        const unsigned generation = generation_;
        if (++arrived_ == fibers_.alive()) {
            arrived_ = 0;
            generation_++;
            fibers_.progress();
        }
        while (generation_ == generation) fibers_.pass_on();
    }

    // Hands `value` to the group and returns what its lanes handed in.
    const kernels::u32 *exchange(unsigned thread, unsigned width, kernels::u32 value) {
        Group &group = groups_[thread / width];
        const unsigned generation = group.generation;
        kernels::u32 *values = posted_[generation & 1].data() + thread / width * width;
        values[thread % width] = value;
        if (++group.arrived == width) {
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
    unsigned arrived_ = 0, generation_ = 0;
    std::array<Group, kMaxBlockThreads / 32> groups_{};
    std::array<std::array<kernels::u32, kMaxBlockThreads>, 2> posted_{};
};

template <int kGroupWidth, bool kFastDoubles> class HostContext : public kernels::PortableOperations {
  public:
    using u32 = kernels::u32;
    using u64 = kernels::u64;
    static constexpr int kGroup = kGroupWidth;
    static constexpr bool kFastF64 = kFastDoubles;
    using f64 = kernels::Select<kFastDoubles, double, kernels::SoftF64>;

    int thread, block_x, block_y, frame;

    HostContext(HostBlock &block, unsigned index)
        : thread(static_cast<int>(index)), block_x(block.x), block_y(block.y), frame(block.frame), block_(block) {}

    void barrier() { block_.barrier(); }
    u32 shuffle(u32 value, int lane) { return posted(value)[lane]; }
    u32 group_sum(u32 value) {
        const u32 *values = posted(value);
        u32 sum = 0;
        for (int i = 0; i < kGroup; i++) sum += values[i];
        return sum;
    }
    // Blocks of one launch run one after the other.
    void fence() {}
    static void atomic_add(u64 *at, u64 value) { __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
    static u32 atomic_increment(u32 *at) { return __atomic_fetch_add(at, 1, __ATOMIC_RELAXED); }
    template <class T> static T load(const T *at) { return *at; }
    template <class T> static T load_fresh(const T *at) { return *at; }

    // a * b + c, with or without rounding of the product: for sums that are exact anyway or checked afterwards.
    static double multiply_add(double a, double b, double c) { return a * b + c; }
    // floor(a * b) + 2^52, for products that are not next to an integer.
    static double floor_of_product(double a, double b) {
        const double product = a * b;
        if (product != product) return 0; // as good as anything, but defined
        return static_cast<double>(static_cast<long long>(product)) + 4503599627370496.0;
    }
    static double reciprocal_estimate(double v) { return from_words(high_word(1.0 / v), 0); } // 20 good bits
    static float reciprocal_estimate(float v) { return 1.0f / v; }
    static double from_words(u32 high, u32 low) {
        const u64 bits = static_cast<u64>(high) << 32 | low;
        double out;
        std::memcpy(&out, &bits, sizeof out);
        return out;
    }
    static u32 low_word(double v) { return static_cast<u32>(bits_of(v)); }
    static u32 high_word(double v) { return static_cast<u32>(bits_of(v) >> 32); }

  private:
    static u64 bits_of(double v) {
        u64 bits;
        std::memcpy(&bits, &v, sizeof bits);
        return bits;
    }
    const u32 *posted(u32 value) { return block_.exchange(static_cast<unsigned>(thread), kGroup, value); }

    HostBlock &block_;
};

using HostContext32 = HostContext<32, true>;
using HostContext64 = HostContext<64, false>;

// Runs one block of kernel K.
template <template <class> class K, class C> void run_on_host(HostBlock &block, const void *args) {
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
