// The context that everything in a process shares on the first CUDA device.
#pragma once

#include <memory>
#include <string>

namespace vmaf::nvdec {

// A CUcontext. Throws Error that says why there is none.
std::shared_ptr<void> primary_context();

// A code of the driver with its name, and what to do about it: "CUDA_ERROR_OUT_OF_MEMORY (2); memory is short..."
std::string describe(int result);

// While it lives, the context is the calling thread's.
class CurrentContext {
  public:
    explicit CurrentContext(void *context);
    ~CurrentContext();
    CurrentContext(const CurrentContext &) = delete;
    CurrentContext &operator=(const CurrentContext &) = delete;
};

} // namespace vmaf::nvdec
