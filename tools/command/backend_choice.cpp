#include "backend_choice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "device/backend_wish.hpp"
#include "device/backends.hpp"
#include "exit_code.hpp"
#include "report/escape.hpp"
#include "system/log.hpp"

namespace vmaf::cli {

namespace {

constexpr std::uint32_t kNoGpuMask = 0xffffffff;

std::size_t position(std::string_view backend) { return find_backend(backend).value(); }

// Why the request rules out a backend; empty if it does not.
std::string removal_reason(const BackendRequest &request, std::string_view backend) {
    if (request.is_off[position(backend)])
        return "--" + std::string(kBackends[position(backend)].off_flag) + " switches it off";
    if (request.gpumask == kNoGpuMask) return "--gpumask 0xffffffff switches every GPU off";
    if (request.name != "auto" && request.name != backend) return "--backend " + request.name + " leaves it out";
    return {};
}

const GpuBackend *find_built(std::span<const GpuBackend> built, std::string_view name) {
    const auto found = std::find_if(built.begin(), built.end(), [&](const GpuBackend &b) { return b.name == name; });
    return found == built.end() ? nullptr : &*found;
}

// `code`: a negative errno, or 0 if nothing was tried.
Failure backend_failure(const std::string &sentence, std::string_view error, std::string_view backend, int code) {
    return {ExitCode::backend, sentence,
            "{\"error\": " + json_string(error) + ", \"backend_requested\": " + json_string(backend) +
                ", \"errno\": " + std::to_string(code) + ", \"adr\": \"ADR-0498\", \"exit_code\": " +
                std::to_string(static_cast<int>(ExitCode::backend)) + "}\n"};
}

Failure refused(const std::string &backend, const std::string &why, const std::string &error, int code) {
    return backend_failure(refusal_of_backend("--backend " + backend, why), error, backend, code);
}

BackendChoice start_explicit(const BackendRequest &request, std::span<const GpuBackend> built,
                             const std::function<void(const std::string &)> &say) {
    const GpuBackend *const backend = find_built(built, request.name);
    if (!backend)
        throw refused(request.name, backend_is_not_built(request.name), "backend not compiled into this libvmaf", 0);
    try {
        return {request.name, backend->start(request.device[position(request.name)])};
    } catch (const Error &e) {
        say(e.what());
        throw refused(request.name, "init failed", "vmaf_" + request.name + "_state_init failed", -e.code());
    }
}

// `auto` skips devices slower than the processor's own code, unless selected by number.
std::shared_ptr<Device> start_for_auto(const GpuBackend &backend, std::optional<unsigned> index) {
    std::shared_ptr<Device> device = backend.start(index);
    if (!index && device && device->info().is_processor) throw Error(ENODEV, "its only device is the CPU");
    return device;
}

BackendChoice start_first_usable(const BackendRequest &request, std::span<const GpuBackend> built,
                                 const std::function<void(const std::string &)> &say) {
    const std::vector<const GpuBackend *> list = candidates(request, built);
    for (std::size_t i = 0; i < list.size(); i++) try {
            return {std::string(list[i]->name), start_for_auto(*list[i], request.device[position(list[i]->name)])};
        } catch (const Error &e) {
            const bool is_last = i + 1 == list.size();
            log(LogLevel::debug, e.what());
            say(std::string(list[i]->name) + " not usable (" + e.brief() + "); " +
                (is_last ? "using cpu" : "trying " + std::string(list[i + 1]->name)));
        }
    return {};
}

} // namespace

std::span<const GpuBackend> gpu_backends() {
    static const std::vector<GpuBackend> list = [] {
        std::vector<GpuBackend> all;
        for (const BuiltBackend &b : built_backends()) all.push_back({b.name, b.open, b.list, b.has_kernels});
        return all;
    }();
    return list;
}

std::vector<const GpuBackend *> candidates(const BackendRequest &request, std::span<const GpuBackend> built) {
    std::vector<const GpuBackend *> list;
    for (const GpuBackend &backend : built)
        if (removal_reason(request, backend.name).empty()) list.push_back(&backend);
    std::stable_partition(list.begin(), list.end(),
                          [&](const GpuBackend *b) { return request.device[position(b->name)].has_value(); });
    return list;
}

BackendChoice choose_backend(const BackendRequest &request, std::span<const GpuBackend> built,
                             const std::function<void(const std::string &)> &say) {
    for (const BackendRow &row : kBackends) {
        if (!request.device[position(row.name)]) continue;
        std::string reason = removal_reason(request, row.name);
        if (reason.empty() && !find_built(built, row.name) && request.name == "auto")
            reason = backend_is_not_built(row.name);
        if (!reason.empty()) say("--" + std::string(row.device_flag) + " has no effect: " + reason);
    }
    if (request.name == "auto") return start_first_usable(request, built, say);
    if (request.name == "cpu") return {};
    return start_explicit(request, built, say);
}

void check_pinned_features(const std::vector<FeatureArgument> &features, const BackendRequest &request,
                           std::span<const GpuBackend> built, std::string_view active) {
    for (const FeatureArgument &feature : features) {
        const BackendRow *const row = pinned_backend(feature.name);
        if (!row || row->name == active) continue;
        std::string reason = backend_is_not_built(row->name);
        if (find_built(built, row->name)) reason = removal_reason(request, row->name);
        if (reason.empty()) reason = "it did not start, or another one was chosen";
        throw backend_failure("feature '" + feature.name + "' is pinned to " + std::string(row->name) +
                                  " backend, which is not active: " + reason,
                              "feature pinned to inactive backend", row->name, 0);
    }
}

} // namespace vmaf::cli
