// The SYCL module: implements module.hpp with SYCL devices, memory, queues and events. Compiled by a SYCL compiler.
#include "device/sycl/module.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "device/sycl/interface.h"
#include "device/sycl/kernels.hpp"

namespace vmaf {
namespace sycl {

namespace {

using Events = std::vector<runtime::event>;

thread_local char error_text[512];

int fail(int code, const char *sentence) noexcept {
    std::strncpy(error_text, sentence, sizeof error_text - 1);
    return code;
}

// Translates exceptions at the module boundary.
template <class F> int guarded(const char *what, F &&function) noexcept {
    try {
        function();
        return 0;
    } catch (const Error &e) {
        return fail(e.code(), e.what());
    } catch (const std::bad_alloc &) {
        return fail(ENOMEM, "out of memory");
    } catch (const runtime::exception &e) {
        try {
            const bool is_memory = e.code() == runtime::errc::memory_allocation;
            return fail(is_memory ? ENOMEM : EIO, (std::string(what) + " failed: " + e.what()).c_str());
        } catch (...) {
            return fail(EIO, what);
        }
    } catch (const std::exception &e) {
        return fail(EIO, e.what());
    } catch (...) {
        return fail(EIO, what);
    }
}

template <std::size_t N> void store(char (&to)[N], const std::string &text) {
    std::strncpy(to, text.c_str(), N - 1);
    to[N - 1] = 0;
}

Form form_of(const runtime::device &device) {
    const bool doubles = device.has(runtime::aspect::fp64);
#if VMAF_SYCL_SUB_GROUPS
    const std::vector<std::size_t> sizes = device.get_info<runtime::info::device::sub_group_sizes>();
    const auto has = [&](std::size_t size) {
#ifndef VMAF_SYCL_ACPP
        return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
#else
        return sizes.size() == 1 && sizes[0] == size;
#endif
    };
    if (has(32)) return doubles ? Form::sub_groups_32 : Form::sub_groups_32_soft;
    if (has(64) && doubles) return Form::sub_groups_64;
#endif
    return doubles ? Form::local_memory : Form::local_memory_soft;
}

Facts facts_of(const runtime::device &device, Form form) {
    namespace info = runtime::info::device;
    Facts facts{};
    store(facts.name, device.get_info<info::name>());
    store(facts.vendor, device.get_info<info::vendor>());
    const auto vendor = static_cast<unsigned>(device.get_info<info::vendor_id>());
    char arch[32];
    std::snprintf(arch, sizeof arch, device.is_cpu() ? "cpu" : "0x%04x", vendor);
    store(facts.arch, arch);
    store(facts.driver, device.get_info<info::driver_version>());
    facts.memory_bytes = device.get_info<info::global_mem_size>();
    facts.compute_units = device.get_info<info::max_compute_units>();
    facts.is_processor = device.is_cpu();
    facts.has_doubles = form == Form::sub_groups_32 || form == Form::sub_groups_64 || form == Form::local_memory;
    facts.has_native_group = form < Form::local_memory;
    facts.group_width = form == Form::sub_groups_64 ? 64 : 32;
    return facts;
}

std::vector<runtime::device> gpus() {
    using Type = runtime::info::device_type;
    return runtime::device::get_devices(counts_every_device ? Type::all : Type::gpu);
}

runtime::device find_device(int index) {
    if (index != kDefaultDevice) {
        std::vector<runtime::device> list;
        try {
            list = gpus();
        } catch (const runtime::exception &) {
            // No devices.
        }
        if (index < 0 || static_cast<std::size_t>(index) >= list.size())
            throw Error(ENODEV, "there is no GPU number " + std::to_string(index) + " among the " +
                                    std::to_string(list.size()) + " that SYCL finds");
        return list[static_cast<std::size_t>(index)];
    }
    try {
        return runtime::device(runtime::default_selector_v);
    } catch (const runtime::exception &e) {
        throw Error(ENODEV, std::string("SYCL's default selector finds no device: ") + e.what());
    }
}

// Without these no kernel produces the right bits.
void check_abilities(const runtime::device &device) {
    const std::string name = device.get_info<runtime::info::device::name>();
    const auto refuse = [&](const char *what) { throw Error(ENODEV, "the device '" + name + "' " + what); };
#if defined(VMAF_SYCL_ACPP) && VMAF_SYCL_SUB_GROUPS
    if (device.is_cpu())
        refuse("is the processor, for which AdaptiveCpp's compiled barriers give other results; build with "
               "-Dsycl_acpp_targets=omp.library-only for it, or choose a GPU");
#endif
    if (!device.has(runtime::aspect::atomic64)) refuse("cannot add 64-bit numbers atomically");
    if (!device.has(runtime::aspect::usm_device_allocations) || !device.has(runtime::aspect::usm_host_allocations))
        refuse("has no memory that pointers reach (USM)");
    const auto floats = device.get_info<runtime::info::device::single_fp_config>();
    const auto has = [&](runtime::info::fp_config what) {
        return std::find(floats.begin(), floats.end(), what) != floats.end();
    };
    if (!has(runtime::info::fp_config::round_to_nearest)) refuse("does not round floats to the nearest");
    if (!has(runtime::info::fp_config::denorm)) refuse("has no subnormal floats");
}

} // namespace

struct DeviceHandle {
    explicit DeviceHandle(const runtime::device &found)
        : device(found), context(found, [this](const runtime::exception_list &list) { note(list); }),
          form(form_of(found)), facts(facts_of(found, form)) {}

