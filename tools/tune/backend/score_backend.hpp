// Which backend scores (tune.md 7): what the scorer can do, what the machine has, and no silent downgrade.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/thread_group.hpp"
#include "process/child.hpp"
#include "text/choice.hpp"

namespace vmaf::tune {

// Answer of a scorer about one backend.
struct BackendState {
    bool supported = false; // compiled into the scorer
    bool usable = false;
    bool only_on_request = false; // `auto` passes it by
    std::string reason;           // why not
};

struct BackendSurvey {
    std::map<std::string, BackendState> states; // by name; cpu is always there
    bool has_answered = false;                  // the scorer could be asked at all
    bool from_capabilities = false;             // it has tried its backends itself
    std::string version;                        // where stated
    bool takes_backend = true;                  // it knows --backend; plain ones refuse it
    bool takes_precision = true;                // and --precision
    std::vector<std::string> usable() const;    // in the order of `auto`
    std::string reasons() const;                // why the others are not: "cuda: no device, sycl: not built"
};

// The alternation on the --backend line of a help text; cpu is always included.
std::vector<std::string> backends_in_help(const std::string &help);

// Host probes for scorers that cannot tell: nvidia-smi, sycl-ls, rocminfo or rocm-smi, vulkaninfo.
struct HostProbe {
    std::string backend, command, verdict;
    bool available = false;
    bool is_software = false; // a processor that plays a GPU
    double seconds = 0;
};
// Asks side by side, and each but once.
class HostProbes {
  public:
    std::vector<HostProbe> ask(const std::vector<std::string> &backends);

  private:
    std::mutex mutex_;
    std::map<std::string, Later<HostProbe>> asked_;
};

// Asks a scorer: `command` is the vmaf binary, or our own executable with its hidden verb.
BackendSurvey survey_backends(const Arguments &command, HostProbes &hosts);

// What --score-backend asks for: the backends of our own scorer, and vulkan, which others have.
enum class BackendWish { automatic, cpu, cuda, sycl, hip, vulkan, metal };
inline constexpr Choice<BackendWish> kBackendWishes[] = {
    {"auto", BackendWish::automatic}, {"cpu", BackendWish::cpu}, {"cuda", BackendWish::cuda},
    {"sycl", BackendWish::sycl},      {"hip", BackendWish::hip}, {"vulkan", BackendWish::vulkan},
    {"metal", BackendWish::metal}};

// Those of them that are GPUs.
const std::vector<std::string> &gpu_words();

// Order in which `auto` looks: cuda, sycl, hip, vulkan, cpu; on macOS metal first.
const std::vector<std::string> &backend_order();

// The backend to use for a wish. Throws Error for an explicit wish that cannot be met.
std::string resolve_backend(BackendWish wish, const BackendSurvey &survey, HostProbes &hosts);

} // namespace vmaf::tune
