// The context that everything in a process shares on the first CUDA device.
#pragma once

#include <memory>

namespace vmaf::nvdec {

// A CUcontext. Throws Error that says why there is none.
std::shared_ptr<void> primary_context();

// While it lives, the context is the calling thread's.
class CurrentContext {
  public:
    explicit CurrentContext(void *context);
    ~CurrentContext();
    CurrentContext(const CurrentContext &) = delete;
    CurrentContext &operator=(const CurrentContext &) = delete;
};

} // namespace vmaf::nvdec