    void note(const runtime::exception_list &list) {
        const std::lock_guard<std::mutex> lock(mutex);
        for (const std::exception_ptr &e : list)
            if (!failure) failure = e;
    }
    // Errors of asynchronous work appear at the next wait.
    void check() {
        const std::lock_guard<std::mutex> lock(mutex);
        if (failure) std::rethrow_exception(failure);
    }

    runtime::device device;
    runtime::context context;
    Form form;
    Facts facts;
    std::mutex mutex;
    std::exception_ptr failure;
};

struct EventHandle {
    EventHandle(DeviceHandle &owner, bool with_timing) : device(owner), timing(with_timing) {}
    Events copy() {
        const std::lock_guard<std::mutex> lock(mutex);
        return places;
    }

    DeviceHandle &device;
    std::mutex mutex;
    Events places; // all must be reached; empty: never recorded
    bool timing;
    std::chrono::steady_clock::time_point when; // host time: not every runtime measures its own
};

struct QueueHandle {
    explicit QueueHandle(DeviceHandle &owner)
        : device(owner),
          queue(owner.context, owner.device, [&owner](const runtime::exception_list &list) { owner.note(list); },
                {runtime::property::queue::in_order()}) {}

    // Adds work to the queue, after its dependencies.
    template <class F> void put(F &&work) {
        note(queue.submit([&](runtime::handler &handler) {
            handler.depends_on(after);
            work(handler);
        }));
    }
    void note(const runtime::event &done) {
        last = done;
        has_last = true;
        after.clear();
    }

