// Kernels as the module launches them: each in the variants that devices need.
#pragma once

#include <cstring>
#include <vector>

#include "device/sycl/context.hpp"
#include "device/sycl/module.hpp"

namespace vmaf {
namespace sycl {

// A device's groups, and whether it has doubles. A group of 64 lanes without doubles meets in local memory.
enum class Form { sub_groups_32, sub_groups_32_soft, sub_groups_64, local_memory, local_memory_soft };
constexpr int kForms = 5;

struct LaunchRequest {
    runtime::queue &queue;
    const std::vector<runtime::event> &after;
    LaunchGrid grid;
    const void *args;
};

struct KernelForm {
    KernelShape shape;        // zero threads: not compiled
    std::size_t shared_bytes; // for group exchanges
    runtime::event (*launch)(const LaunchRequest &request);
};

struct KernelEntry {
    const char *name;
    KernelForm forms[kForms];
};

struct KernelSet {
    const char *name;
    const KernelEntry *kernels;
    std::size_t count;
};
const std::vector<KernelSet> &kernel_sets();
extern const bool counts_every_device; // in the test module, which can select the processor by index

template <class Kernel, class C>
constexpr std::size_t shared_words() { // in units of 16 bytes, without the exchange slots
    return (sizeof(typename Kernel::SharedMemory) + 15) / 16;
}
template <class Kernel, class C> constexpr std::size_t meeting_words() { // in units of 16 bytes
    return Kernel::kThreads * C::kMeetingWords * sizeof(u64) / 16;
}

// AdaptiveCpp does not let code request a sub-group size; its devices have only one.
#ifndef VMAF_SYCL_ACPP
#define VMAF_SYCL_SUB_GROUP(n) [[sycl::reqd_sub_group_size(n)]]
#else
#define VMAF_SYCL_SUB_GROUP(n)
#endif

template <class Kernel, class C> struct Body {
    typename Kernel::Args args;
    runtime::local_accessor<Words4, 1> memory;

    void run(const runtime::nd_item<3> &item) const {
        C context(item, reinterpret_cast<u64 *>(&memory[shared_words<Kernel, C>()]));
        Kernel::run(context, reinterpret_cast<typename Kernel::SharedMemory *>(&memory[0]), args);
    }
};

template <template <class> class K, class C> runtime::event launch(const LaunchRequest &request) {
    using Kernel = K<C>;
    typename Kernel::Args args;
    std::memcpy(&args, request.args, sizeof args);
    return request.queue.submit([&](runtime::handler &handler) {
        handler.depends_on(request.after);
        const runtime::local_accessor<Words4, 1> memory(
            runtime::range<1>(shared_words<Kernel, C>() + meeting_words<Kernel, C>() + 1), handler);
        const Body<Kernel, C> body{args, memory};
        const runtime::range<3> block(1, 1, Kernel::kThreads);
        const runtime::nd_range<3> all(
            runtime::range<3>(request.grid.frames, request.grid.y, std::size_t{request.grid.x} * Kernel::kThreads),
            block);
        if constexpr (!C::kHasSubGroups)
            handler.parallel_for(all, [=](runtime::nd_item<3> item) { body.run(item); });
        else if constexpr (C::kGroup == 32)
            handler.parallel_for(all, [=](runtime::nd_item<3> item) VMAF_SYCL_SUB_GROUP(32) { body.run(item); });
        else
            handler.parallel_for(all, [=](runtime::nd_item<3> item) VMAF_SYCL_SUB_GROUP(64) { body.run(item); });
    });
}

template <template <class> class K, class C> constexpr KernelForm form() {
    return {shape_of<K<C>, C>(), 16 * (shared_words<K<C>, C>() + meeting_words<K<C>, C>() + 1), launch<K, C>};
}

template <template <class> class K> constexpr KernelEntry entry(const char *name) {
#if VMAF_SYCL_SUB_GROUPS
    return {name,
            {form<K, SubGroupContext<32, true>>(), form<K, SubGroupContext<32, false>>(),
             form<K, SubGroupContext<64, true>>(), form<K, LocalMemoryContext<32, true>>(),
             form<K, LocalMemoryContext<32, false>>()}};
#else // processors have one lane, and doubles
    return {name, {{}, {}, {}, form<K, LocalMemoryContext<32, true>>(), {}}};
#endif
}

} // namespace sycl
} // namespace vmaf
