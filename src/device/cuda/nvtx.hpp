// Ranges for NVIDIA's profilers (backends.md 9), in the domain "libvmaf".
#pragma once

#include <cstdint>
#include <nvtx3/nvToolsExt.h>

namespace vmaf::cuda {

class NvtxRange {
  public:
    explicit NvtxRange(const char *name, std::uint64_t payload = 0) {
        nvtxEventAttributes_t attributes{};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = name;
        attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        attributes.payload.ullValue = payload;
        nvtxDomainRangePushEx(domain(), &attributes);
    }
    ~NvtxRange() { nvtxDomainRangePop(domain()); }
    NvtxRange(const NvtxRange &) = delete;
    NvtxRange &operator=(const NvtxRange &) = delete;

  private:
    static nvtxDomainHandle_t domain() {
        static const nvtxDomainHandle_t handle = nvtxDomainCreateA("libvmaf");
        return handle;
    }
};

} // namespace vmaf::cuda
