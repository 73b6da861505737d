// libvmaf/turbo.h: what libvmaf's own headers lack.
#include <algorithm>
#include <cstdio>

#include "base/aligned.hpp"
#include "capi/context.hpp"
#include "capi/own_version.hpp"
#include "device/backend_wish.hpp"
#include "device/picture_memory.hpp"
#include "metrics/reference_halves.hpp"
#include "picture/foreign.hpp"
#include "session/extractor_name.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/turbo.h"
#pragma GCC visibility pop

using namespace vmaf;
using capi::own_version;

static_assert(VMAF_TURBO_PADDING == kOverreadBytes);

namespace {

// A picture in the caller's memory; not released until it is accepted.
ForeignBuffer *wrapped(const PictureFormat &format, const VmafTurboPicture &given) {
    auto *const buffer = new ForeignBuffer(format);
    buffer->memory = given.memory == VMAF_TURBO_MEMORY_DEVICE ? Memory::device : Memory::host;
    buffer->ready_queue = given.stream;
    buffer->is_ready = given.is_ready != 0;
    buffer->is_transient = !given.release || given.padding < kOverreadBytes;
    for (unsigned p = 0; p < format.planes(); p++) {
        buffer->data[p] = const_cast<std::byte *>(static_cast<const std::byte *>(given.data[p]));
        buffer->stride[p] = given.stride[p];
    }
    return buffer;
}

void check_layout(const PictureFormat &format, const VmafTurboPicture &given) {
    const bool is_on_device = given.memory == VMAF_TURBO_MEMORY_DEVICE;
    for (unsigned p = 0; p < format.planes(); p++) {
        if (format.plane_width(p) == 0 || format.plane_height(p) == 0) continue;
        const std::ptrdiff_t bytes = std::ptrdiff_t{format.plane_width(p)} * format.bytes_per_sample();
        const std::ptrdiff_t apart = std::abs(given.stride[p]);
        if (!given.data[p]) throw invalid("plane " + std::to_string(p) + " of a picture has no samples");
        if (format.plane_height(p) > 1 && apart < bytes)
            throw invalid("plane " + std::to_string(p) + " has rows of " + std::to_string(bytes) +
                          " bytes, but a stride of " + std::to_string(apart));
        if (given.stride[p] % format.bytes_per_sample() ||
            reinterpret_cast<std::uintptr_t>(given.data[p]) % format.bytes_per_sample())
            throw invalid("plane " + std::to_string(p) + " of a picture is not aligned to its samples");
        if (is_on_device && given.stride[p] < 0)
            throw invalid("pictures in device memory need positive strides; copy the picture first");
    }
}

bool may_stay(const PictureFormat &format, const VmafTurboPicture &given) {
    for (unsigned p = 0; p < format.planes(); p++)
        if (given.stride[p] < 0) return false;
    return given.release && given.padding >= kOverreadBytes;
}

Picture copied(VmafContext &vmaf, const PictureFormat &format, const VmafTurboPicture &given) {
    auto &pool = vmaf.foreign_pictures;
    if (!pool || !(pool->format() == format)) {
        const std::shared_ptr<Device> device = vmaf.session.shared_device();
        pool = std::make_unique<PicturePool>(format, 0,
                                             device ? device_memory(device, Memory::pinned_host) : host_memory());
    }
    Picture copy = pool->fetch_or_add();
    for (unsigned p = 0; p < format.planes(); p++) {
        const std::size_t bytes = std::size_t{format.plane_width(p)} * format.bytes_per_sample();
        const auto *from = static_cast<const std::byte *>(given.data[p]);
        for (unsigned y = 0; y < format.plane_height(p); y++)
            std::memcpy(copy.data(p) + std::ptrdiff_t(y) * copy.stride_bytes(p),
                        from + std::ptrdiff_t(y) * given.stride[p], bytes);
    }
    return copy;
}

// A picture for the session, and the buffer (if any) that reports its release to the caller.
struct Taken {
    Picture picture;
    ForeignBuffer *buffer = nullptr;
};

Taken take(VmafContext &vmaf, const VmafTurboPicture &given) {
    const PictureFormat format = capi::format_of(given);
    check_format(format);
    const int memory = capi::value_of(given.memory);
    if (memory != VMAF_TURBO_MEMORY_HOST && memory != VMAF_TURBO_MEMORY_DEVICE)
        throw invalid("unknown memory " + std::to_string(memory) +
                      " of a picture; use a value of enum VmafTurboMemory");
    check_layout(format, given);
    const bool is_on_device = memory == VMAF_TURBO_MEMORY_DEVICE;
    if (is_on_device) {
        const Device *const device = vmaf.session.device();
        if (device && device->info().backend != "cuda" && device->info().backend != "hip")
            throw Error(ENOTSUP,
                        "pictures in " + device->info().backend + " device memory are not supported; use host memory");
    }
    if (!is_on_device && !may_stay(format, given)) return {copied(vmaf, format, given), nullptr};
    ForeignBuffer *const buffer = wrapped(format, given);
    return {Picture(buffer), buffer};
}

// The library owns accepted pictures from now on.
void hand_over(const Taken &taken, const VmafTurboPicture &given) {
    if (taken.buffer) {
        taken.buffer->user = given.user;
        taken.buffer->release = given.release;
    } else if (given.release) {
        given.release(given.user);
    }
}

void check_encodes(VmafContext *const *vmaf, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) {
        if (!vmaf[i]) throw invalid("the context of encode " + std::to_string(i) + " is NULL");
        if (std::find(vmaf, vmaf + i, vmaf[i]) != vmaf + i)
            throw invalid("the context of encode " + std::to_string(i) + " was passed twice");
    }
}

