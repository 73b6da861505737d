// Ranges for profilers (backends.md 9): NVTX in the domain "libvmaf" where the build asks for it, else nothing.
#pragma once

#include <cstdint>

#include "config.h"

#if VMAF_ENABLE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace vmaf {

#if VMAF_ENABLE_NVTX
class TraceRange {
  public:
    explicit TraceRange(const char *name, std::uint64_t payload = 0) {
        nvtxEventAttributes_t attributes{};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = name;
        attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        attributes.payload.ullValue = payload;
        nvtxDomainRangePushEx(domain(), &attributes);
    }
    ~TraceRange() { nvtxDomainRangePop(domain()); }
    TraceRange(const TraceRange &) = delete;
    TraceRange &operator=(const TraceRange &) = delete;

  private:
    static nvtxDomainHandle_t domain() {
        static const nvtxDomainHandle_t handle = nvtxDomainCreateA("libvmaf");
        return handle;
    }
};
#else
class TraceRange {
  public:
    explicit TraceRange(const char *, std::uint64_t = 0) {}
    ~TraceRange() {}
};
#endif

} // namespace vmaf
