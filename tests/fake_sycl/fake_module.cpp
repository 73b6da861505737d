// A fake SYCL module on the host device, so that everything except SYCL runs without a SYCL compiler. FAKE_SYCL selects
// a failure: "no device", "no gpus", "memory", "launch", "finish".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/host/host_device.hpp"
#include "device/sycl/interface.h"
#include "device/sycl/module.hpp"

namespace vmaf::sycl {

struct DeviceHandle {
    std::unique_ptr<Device> device = open_host_device(32);
    Facts facts{};
    std::vector<std::unique_ptr<LoadedKernel>> kernels;
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    std::mutex mutex;
};
struct QueueHandle {
    std::unique_ptr<Queue> queue;
};
struct EventHandle {
    std::unique_ptr<Event> event;
};

namespace {

thread_local std::string error_text;

bool fails_at(const char *what) {
    const char *const asked = std::getenv("FAKE_SYCL");
    return asked && std::strcmp(asked, what) == 0;
}

template <class F> int guarded(F &&function) {
    try {
        function();
        return 0;
    } catch (const Error &e) {
        error_text = e.what();
        return e.code();
    } catch (const std::exception &e) {
        error_text = e.what();
        return EIO;
    }
}

void describe(Facts &facts, bool is_gpu) {
    std::snprintf(facts.name, sizeof facts.name, "%s", is_gpu ? "stand-in GPU" : "stand-in");
    std::snprintf(facts.arch, sizeof facts.arch, "0xfade");
    std::snprintf(facts.driver, sizeof facts.driver, "1.0");
    facts.memory_bytes = 1 << 30;
    facts.compute_units = 2;
    facts.group_width = 32;
    facts.is_processor = !is_gpu;
    facts.has_doubles = 1;
}

constexpr std::uint32_t kGpus = 2;

} // namespace
} // namespace vmaf::sycl

using namespace vmaf;
using namespace vmaf::sycl;

extern "C" __attribute__((visibility("default"))) const Module vmaf_sycl_module;
const Module vmaf_sycl_module = {
    .interface = VMAF_SYCL_INTERFACE,
    .compiler = "no SYCL",
    .error = [] { return error_text.c_str(); },
    .count_gpus =
        [](std::uint32_t *count) {
            *count = fails_at("no gpus") || fails_at("no device") ? 0 : kGpus;
            return 0;
        },
    .describe_gpu =
        [](std::uint32_t, Facts *facts) {
            describe(*facts, true);
            return 0;
        },
    .open =
        [](int index, DeviceHandle **out) {
            return guarded([&] {
                if (fails_at("no device") || index >= int(kGpus) || (index >= 0 && fails_at("no gpus")))
                    throw Error(ENODEV, "there is no such device");
                auto device = std::make_unique<DeviceHandle>();
                describe(device->facts, !fails_at("no gpus"));
                *out = device.release();
            });
        },
    .close = [](DeviceHandle *device) { delete device; },
    .facts = [](const DeviceHandle *device) { return &device->facts; },
    .load =
        [](DeviceHandle *device, const char *set, const char *name, KernelShape *shape, const void **entry) {
            return guarded([&] {
                auto kernel = std::make_unique<LoadedKernel>(device->device->load({set, name}));
                *shape = kernel->shape;
                *entry = kernel.get();
                const std::lock_guard lock(device->mutex);
                device->kernels.push_back(std::move(kernel));
            });
        },
    .allocate =
        [](DeviceHandle *device, std::size_t bytes, int, void **at) {
            return guarded([&] {
                if (fails_at("memory")) throw Error(ENOMEM, "no memory");
                auto memory = device->device->allocate(bytes);
                *at = memory->data();
                const std::lock_guard lock(device->mutex);
                device->memory.push_back(std::move(memory));
            });
        },
    .release =
        [](DeviceHandle *device, void *at) {
            const std::lock_guard lock(device->mutex);
            std::erase_if(device->memory, [&](const auto &memory) { return memory->data() == at; });
        },
    .make_queue =
        [](DeviceHandle *device, QueueHandle **queue) {
            return guarded([&] { *queue = new QueueHandle{device->device->make_queue()}; });
        },
    .end_queue = [](QueueHandle *queue) { delete queue; },
    .copy =
        [](QueueHandle *queue, const Rectangle *r) {
            return guarded([&] {
                queue->queue->copy(r->to, r->to_pitch, r->from, r->from_pitch, {r->row_bytes, r->rows});
            });
        },
    .clear =
        [](QueueHandle *queue, void *at, std::size_t bytes) {
            return guarded([&] { queue->queue->clear(static_cast<std::byte *>(at), bytes); });
        },
    .launch =
        [](QueueHandle *queue, const void *entry, LaunchGrid grid, const void *args) {
            return guarded([&] {
                if (fails_at("launch")) throw Error(EIO, "a launch failed: told to");
                const auto &kernel = *static_cast<const LoadedKernel *>(entry);
                queue->queue->launch(kernel, {grid.x, grid.y, grid.frames}, args, kernel.shape.args_bytes);
            });
        },
    .record = [](QueueHandle *queue,
                 EventHandle *event) { return guarded([&] { queue->queue->record(*event->event); }); },
    .wait = [](QueueHandle *queue, EventHandle *event) { return guarded([&] { queue->queue->wait(*event->event); }); },
    .finish = [](QueueHandle *queue) { return guarded([&] { queue->queue->finish(); }); },
    .make_event =
        [](DeviceHandle *device, int timing, EventHandle **event) {
            return guarded([&] { *event = new EventHandle{device->device->make_event(timing != 0)}; });
        },
    .end_event = [](EventHandle *event) { delete event; },
    .wait_event =
        [](EventHandle *event) {
            return guarded([&] {
                event->event->wait();
                if (fails_at("finish")) throw Error(EIO, "waiting for an event failed: told to");
            });
        },
    .is_reached = [](EventHandle *event, int *reached) { return guarded([&] { *reached = event->event->reached(); }); },
    .milliseconds = [](EventHandle *from, EventHandle *to,
                       float *time) { return guarded([&] { *time = to->event->milliseconds_since(*from->event); }); },
};
