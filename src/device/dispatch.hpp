// How work of each metric is put on a device: the grammar of VMAF_CUDA_DISPATCH and its siblings (backends.md 7). No
// effect on scores.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace vmaf {

enum class Dispatch {
    adaptive, // small pictures several to a launch, large ones one by one; never a wait
    batched,  // one by one; never a wait
    serial,   // the host waits after each metric
};

// What a runtime found in its variable, and the words that it knows there.
struct DispatchRequest {
    std::string_view variable; // empty: it has none
    std::string_view suffix;   // that names of features may have
    std::string text;
    std::map<std::string, Dispatch, std::less<>> words = {
        {"adaptive", Dispatch::adaptive}, {"batched", Dispatch::batched}, {"serial", Dispatch::serial}};
};

// What stands in the environment for a backend of kBackends; each runtime reads its own.
DispatchRequest read_dispatch(std::string_view backend);

class DispatchTable {
  public:
    using Warn = std::function<void(const std::string &text)>;
    // The feature extractor that a name stands for; empty if there is none.
    using Resolve = std::function<std::string(std::string_view name)>;
    // Items that are not understood are reported and skipped.
    static DispatchTable parse(const DispatchRequest &request, const Resolve &extractor, const Warn &warn);
    // Once per process and variable; warnings go to the log.
    static const DispatchTable &of_process(const DispatchRequest &request, const Resolve &extractor);

    Dispatch of(std::string_view extractor) const;

  private:
    Dispatch fallback_ = Dispatch::adaptive;
    std::map<std::string, Dispatch, std::less<>> by_extractor_;
};

} // namespace vmaf
