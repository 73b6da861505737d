// How work of each metric is put on a device: the grammar of VMAF_CUDA_DISPATCH (backends.md 7). No effect on scores.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace vmaf::cuda {

enum class Dispatch {
    adaptive, // small pictures several to a launch, large ones one by one; never a wait
    batched,  // one by one; never a wait
    serial,   // the host waits after each metric
};

class DispatchTable {
  public:
    using Warn = std::function<void(const std::string &text)>;
    // The feature extractor that a name stands for; empty if there is none.
    using Resolve = std::function<std::string(std::string_view name)>;
    // Items that are not understood are reported and skipped.
    static DispatchTable parse(std::string_view text, const Resolve &extractor, const Warn &warn);
    // From the environment, read once per process; warnings go to the log.
    static const DispatchTable &of_process(const Resolve &extractor);

    Dispatch of(std::string_view extractor) const;

  private:
    Dispatch fallback_ = Dispatch::adaptive;
    std::map<std::string, Dispatch, std::less<>> by_extractor_;
};

} // namespace vmaf::cuda