    DeviceHandle &device;
    runtime::queue queue;
    Events after; // dependencies of the next work
    runtime::event last;
    bool has_last = false;
};

namespace {

bool is_reachable(const QueueHandle &queue, const void *at) {
    return runtime::get_pointer_type(at, queue.device.context) != runtime::usm::alloc::unknown;
}

void copy_rectangle(QueueHandle &queue, const Rectangle &r) {
    if (r.rows == 0 || r.row_bytes == 0) return;
    const bool has_gaps = r.to_pitch != static_cast<std::ptrdiff_t>(r.row_bytes);
    if (r.rows == 1 || (r.to_pitch == r.from_pitch && (r.may_fill_gaps || !has_gaps))) {
        const std::size_t bytes = (r.rows - 1) * static_cast<std::size_t>(r.to_pitch) + r.row_bytes;
        queue.put([&](runtime::handler &handler) { handler.memcpy(r.to, r.from, bytes); });
        return;
    }
    if (is_reachable(queue, r.to) && is_reachable(queue, r.from)) {
        const Rectangle copy = r;
        queue.put([&](runtime::handler &handler) {
            handler.parallel_for(runtime::range<2>(r.rows, r.row_bytes), [=](runtime::item<2> item) {
                const auto y = static_cast<std::ptrdiff_t>(item[0]), x = static_cast<std::ptrdiff_t>(item[1]);
                copy.to[y * copy.to_pitch + x] = copy.from[y * copy.from_pitch + x];
            });
        });
        return;
    }
    for (std::size_t y = 0; y < r.rows; y++) {
        const auto row = static_cast<std::ptrdiff_t>(y);
        queue.put([&](runtime::handler &handler) {
            handler.memcpy(r.to + row * r.to_pitch, r.from + row * r.from_pitch, r.row_bytes);
        });
    }
}

// The function table, in the order of module.hpp.

const char *last_error() { return error_text; }

int count_gpus(std::uint32_t *count) {
    return guarded("looking for devices", [&] { *count = static_cast<std::uint32_t>(gpus().size()); });
}

int describe_gpu(std::uint32_t index, Facts *facts) {
    return guarded("asking a device", [&] {
        const runtime::device device = find_device(static_cast<int>(index));
        *facts = facts_of(device, form_of(device));
    });
}

int open(int index, DeviceHandle **out) {
    return guarded("opening a device", [&] {
        const runtime::device device = find_device(index);
        check_abilities(device);
        *out = std::make_unique<DeviceHandle>(device).release();
    });
}

void close(DeviceHandle *device) { delete device; }

const Facts *facts(const DeviceHandle *device) { return &device->facts; }

int load(DeviceHandle *device, const char *set, const char *name, KernelShape *shape, const void **entry) {
    return guarded("looking for a kernel", [&] {
        for (const KernelSet &s : kernel_sets())
            if (std::strcmp(s.name, set) == 0)
                for (std::size_t i = 0; i < s.count; i++)
                    if (std::strcmp(s.kernels[i].name, name) == 0) {
                        const KernelForm &form = s.kernels[i].forms[static_cast<int>(device->form)];
                        if (!form.launch) throw Error(ENOTSUP, "the SYCL code was compiled for other devices");
                        namespace info = runtime::info::device;
                        const std::size_t most_threads = device->device.get_info<info::max_work_group_size>();
                        const std::size_t most_memory = device->device.get_info<info::local_mem_size>();
                        if (form.shape.threads > most_threads || form.shared_bytes > most_memory)
                            throw Error(ENOTSUP, "SYCL code for " + std::string(name) +
                                                     " does not fit this device: blocks of " +
                                                     std::to_string(form.shape.threads) + " threads with " +
                                                     std::to_string(form.shared_bytes) + " bytes, " +
                                                     std::to_string(most_threads) + " and " +
                                                     std::to_string(most_memory) + " are possible");
                        *shape = form.shape;
                        *entry = &form;
                        return;
                    }
        throw Error(ENOTSUP, "no kernel '" + std::string(name) + "' in the set '" + set + "'");
    });
}

int allocate(DeviceHandle *device, std::size_t bytes, int pinned_host, void **at) {
    return guarded("allocating memory", [&] {
        constexpr std::size_t kAlignment = 256;
        bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment; // aligned_alloc() of C requires it
        *at = pinned_host ? runtime::aligned_alloc_host(kAlignment, bytes, device->context)
                          : runtime::aligned_alloc_device(kAlignment, bytes, device->device, device->context);
        if (!*at)
            throw Error(ENOMEM, "no " + std::to_string(bytes) + " bytes of " +
                                    (pinned_host ? "page-locked" : "device") + " memory");
    });
}

void release(DeviceHandle *device, void *at) {
    guarded("freeing memory", [&] { runtime::free(at, device->context); });
}

int make_queue(DeviceHandle *device, QueueHandle **queue) {
    return guarded("making a queue", [&] { *queue = std::make_unique<QueueHandle>(*device).release(); });
}

void end_queue(QueueHandle *queue) {
    guarded("waiting for a queue", [&] { queue->queue.wait(); });
    delete queue;
}

int copy(QueueHandle *queue, const Rectangle *rectangle) {
    return guarded("a copy", [&] { copy_rectangle(*queue, *rectangle); });
}

int clear(QueueHandle *queue, void *at, std::size_t bytes) {
    return guarded("clearing memory",
                   [&] { queue->put([&](runtime::handler &handler) { handler.memset(at, 0, bytes); }); });
}

int launch_kernel(QueueHandle *queue, const void *entry, LaunchGrid grid, const void *args) {
    return guarded("a launch", [&] {
        const auto &form = *static_cast<const KernelForm *>(entry);
        queue->note(form.launch({queue->queue, queue->after, grid, args}));
    });
}

int record(QueueHandle *queue, EventHandle *event) {
    return guarded("recording an event", [&] {
        Events places = queue->after;
        if (queue->has_last) places.push_back(queue->last);
        if (event->timing) {
            for (runtime::event &place : places) place.wait();
            event->when = std::chrono::steady_clock::now();
        }
        const std::lock_guard<std::mutex> lock(event->mutex);
        event->places = std::move(places);
    });
}

int wait(QueueHandle *queue, EventHandle *event) {
    return guarded("waiting for an event", [&] {
        const Events places = event->copy();
        queue->after.insert(queue->after.end(), places.begin(), places.end());
    });
}

int finish(QueueHandle *queue) {
    return guarded("waiting for a queue", [&] {
        for (runtime::event &place : queue->after) place.wait();
        queue->queue.wait_and_throw();
        queue->device.check();
    });
}

int make_event(DeviceHandle *device, int timing, EventHandle **event) {
    return guarded("making an event", [&] { *event = std::make_unique<EventHandle>(*device, timing != 0).release(); });
}

void end_event(EventHandle *event) { delete event; }

int wait_event(EventHandle *event) {
    return guarded("waiting for an event", [&] {
        for (runtime::event &place : event->copy()) place.wait_and_throw();
        event->device.check();
    });
}

int is_reached(EventHandle *event, int *reached) {
    return guarded("asking an event", [&] {
        *reached = 1;
        for (const runtime::event &place : event->copy())
            if (place.get_info<runtime::info::event::command_execution_status>() !=
                runtime::info::event_command_status::complete)
                *reached = 0;
    });
}

int milliseconds(EventHandle *from, EventHandle *to, float *time) {
    return guarded("asking for a time", [&] {
        if (!from->timing || !to->timing) throw Error(ENOTSUP, "the events were made without timing");
        *time = std::chrono::duration<float, std::milli>(to->when - from->when).count();
    });
}

#ifdef VMAF_SYCL_ACPP
const std::string compiler_name = "AdaptiveCpp " + std::to_string(HIPSYCL_VERSION_MAJOR) + "." +
                                  std::to_string(HIPSYCL_VERSION_MINOR) + "." + std::to_string(HIPSYCL_VERSION_PATCH);
#elif defined(__INTEL_LLVM_COMPILER)
const std::string compiler_name = "DPC++ " + std::to_string(__INTEL_LLVM_COMPILER);
#else
const std::string compiler_name = "a SYCL compiler";
#endif

} // namespace

} // namespace sycl
} // namespace vmaf

extern "C" __attribute__((visibility("default"))) const vmaf::sycl::Module vmaf_sycl_module;
const vmaf::sycl::Module vmaf_sycl_module = {
    VMAF_SYCL_INTERFACE,      vmaf::sycl::compiler_name.c_str(),
    vmaf::sycl::last_error,   vmaf::sycl::count_gpus,
    vmaf::sycl::describe_gpu, vmaf::sycl::open,
    vmaf::sycl::close,        vmaf::sycl::facts,
    vmaf::sycl::load,         vmaf::sycl::allocate,
    vmaf::sycl::release,      vmaf::sycl::make_queue,
    vmaf::sycl::end_queue,    vmaf::sycl::copy,
    vmaf::sycl::clear,        vmaf::sycl::launch_kernel,
    vmaf::sycl::record,       vmaf::sycl::wait,
    vmaf::sycl::finish,       vmaf::sycl::make_event,
    vmaf::sycl::end_event,    vmaf::sycl::wait_event,
    vmaf::sycl::is_reached,   vmaf::sycl::milliseconds,
};
