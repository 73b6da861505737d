// Contexts (device/kernel.hpp) of SYCL devices. Groups of lanes are sub-groups if a device has the right size;
// otherwise they meet in local memory, together with the whole block.
#pragma once

#include <sycl/sycl.hpp>

#include "device/exact_floats.hpp"
#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

#if defined(__ACPP__) || defined(__ADAPTIVECPP__) || defined(__HIPSYCL__)
#define VMAF_SYCL_ACPP
#endif

namespace vmaf {
namespace sycl {

namespace runtime = ::sycl;
using namespace kernels;

template <class T, runtime::memory_scope kScope, runtime::access::address_space kSpace>
using Atomic = runtime::atomic_ref<T, runtime::memory_order::relaxed, kScope, kSpace>;
template <class T>
using GlobalAtomic = Atomic<T, runtime::memory_scope::device, runtime::access::address_space::global_space>;
template <class T>
using SharedAtomic = Atomic<T, runtime::memory_scope::work_group, runtime::access::address_space::local_space>;

// SYCL guarantees IEEE for + - * of floats and all operations of doubles; divisions and roots of floats may be off.
template <bool kDoubles> class Arithmetic : public PortableOperations {
  public:
    // Doubles are correct where a device has them, but seldom fast.
    static constexpr bool kFastF64 = false;
    using f64 = Select<kDoubles, double, SoftF64>;

    static float divide(float a, float b) { return ExactFloats<Arithmetic>::divide(a, b); }
    static float square_root(float v) { return ExactFloats<Arithmetic>::square_root(v); }
    static f64 divide(f64 a, f64 b) { return a / b; }
    static f64 square_root(f64 v) { return root(v); }
    static u32 bits(float v) { return runtime::bit_cast<u32>(v); }
    static u64 bits(f64 v) { return runtime::bit_cast<u64>(v); }
    static float float_from(u32 v) { return runtime::bit_cast<float>(v); }
    static f64 f64_from(u64 v) { return F64<f64>::from_bits(v); }
    static float reciprocal_estimate(float v) { return 1.0f / v; }
    static float quotient_estimate(float a, float b) { return a / b; }
    static float root_estimate(float v) { return runtime::sqrt(v); }

  private:
    static double root(double v) { return runtime::sqrt(v); }
    static SoftF64 root(SoftF64 v) { return v.square_root(); }
};

template <bool kDoubles> class Memory : public Arithmetic<kDoubles> {
  public:
    static void atomic_add(u64 *at, u64 v) { GlobalAtomic<u64>(*at).fetch_add(v); }
    static void atomic_add(u32 *at, u32 v) { GlobalAtomic<u32>(*at).fetch_add(v); }
    static void atomic_max(u32 *at, u32 v) { GlobalAtomic<u32>(*at).fetch_max(v); }
    static void atomic_min(u32 *at, u32 v) { GlobalAtomic<u32>(*at).fetch_min(v); }
    static u32 atomic_increment(u32 *at) { return GlobalAtomic<u32>(*at).fetch_add(1u); }
    template <class T> static void shared_add(T *at, T v) { SharedAtomic<T>(*at).fetch_add(v); }
    template <class T> static void shared_max(T *at, T v) { SharedAtomic<T>(*at).fetch_max(v); }
    template <class T> static void shared_min(T *at, T v) { SharedAtomic<T>(*at).fetch_min(v); }
    static u32 shared_increment(u32 *at) { return SharedAtomic<u32>(*at).fetch_add(1u); }
    template <class T> static T load(const T *at) { return *at; }
    template <class T> static T load_fresh(const T *at) { return GlobalAtomic<T>(*const_cast<T *>(at)).load(); }
    static void store_fresh(u32 *at, u32 v) { GlobalAtomic<u32>(*at).store(v); }
    static void fence() {
#ifdef VMAF_SYCL_ACPP // lacks atomic_fence() in some versions; its compiler has clang's
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
#else
        runtime::atomic_fence(runtime::memory_order::acq_rel, runtime::memory_scope::device);
#endif
    }
};

// A thread's position, and what all contexts share. Own::words() exchanges u32 and u64.
template <bool kDoubles, class Own> class Thread : public Memory<kDoubles> {
  public:
    using f64 = typename Arithmetic<kDoubles>::f64;
    int thread, block_x, block_y, frame;

    void barrier() const { runtime::group_barrier(item_.get_group()); }
    int shuffle(int v, int lane) { return static_cast<int>(own().words(static_cast<u32>(v), lane)); }
    u32 shuffle(u32 v, int lane) { return own().words(v, lane); }
    u64 shuffle(u64 v, int lane) { return own().words(v, lane); }
    float shuffle(float v, int lane) { return Own::float_from(own().words(Own::bits(v), lane)); }
    f64 shuffle(f64 v, int lane) { return Own::f64_from(own().words(Own::bits(v), lane)); }

  protected:
    Thread(const runtime::nd_item<3> &item, int number)
        : thread(number), block_x(static_cast<int>(item.get_group(2))), block_y(static_cast<int>(item.get_group(1))),
          frame(static_cast<int>(item.get_group(0))), item_(item) {}

    runtime::nd_item<3> item_;

  private:
    Own &own() { return static_cast<Own &>(*this); }
};

// Groups are sub-groups of exactly that size.
template <int kGroupWidth, bool kDoubles>
class SubGroupContext : public Thread<kDoubles, SubGroupContext<kGroupWidth, kDoubles>> {
    using Base = Thread<kDoubles, SubGroupContext>;