// The reference of several encodes; the first context that can takes it.
struct Reference {
    const VmafTurboPicture &caller;
    VmafTurboPicture given{};
    Taken taken{};
    std::shared_ptr<ReferenceHalves> halves{};
    bool is_taken = false; // by a context that reads it

    // `keeper` owns the memory of the halves.
    void read_with(VmafContext &vmaf, VmafContext &keeper, const VmafTurboPicture &encode, unsigned index) {
        vmaf.session.start_device();
        if (!taken.picture) {
            given = own_version(caller);
            taken = take(vmaf, given);
            if (!keeper.halves) keeper.halves = std::make_shared<HalfStore>();
            halves = std::make_shared<ReferenceHalves>(keeper.halves);
        }
        const VmafTurboPicture own = own_version(encode);
        const Taken distorted = take(vmaf, own);
        vmaf.session.read(taken.picture, distorted.picture, index, halves);
        is_taken = true;
        hand_over(distorted, own);
    }
};

void check_options(std::string_view feature, OptionTexts options) {
    const MetricInfo *const metric = parse_extractor_name(feature).info;
    if (!metric) throw invalid("there is no feature '" + std::string(feature) + "'; `vmaf --list_features` lists all");
    BackendWish::take_from(options);
    const auto unknown = unknown_options(metric->options, options);
    if (unknown.empty()) return;
    std::string known;
    for (const OptionSpec &spec : metric->options)
        known += (known.empty() ? "; it has " : ", ") + std::string(spec.name);
    throw invalid("feature '" + std::string(feature) + "' has no option '" + unknown[0] + "'" +
                  (known.empty() ? "; it has none" : known));
}

void describe(VmafContext &vmaf, VmafTurboDevice &out) {
    const Device *const device = vmaf.session.device();
    std::snprintf(out.backend, sizeof out.backend, "%s", device ? device->info().backend.c_str() : "cpu");
    std::snprintf(out.name, sizeof out.name, "%s", device ? device->info().name.c_str() : "");
    out.index = device ? static_cast<int>(device->info().index) : -1;
    out.context = device ? device->native_context() : nullptr;
    const HostCopies copies = device ? device->host_copies() : HostCopies{};
    out.small_copies = copies.small;
    out.large_copies = copies.large;
    if (device && !vmaf.callers_queue) vmaf.callers_queue = vmaf.session.device()->make_queue();
    out.stream = vmaf.callers_queue ? vmaf.callers_queue->native() : nullptr;
}

} // namespace

unsigned vmaf_turbo_version(void) { return VMAF_TURBO_VERSION; }

const char *vmaf_turbo_last_error(void) { return capi::last_error().data(); }

int vmaf_turbo_use_backend(VmafContext *vmaf, const char *backend, int device) {
    if (!vmaf || !backend) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        BackendWish wish;
        wish.set("backend", backend);
        if (device < -1)
            throw invalid("device " + std::to_string(device) + ": use 0 or more, or -1 for the first device");
        if (device >= 0) wish.device = static_cast<unsigned>(device);
        vmaf->session.wish(wish);
    });
}

int vmaf_turbo_check_feature(const char *feature_name, const VmafFeatureDictionary *options) {
    if (!feature_name) return capi::missing_argument();
    return capi::guarded([&] { check_options(feature_name, options ? options->texts : OptionTexts{}); },
                         LogLevel::debug);
}

int vmaf_turbo_device(VmafContext *vmaf, VmafTurboDevice *device) {
    if (!vmaf || !device) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        VmafTurboDevice out = own_version(*device);
        vmaf->session.start_device();
        describe(*vmaf, out);
        std::memcpy(device, &out, std::min(device->size, sizeof out));
    });
}

int vmaf_turbo_read_pictures(VmafContext *vmaf, const VmafTurboPicture *ref, const VmafTurboPicture *dist,
                             unsigned index) {
    if (!vmaf || !ref || !dist) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] {
        const VmafTurboPicture given[] = {own_version(*ref), own_version(*dist)};
        vmaf->session.start_device();
        const Taken taken[] = {take(*vmaf, given[0]), take(*vmaf, given[1])};
        vmaf->session.read(taken[0].picture, taken[1].picture, index);
        for (int i = 0; i < 2; i++) hand_over(taken[i], given[i]);
    });
}

int vmaf_turbo_read_encodes(VmafContext *const *vmaf, std::size_t count, const VmafTurboPicture *ref,
                            const VmafTurboPicture *const *dist, unsigned index, int *results) {
    if (!vmaf || !ref || !dist) return capi::missing_argument();
    if (count == 0) return capi::refused("there are no contexts to score encodes with");
    const auto refused = capi::guarded([&] { check_encodes(vmaf, count); });
    if (results) std::fill(results, results + count, refused);
    if (refused) return refused;
    Reference reference{*ref};
    int first_failure = 0;
    capi::Sentence why{};
    for (std::size_t i = 0; i < count; i++) {
        if (!dist[i]) continue;
        const int result = capi::guarded(*vmaf[i], [&] { reference.read_with(*vmaf[i], *vmaf[0], *dist[i], index); });
        if (results) results[i] = result;
        if (!result || first_failure) continue;
        first_failure = result;
        why = capi::last_error();
    }
    if (reference.is_taken) hand_over(reference.taken, reference.given);
    if (first_failure) capi::last_error() = why;
    return first_failure;
}

int vmaf_turbo_wait_read(VmafContext *vmaf) {
    if (!vmaf) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] { vmaf->session.wait_for_copies(); });
}

int vmaf_turbo_hold_stream(VmafContext *vmaf, void *stream) {
    if (!vmaf) return capi::missing_argument();
    return capi::guarded(*vmaf, [&] { vmaf->session.hold_queue(stream); });
}
