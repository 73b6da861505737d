// libvmaf_sycl.h in builds with SYCL (backends.md 13.2).
#include <map>

#include "capi/device_state.hpp"
#include "session/device_pipeline.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf_sycl.h"
#pragma GCC visibility pop

using namespace vmaf;

struct VmafSyclState : capi::DeviceState {
    using DeviceState::DeviceState;
};

namespace vmaf::capi {

// Two luma planes on the device that the program fills, without row padding. vmaf_read_pictures_sycl() copies them
// before it returns, so the program can start on the next frame.
class FrameBuffers {
  public:
    FrameBuffers(std::shared_ptr<Device> device, const PictureFormat &format)
        : format_(format), device_(std::move(device)),
          pool_(format, PictureRing::for_pictures(format).first, device_memory(device_, Memory::device)),
          limit_(PictureRing::for_pictures(format).limit), queue_(device_->make_queue()),
          ref_(device_->allocate(bytes())), dist_(device_->allocate(bytes())) {}

    const PictureFormat &format() const { return format_; }
    std::byte *at(bool is_ref) const { return (is_ref ? ref_ : dist_)->data(); }

    Picture picture_of(bool is_ref) {
        Picture picture = pool_.fetch_within(limit_);
        const Device::Scope scope(*device_);
        queue_->copy(picture.data(0), picture.stride_bytes(0), at(is_ref), pitch(), shape());
        queue_->finish();
        return picture;
    }
    void fill(bool is_ref, const std::byte *from, unsigned from_pitch) {
        const Device::Scope scope(*device_);
        queue_->upload(at(is_ref), pitch(), from, static_cast<std::ptrdiff_t>(from_pitch), shape());
        queue_->finish();
    }

  private:
    CopyShape shape() const { return {std::size_t{format_.width} * format_.bytes_per_sample(), format_.height}; }
    std::ptrdiff_t pitch() const { return static_cast<std::ptrdiff_t>(shape().row_bytes); }
    std::size_t bytes() const { return shape().row_bytes * shape().rows; }

    PictureFormat format_;
    std::shared_ptr<Device> device_;
    PicturePool pool_;
    unsigned limit_;
    std::unique_ptr<Queue> queue_;
    std::unique_ptr<DeviceMemory> ref_, dist_;
};

namespace {

// For functions that get only the state: the frame buffers on its device.
std::mutex buffers_mutex;
std::map<const Device *, std::weak_ptr<FrameBuffers>> buffers_of_device;

int unavailable(const char *what) {
    return capi::failed(ENOSYS, (std::string("sycl: ") + what).c_str(), LogLevel::error);
}
constexpr const char *kNoSurfaces =
    "external surfaces (DMA-BUF, VA, Direct3D) are not supported; copy them into the frame buffers";
constexpr const char *kNoProfile = "profiling is not supported; use the profiler of the SYCL runtime";

// The first pair decides what runs where; no feature may need more than luma on the device.
void check_features(VmafContext &context, const PictureFormat &format) {
    context.session.prepare(format);
    for (const auto &[feature, backend] : context.session.feature_backends())
        if (backend == "cpu")
            throw invalid("feature '" + feature + "' runs on the CPU and cannot read frame buffers on the device");
}

} // namespace

} // namespace vmaf::capi

using capi::FrameBuffers;

int vmaf_sycl_state_init(VmafSyclState **state, VmafSyclConfiguration cfg) {
    if (cfg.enable_profiling) log(LogLevel::warning, std::string("sycl: ") + capi::kNoProfile);
    return capi::init_state(state, [index = cfg.device_index] { return capi::open_backend("sycl", index); });
}

int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state) { return capi::import_state(vmaf, state); }

void vmaf_sycl_state_free(VmafSyclState **state) { capi::free_state(state); }

int vmaf_sycl_list_devices(void) { return capi::list_devices("sycl"); }

int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg) {
    const auto &p = cfg.pic_params;
    const int method = capi::value_of(cfg.pic_prealloc_method);
    if (method < 0 || method > VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST)
        return capi::refused("unknown preallocation method");
    if (!p.w || !p.h || !p.bpc || capi::value_of(p.pix_fmt) == VMAF_PIX_FMT_UNKNOWN)
        return capi::refused("preallocated pictures need a size, a bit depth and a pixel format");
    std::optional<Memory> memory; // empty: ordinary pictures
    if (method == VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE) memory = Memory::device;
    if (method == VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST) memory = Memory::pinned_host;
    return capi::preallocate_pictures(vmaf, capi::format_of(p), memory);
}

