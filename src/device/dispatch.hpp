// How each metric's work is put on a device: parses VMAF_CUDA_DISPATCH and its siblings (backends.md 7). Does not
// change scores.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace vmaf {

enum class Dispatch {
    adaptive, // small pictures share a launch, large ones run one by one; never blocks
    batched,  // one by one; never blocks
    serial,   // the host blocks after each metric
};

// The value of a runtime's variable, and the words it accepts.
struct DispatchRequest {
    std::string_view variable; // empty: none
    std::string_view suffix;   // that feature names may have
    std::string text;
    std::map<std::string, Dispatch, std::less<>> words = {
        {"adaptive", Dispatch::adaptive}, {"batched", Dispatch::batched}, {"serial", Dispatch::serial}};
};

// Reads the variable of a backend in kBackends.
DispatchRequest read_dispatch(std::string_view backend);

class DispatchTable {
  public:
    using Warn = std::function<void(const std::string &text)>;
    // Resolves a name to a feature extractor; empty if there is none.
    using Resolve = std::function<std::string(std::string_view name)>;
    // Reports and ignores invalid items.
    static DispatchTable parse(const DispatchRequest &request, const Resolve &extractor, const Warn &warn);
    // Parsed once per process and variable; logs warnings.
    static const DispatchTable &of_process(const DispatchRequest &request, const Resolve &extractor);

    Dispatch of(std::string_view extractor) const;

  private:
    Dispatch fallback_ = Dispatch::adaptive;
    std::map<std::string, Dispatch, std::less<>> by_extractor_;
};

} // namespace vmaf
