#include "capi/device_state.hpp"

#include <cstdio>

#include "device/backends.hpp"
#include "device/dispatch.hpp"
#include "session/device_pipeline.hpp"
#include "session/extractor_name.hpp"

namespace vmaf::capi {

DeviceState::DeviceState(std::function<std::shared_ptr<Device>()> open) : open_(std::move(open)), owned_(open_()) {
    DispatchTable::of_process(owned_->dispatch_request(), plain_extractor_name); // read when the first state is created
}

std::shared_ptr<Device> DeviceState::take() {
    std::shared_ptr<Device> device = std::move(owned_);
    if (!device) device = imported_.lock();
    if (!device) device = open_(); // the first context was closed
    imported_ = device;
    return device;
}

std::shared_ptr<Device> DeviceState::device() const { return owned_ ? owned_ : imported_.lock(); }

namespace {

const BuiltBackend &built_backend(std::string_view name) {
    for (const BuiltBackend &backend : built_backends())
        if (backend.name == name) return backend;
    throw Error(ENOSYS, "this library was built without " + std::string(name));
}

} // namespace

std::shared_ptr<Device> open_backend(std::string_view name, int index) {
    if (index < -1) throw invalid("device " + std::to_string(index) + ": use 0 or more, or -1 for the first device");
    return built_backend(name).open(index < 0 ? std::nullopt : std::optional(static_cast<unsigned>(index)));
}

int import_state(VmafContext *vmaf, DeviceState *state) {
    if (!vmaf || !state) return capi::missing_argument();
    return guarded(*vmaf, [&] {
        if (vmaf->device) throw invalid("the context already uses a device; create another context");
        std::shared_ptr<Device> device = state->take();
        vmaf->session.use_device({.device = device, .is_explicit = true});
        vmaf->device = std::move(device);
    });
}

int list_devices(std::string_view backend) {
    int count = 0;
    const int failure = guarded([&] {
        for (const DeviceInfo &d : built_backend(backend).list()) {
            std::printf("%u: %s, %s, %llu MiB, driver %s\n", d.index, d.name.c_str(), d.arch.c_str(),
                        static_cast<unsigned long long>(d.memory_bytes >> 20), d.driver.c_str());
            count++;
        }
    });
    return failure ? failure : count;
}

int preallocate_pictures(VmafContext *vmaf, const PictureFormat &format, std::optional<Memory> memory) {
    if (!vmaf || !vmaf->device || vmaf->device_pictures.is_set || vmaf->session.is_inside_handler())
        return capi::refused(capi::kNoNewPool);
    return guarded(*vmaf, [&] {
        auto &pictures = vmaf->device_pictures;
        const PictureRing ring = PictureRing::for_pictures(format);
        pictures.pool = memory ? std::make_unique<PicturePool>(format, ring.first, device_memory(vmaf->device, *memory))
                               : std::make_unique<PicturePool>(format, ring.first);
        pictures.limit = ring.limit;
        pictures.is_set = true;
    });
}

int fetch_picture(VmafContext *vmaf, VmafPicture *pic) {
    if (!vmaf || !pic || !vmaf->device_pictures.pool || vmaf->session.is_inside_handler())
        return capi::refused(capi::kNoPool);
    return guarded(*vmaf, [&] {
        auto &pictures = vmaf->device_pictures;
        export_picture(pictures.pool->fetch_within(pictures.limit), pic);
    });
}

} // namespace vmaf::capi
