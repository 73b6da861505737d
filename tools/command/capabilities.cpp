// --capabilities, for programs (backends.md 10).
#include <algorithm>
#include <chrono>
#include <future>
#include <map>

#include "backend_choice.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/thread.hpp"
#include "config.h"
#include "cpu/cpu.hpp"
#include "io/video_file.hpp"
#include "metrics/registry.hpp"
#include "model/model.hpp"
#include "report/escape.hpp"
#include "system/build_id.hpp"
#include "system/program.hpp"
#include "usage.hpp"

namespace vmaf::cli {

namespace {

constexpr auto kProbeTime = std::chrono::seconds(5);

struct Probe {
    std::vector<DeviceInfo> devices;
    int code = 0; // negative errno
    std::string reason;

    bool is_usable() const { return code == 0; }
};

// A runtime without a GPU may use the processor if selected by name, but `auto` never does, so it does not count as
// usable.
std::string processor_hint(const GpuBackend &backend) {
    try {
        (void)backend.start(std::nullopt);
        return "; --backend " + std::string(backend.name) + " computes on the processor";
    } catch (const Error &) {
        return "";
    }
}

// Queries a backend's devices. A driver that hangs counts as unusable.
Probe probe(const GpuBackend &backend) {
    std::packaged_task<Probe()> task([backend]() -> Probe {
        try {
            Probe found{.devices = backend.devices()};
            if (!found.devices.empty()) return found;
            return {.code = -ENODEV, .reason = "no GPU was found" + processor_hint(backend)};
        } catch (const Error &e) {
            return {.code = -e.code(), .reason = e.brief()};
        }
    });
    std::future<Probe> answer = task.get_future();
    start_thread("ask for devices", std::move(task)).detach();
    if (answer.wait_for(kProbeTime) == std::future_status::ready) return answer.get();
    return {.code = -ETIMEDOUT, .reason = "its driver does not respond"};
}

std::string device_json(const DeviceInfo &d) {
    return "{\"index\": " + std::to_string(d.index) + ", \"name\": " + json_string(d.name) +
           ", \"arch\": " + json_string(d.arch) + ", \"memory_bytes\": " + std::to_string(d.memory_bytes) +
           ", \"driver\": " + json_string(d.driver) + "}";
}

std::string probe_json(const Probe &found) {
    std::string text = "{\"built\": true, \"usable\": ";
    text += found.is_usable() ? "true" : "false";
    if (!found.is_usable())
        text += ", \"errno\": " + std::to_string(found.code) + ", \"reason\": " + json_string(found.reason);
    return text + ", \"devices\": [" + joined(found.devices, ", ", device_json) + "]}";
}

std::string cpu_json(const Options &options) {
    return "{\"built\": true, \"usable\": true, \"isa\": [" + joined(cpu_flag_names(), ", ", json_string) +
           "], \"isa_used\": " + json_string(to_string(best_isa(options.cpumask))) +
           ", \"threads\": " + std::to_string(system::usable_processors()) + "}";
}

// Whether the video module works, by loading it.
std::string video_json() {
    try {
        return "{\"usable\": true, \"libraries\": " + json_string(video_module().libraries) + "}";
    } catch (const Error &e) {
        return "{\"usable\": false, \"reason\": " + json_string(e.what()) + "}";
    }
}

} // namespace

std::string capabilities(const Options &options, std::span<const GpuBackend> built) {
    std::string active = "cpu", backends, details;
    std::map<std::string_view, Probe> probes;
    const auto tried = candidates(options.backend, built);
    for (const GpuBackend *backend : tried) probes[backend->name] = probe(*backend);
    for (auto backend = tried.rbegin(); backend != tried.rend(); ++backend)
        if (probes[(*backend)->name].is_usable()) active = (*backend)->name;
    for (const BackendRow &row : kBackends) {
        const std::string_view name = row.name;
        const bool is_built =
            std::any_of(built.begin(), built.end(), [&](const GpuBackend &b) { return b.name == name; });
        const auto found = probes.find(name);
        std::string state = "{\"built\": false}";
        if (found != probes.end())
            state = probe_json(found->second);
        else if (is_built)
            state = "{\"built\": true, \"usable\": false, \"errno\": 0, \"reason\": \"switched off\", \"devices\": []}";
        details += "    " + json_string(name) + ": " + state + ",\n";
        if (is_built) backends += json_string(name) + ", ";
    }
    const auto feature = [&](const MetricInfo *metric) {
        std::string list = "\"cpu\"";
        for (const GpuBackend &backend : built)
            if (backend.has_kernels && metric->on_devices) list += ", " + json_string(backend.name);
        return json_string(metric->name) + ": [" + list + "]";
    };
    const auto model = [](const BuiltinModel &m) { return json_string(m.version); };
    return "{\n  \"schema\": 1,\n  \"version\": " + json_string(VMAF_VERSION) +
           ",\n  \"implementation\": \"vmaf-turbo\",\n  \"build_id\": " + json_string(system::build_id()) +
           ",\n  \"backends\": [" + backends + "\"cpu\"],\n  \"auto\": " + json_string(active) +
           ",\n  \"details\": {\n" + details + "    \"cpu\": " + cpu_json(options) + "\n  },\n  \"features\": {" +
           joined(all_metrics(), ", ", feature) + "},\n  \"models\": [" + joined(builtin_models(), ", ", model) +
           "],\n  \"video_files\": " + video_json() + "\n}\n";
}

} // namespace vmaf::cli
