// `doctor` and `cache`: what is installed and usable (tune.md 12.15, 10.9).
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "config.h"

namespace vmaf::tune {

using nlohmann::json;

int run_doctor(const Options &o) {
    json report = {{"tool_version", VMAF_VERSION},
                   {"encoders", json::object()},
                   {"backends", json::object()},
                   {"host_probes", json::array()}};
    const BackendSurvey survey = survey_backends(scorer_program(o));
    for (const auto &[name, state] : survey.states)
        report["backends"][name] = {{"supported", state.supported}, {"usable", state.usable}, {"reason", state.reason}};
    report["auto"] = resolve_backend("auto", survey);
    for (const std::string name : {"cuda", "sycl", "hip", "vulkan"}) {
        const HostProbe probe = probe_host(name);
        report["host_probes"].push_back({{"backend", name},
                                         {"command", probe.command},
                                         {"available", probe.available},
                                         {"verdict", probe.verdict},
                                         {"seconds", probe.seconds}});
    }
    bool encoder_works = false;
    const auto ffmpeg = find_program(o.ffmpeg);
    report["ffmpeg"] = ffmpeg ? json(*ffmpeg) : json(nullptr);
    if (ffmpeg) {
        Programs programs;
        programs.ffmpeg = *ffmpeg;
        report["ffmpeg_version"] = ffmpeg_version(programs);
        const auto listed = [&](const char *what, std::initializer_list<const char *> names) {
            const std::string text = run_child({*ffmpeg, "-hide_banner", what}).out;
            json found = json::object();
            for (const char *name : names) found[name] = text.find(" " + std::string(name) + " ") != std::string::npos;
            return found;
        };
        report["filters"] = listed("-filters", {"libvmaf", "xpsnr", "addroi", "cropdetect"});
        report["grain_decoders"] = listed("-decoders", {"libdav1d", "av1"});
        const std::vector<std::string> available = available_encoders(programs);
        for (const Adapter &adapter : adapters()) {
            json &entry = report["encoders"][adapter.name];
            if (std::find(available.begin(), available.end(), adapter.name) == available.end()) {
                entry = {{"state", "missing"},
                         {"detail", "build FFmpeg with " + std::string(adapter.configure_switch)}};
                continue;
            }
            try {
                entry = {{"state", "available"}, {"detail", try_encoder(programs, adapter)}};
                encoder_works = true;
            } catch (const Error &e) {
                entry = {{"state", "failing"}, {"detail", e.what()}};
            }
        }
    }
    try {
        Cache cache(o.cache_dir.empty() ? default_cache_folder() : o.cache_dir, UINT64_MAX);
        const Cache::Statistics s = cache.statistics();
        report["cache"] = {{"folder", o.cache_dir.empty() ? default_cache_folder() : o.cache_dir},
                           {"entries", s.entries},
                           {"bytes", s.bytes}};
    } catch (const Error &e) {
        report["cache"] = {{"error", e.what()}};
    }
    std::error_code error;
    const auto space = std::filesystem::space(o.work_dir.empty() ? "/tmp" : o.work_dir, error);
    report["work_folder_free_bytes"] = error ? json(nullptr) : json(space.available);
    if (o.json) {
        std::printf("%s\n", report.dump(2).c_str());
    } else {
        std::printf("vmaf-tune %s\n\nscoring backends (auto: %s)\n", VMAF_VERSION,
                    report["auto"].get<std::string>().c_str());
        for (const auto &[name, state] : report["backends"].items())
            std::printf("  %-8s %s\n", name.c_str(),
                        state["usable"].get<bool>() ? "usable"
                                                    : ("not usable: " + state["reason"].get<std::string>()).c_str());
        std::printf("\nmachine\n");
        for (const json &probe : report["host_probes"])
            std::printf("  %-8s %-45s %s\n", probe["backend"].get<std::string>().c_str(),
                        probe["command"].get<std::string>().c_str(), probe["verdict"].get<std::string>().c_str());
        std::printf("\nffmpeg: %s\n", ffmpeg ? (*ffmpeg + " " + report["ffmpeg_version"].get<std::string>()).c_str()
                                             : "not found; install it (Debian: apt-get install ffmpeg)");
        for (const auto &[name, entry] : report["encoders"].items())
            std::printf("  %-20s %-10s %s\n", name.c_str(), entry["state"].get<std::string>().c_str(),
                        entry["detail"].get<std::string>().c_str());
        std::printf("\ncache: %s\n", report["cache"].dump().c_str());
    }
    return encoder_works ? kExitOk : kExitFailed;
}

int run_cache(const Options &o, const std::string &action) {
    const std::string folder = o.cache_dir.empty() ? default_cache_folder() : o.cache_dir;
    Cache cache(folder, UINT64_MAX);
    if (action == "clear") cache.clear();
    const Cache::Statistics s = cache.statistics();
    std::printf("%s: %lld entries, %lld bytes\n", folder.c_str(), static_cast<long long>(s.entries),
                static_cast<long long>(s.bytes));
    return kExitOk;
}

} // namespace vmaf::tune
