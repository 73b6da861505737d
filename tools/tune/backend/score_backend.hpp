// Which backend scores (tune.md 7): the scorer's capabilities, the machine's devices, and no silent downgrade.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/thread_group.hpp"
#include "process/child.hpp"
#include "text/choice.hpp"

namespace vmaf::tune {

// A scorer's answer about one backend.
struct BackendState {
    bool supported = false; // compiled into the scorer
    bool usable = false;
    bool only_on_request = false; // `auto` skips it
    std::string reason;           // why not
};

struct BackendSurvey {
    std::map<std::string, BackendState> states; // by name; always includes cpu
    bool has_answered = false;                  // whether the scorer could be asked
    bool from_capabilities = false;             // it has tried its backends itself
    std::string version;                        // if stated
    bool takes_backend = true;                  // accepts --backend; plain scorers refuse it
    bool takes_precision = true;                // and --precision
    std::vector<std::string> usable() const;    // in the order of `auto`
    std::string reasons() const;                // why others are not usable: "cuda: no device, sycl: not built"
};

// The alternation on the --backend line of a help text; cpu is always included.
std::vector<std::string> backends_in_help(const std::string &help);

// Host probes for scorers that cannot report: nvidia-smi, sycl-ls, rocminfo or rocm-smi, vulkaninfo.
struct HostProbe {
    std::string backend, command, verdict;
    bool available = false;
    bool is_software = false; // a software device
    double seconds = 0;
};
// Runs probes in parallel, each only once.
class HostProbes {
  public:
    std::vector<HostProbe> ask(const std::vector<std::string> &backends);

  private:
    std::mutex mutex_;
    std::map<std::string, Later<HostProbe>> asked_;
};

// Asks a scorer: `command` is the vmaf binary, or our own executable with its hidden verb.
BackendSurvey survey_backends(const Arguments &command, HostProbes &hosts);

// Values of --score-backend: the backends of our own scorer, and vulkan, which others have.
enum class BackendWish { automatic, cpu, cuda, sycl, hip, vulkan, metal };
inline constexpr Choice<BackendWish> kBackendWishes[] = {
    {"auto", BackendWish::automatic}, {"cpu", BackendWish::cpu}, {"cuda", BackendWish::cuda},
    {"sycl", BackendWish::sycl},      {"hip", BackendWish::hip}, {"vulkan", BackendWish::vulkan},
    {"metal", BackendWish::metal}};

// The GPU backends among them.
const std::vector<std::string> &gpu_words();

// The order of `auto`: cuda, sycl, hip, vulkan, cpu; on macOS metal first.
const std::vector<std::string> &backend_order();

// Resolves a wish to a backend. Throws Error if an explicit one is unavailable.
std::string resolve_backend(BackendWish wish, const BackendSurvey &survey, HostProbes &hosts);

} // namespace vmaf::tune
