// The context shared by everything in a process on the first CUDA device.
#pragma once

#include <memory>
#include <string>

namespace vmaf::nvdec {

// A CUcontext. Throws Error if there is none.
std::shared_ptr<void> primary_context();

// A driver code with its name and advice: "CUDA_ERROR_OUT_OF_MEMORY (2); memory is short..."
std::string describe(int result);

// Makes the context current for the calling thread while it exists.
class CurrentContext {
  public:
    explicit CurrentContext(void *context);
    ~CurrentContext();
    CurrentContext(const CurrentContext &) = delete;
    CurrentContext &operator=(const CurrentContext &) = delete;
};

} // namespace vmaf::nvdec