  public:
    static constexpr int kGroup = kGroupWidth;
    static constexpr bool kHasSubGroups = true;
    static constexpr std::size_t kMeetingWords = 0;

    SubGroupContext(const runtime::nd_item<3> &item, u64 *)
        : Base(item, static_cast<int>(item.get_sub_group().get_group_linear_id()) * kGroup +
                         static_cast<int>(item.get_sub_group().get_local_linear_id())),
          group_(item.get_sub_group()) {}

    template <class T> T words(T v, int lane) {
        return runtime::select_from_group(group_, v, runtime::sub_group::id_type(static_cast<std::size_t>(lane)));
    }
    u64 ballot(bool flag) const {
        const int lane = Base::thread % kGroup;
        u64 mask =
            runtime::reduce_over_group(group_, flag && lane < 32 ? 1u << (lane & 31) : 0u, runtime::bit_or<u32>());
        if (kGroup > 32)
            mask |= static_cast<u64>(runtime::reduce_over_group(group_, flag && lane >= 32 ? 1u << (lane & 31) : 0u,
                                                                runtime::bit_or<u32>()))
                    << 32;
        return mask;
    }
    u32 group_sum(u32 v) const { return runtime::reduce_over_group(group_, v, runtime::plus<u32>()); }
    u32 group_max(u32 v) const { return runtime::reduce_over_group(group_, v, runtime::maximum<u32>()); }
    u32 group_min(u32 v) const { return runtime::reduce_over_group(group_, v, runtime::minimum<u32>()); }

  private:
    runtime::sub_group group_;
};

// Groups are neighbours in the block that exchange words in local memory. Two slots per thread, used in turn, so that
// one barrier per exchange is enough.
template <int kGroupWidth, bool kDoubles>
class LocalMemoryContext : public Thread<kDoubles, LocalMemoryContext<kGroupWidth, kDoubles>> {
    using Base = Thread<kDoubles, LocalMemoryContext>;

  public:
    static constexpr int kGroup = kGroupWidth;
    static constexpr bool kBlockInStep = true;
    static constexpr bool kHasSubGroups = false;
    static constexpr std::size_t kMeetingWords = 2; // 64-bit words per thread

    LocalMemoryContext(const runtime::nd_item<3> &item, u64 *meeting)
        : Base(item, static_cast<int>(item.get_local_id(2))), meeting_(meeting),
          threads_(static_cast<int>(item.get_local_range(2))) {}

    template <class T> T words(T v, int lane) { return static_cast<T>(posted(v)[lane]); }
    u64 ballot(bool flag) {
        const u64 *flags = posted(flag);
        u64 mask = 0;
        for (int i = 0; i < kGroup; i++) mask |= flags[i] << i;
        return mask;
    }
    u32 group_sum(u32 v) {
        const u64 *values = posted(v);
        u64 sum = 0;
        for (int i = 0; i < kGroup; i++) sum += values[i];
        return static_cast<u32>(sum);
    }
    u32 group_max(u32 v) {
        const u64 *values = posted(v);
        u64 most = 0;
        for (int i = 0; i < kGroup; i++) most = values[i] > most ? values[i] : most;
        return static_cast<u32>(most);
    }
    u32 group_min(u32 v) { return ~group_max(~v); }

  private:
    const u64 *posted(u64 v) {
        u64 *const places = meeting_ + (turn_ ? threads_ : 0);
        turn_ = !turn_;
        places[Base::thread] = v;
        Base::barrier();
        return places + Base::thread / kGroup * kGroup;
    }

    u64 *meeting_;
    int threads_;
    bool turn_ = false;
};

} // namespace sycl
} // namespace vmaf