int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic) { return capi::fetch_picture(vmaf, pic); }

int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc) {
    if (!vmaf || !vmaf->device || vmaf->device->info().backend != "sycl" || vmaf->frame_buffers)
        return capi::refused("no SYCL device was imported, or there are frame buffers already");
    return capi::guarded(*vmaf, [&] {
        const PictureFormat format{PixelFormat::yuv400p, bpc, w, h};
        check_format(format);
        vmaf->frame_buffers = std::make_shared<FrameBuffers>(vmaf->device, format);
        const std::lock_guard lock(capi::buffers_mutex);
        std::erase_if(capi::buffers_of_device, [](const auto &entry) { return entry.second.expired(); });
        capi::buffers_of_device[vmaf->device.get()] = vmaf->frame_buffers;
    });
}

int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis) {
    if (ref) *ref = nullptr;
    if (dis) *dis = nullptr;
    if (!vmaf || !ref || !dis || !vmaf->frame_buffers) return capi::refused(capi::kNoBuffers);
    *ref = vmaf->frame_buffers->at(true);
    *dis = vmaf->frame_buffers->at(false);
    return 0;
}

int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index) {
    if (!vmaf || !vmaf->frame_buffers || vmaf->session.is_inside_handler()) return capi::refused(capi::kNoBuffers);
    return capi::guarded(*vmaf, [&] {
        FrameBuffers &buffers = *vmaf->frame_buffers;
        capi::check_features(*vmaf, buffers.format());
        vmaf->session.read(buffers.picture_of(true), buffers.picture_of(false), index);
    });
}

int vmaf_sycl_wait_compute(VmafContext *vmaf) {
    if (!vmaf || !vmaf->device || vmaf->session.is_inside_handler())
        return capi::refused("no SYCL device was imported, or the call came from a handler");
    return capi::guarded(*vmaf, [&] { vmaf->session.wait(); });
}

int vmaf_flush_sycl(VmafContext *vmaf) {
    if (!vmaf || !vmaf->frame_buffers) return capi::refused(capi::kNoBuffers);
    return capi::guarded(*vmaf, [&] { vmaf->session.flush(); });
}

int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch, int is_ref, unsigned w, unsigned h,
                           unsigned bpc) {
    if (!state || !src) return capi::missing_argument();
    return capi::guarded([&] {
        std::shared_ptr<FrameBuffers> buffers;
        if (const auto device = state->device()) {
            const std::lock_guard lock(capi::buffers_mutex);
            const auto found = capi::buffers_of_device.find(device.get());
            if (found != capi::buffers_of_device.end()) buffers = found->second.lock();
        }
        if (!buffers) throw invalid("there are no frame buffers on the device of this state");
        const PictureFormat &format = buffers->format();
        if (format.width != w || format.height != h || format.bits != bpc)
            throw invalid("the plane and the frame buffers differ in size or bit depth");
        if (pitch < std::size_t{w} * format.bytes_per_sample()) throw invalid("the plane's rows overlap");
        buffers->fill(is_ref != 0, static_cast<const std::byte *>(src), pitch);
    });
}

int vmaf_sycl_dmabuf_import(VmafSyclState *, int, size_t, void **ptr) {
    if (ptr) *ptr = nullptr;
    return capi::unavailable(capi::kNoSurfaces);
}
void vmaf_sycl_dmabuf_free(VmafSyclState *, void *) {}
int vmaf_sycl_import_va_surface(VmafSyclState *, void *, unsigned int, int, unsigned, unsigned, unsigned) {
    return capi::unavailable(capi::kNoSurfaces);
}
int vmaf_sycl_import_d3d11_surface(VmafSyclState *, void *, void *, unsigned, int, unsigned, unsigned, unsigned) {
    return capi::unavailable(capi::kNoSurfaces);
}

int vmaf_sycl_profiling_enable(VmafSyclState *) { return capi::unavailable(capi::kNoProfile); }
void vmaf_sycl_profiling_disable(VmafSyclState *) {}
void vmaf_sycl_profiling_print(VmafSyclState *) {}
int vmaf_sycl_profiling_get_string(VmafSyclState *, char **output) {
    if (output) *output = nullptr;
    return capi::unavailable(capi::kNoProfile);
}
