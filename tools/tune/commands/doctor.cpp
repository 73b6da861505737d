// `doctor`: what is installed and usable (tune.md 12.15).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/thread_group.hpp"
#include "cli/add_option.hpp"
#include "commands/commands.hpp"
#include "commands/quality_search.hpp"
#include "config.h"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

struct DoctorRequest : ProgramOptions, ScoringOptions, RunningOptions {};

json backends_json(const BackendSurvey &survey) {
    json states = json::object();
    for (const auto &[name, state] : survey.states)
        states[name] = {{"supported", state.supported},
                        {"usable", state.usable},
                        {"only_on_request", state.only_on_request},
                        {"reason", state.reason}};
    return states;
}

json host_probes_json(HostProbes &known) {
    json probes = json::array();
    std::vector<std::string> hosts = backend_order();
    hosts.pop_back(); // cpu
    for (const HostProbe &probe : known.ask(hosts))
        probes.push_back({{"backend", probe.backend},
                          {"command", probe.command},
                          {"available", probe.available},
                          {"verdict", probe.verdict},
                          {"seconds", probe.seconds}});
    return probes;
}

// Which names FFmpeg lists under a switch such as -filters.
json listed(const std::string &ffmpeg, const char *what, std::initializer_list<const char *> names) {
    const std::string text = run_child({ffmpeg, "-hide_banner", what}).out;
    json found = json::object();
    for (const char *name : names) found[name] = text.find(" " + std::string(name) + " ") != std::string::npos;
    return found;
}

json encoder_json(const Programs &programs, const Adapter &adapter, const std::vector<std::string> &available) {
    if (!contains(available, adapter.name))
        return {{"state", "missing"}, {"detail", "build FFmpeg with " + std::string(adapter.configure_switch)}};
    try {
        return {{"state", "available"}, {"detail", try_encoder(programs, adapter)}};
    } catch (const Error &e) {
        return {{"state", "failing"}, {"detail", e.what()}};
    }
}

void add_ffmpeg(const ProgramOptions &o, const std::string &ffmpeg, json &report) {
    Programs programs;
    programs.ffmpeg = ffmpeg;
    report["ffmpeg_version"] = ffmpeg_version(run_child({ffmpeg, "-version"}));
    const auto ffprobe = find_program(o.ffprobe);
    report["ffprobe"] = ffprobe ? json(*ffprobe) : json(nullptr);
    report["filters"] = listed(ffmpeg, "-filters", {"libvmaf", "xpsnr", "addroi", "cropdetect"});
    report["grain_decoders"] = listed(ffmpeg, "-decoders", {"libdav1d", "libaom-av1", "av1"});
    const std::vector<std::string> available = available_encoders(programs);
    for (const Adapter &adapter : adapters())
        report["encoders"][adapter.name] = encoder_json(programs, adapter, available);
}

json cache_json(const std::string &folder) {
    try {
        Cache cache(folder, UINT64_MAX);
        const Cache::Statistics s = cache.statistics();
        std::int64_t entries = 0;
        for (const std::int64_t count : s.entries) entries += count;
        return {{"folder", folder}, {"entries", entries}, {"bytes", s.bytes}};
    } catch (const Error &e) {
        return {{"folder", folder}, {"error", e.what()}};
    }
}

std::string text_of(const json &value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void print_list(const char *title, const json &names) {
    std::printf("%s", title);
    for (const auto &[name, is_there] : names.items())
        std::printf(" %s%s", name.c_str(), is_there.get<bool>() ? "" : " (missing)");
    std::printf("\n");
}

void print_report(const json &report) {
    std::printf("vmaf-tune %s; scorer %s\n", VMAF_VERSION, text_of(report["scorer"]["version"]).c_str());
    if (!report["scorer"]["answers"].get<bool>())
        std::printf("  %s does not answer; check --vmaf-bin\n", text_of(report["scorer"]["program"]).c_str());
    std::printf("\nscoring backends; auto takes %s%s\n", text_of(report["auto"]).c_str(),
                report["auto_reason"].empty() ? "" : (" (" + text_of(report["auto_reason"]) + ")").c_str());
    for (const auto &[name, state] : report["backends"].items())
        std::printf("  %-8s %s\n", name.c_str(),
                    !state["usable"].get<bool>()           ? ("not usable: " + text_of(state["reason"])).c_str()
                    : state["only_on_request"].get<bool>() ? "usable on request"
                                                           : "usable");
    std::printf("\nthis machine\n");
    for (const json &probe : report["host_probes"])
        std::printf("  %-8s %-48s %5.0f ms  %s\n", text_of(probe["backend"]).c_str(), text_of(probe["command"]).c_str(),
                    1000 * probe["seconds"].get<double>(), text_of(probe["verdict"]).c_str());
    if (report["ffmpeg"].is_null()) {
        std::printf("\nffmpeg: not found; install it (Debian: apt-get install ffmpeg)\n");
    } else {
        std::printf("\nffmpeg: %s %s\n", text_of(report["ffmpeg"]).c_str(), text_of(report["ffmpeg_version"]).c_str());
        if (report["ffprobe"].is_null()) std::printf("ffprobe: not found; give --ffprobe-bin\n");
        for (const auto &[name, entry] : report["encoders"].items())
            std::printf("  %-20s %-10s %s\n", name.c_str(), text_of(entry["state"]).c_str(),
                        entry["detail"] == "unknown" ? "" : text_of(entry["detail"]).c_str());
        print_list("filters:", report["filters"]);
        print_list("decoders that can leave out film grain:", report["grain_decoders"]);
    }
    const json &cache = report["cache"];
    std::printf("\ncache: %s, %s\n", text_of(cache["folder"]).c_str(),
                cache.contains("error")
                    ? text_of(cache["error"]).c_str()
                    : (cache["entries"].dump() + " entries, " + cache["bytes"].dump() + " bytes").c_str());
    const json &free_bytes = report["work_folder_free_bytes"];
    std::printf("scratch folders: %s, %s free\n", text_of(report["work_folder"]).c_str(),
                free_bytes.is_null() ? "unknown"
                                     : (std::to_string(free_bytes.get<std::uint64_t>() >> 20) + " MB").c_str());
}

int run_doctor(const DoctorRequest &o) {
    HostProbes hosts;
    Later<json> probes([&] { return host_probes_json(hosts); });
    const std::string scorer = scorer_program(o, o).value_or(o.vmaf.empty() ? "vmaf" : o.vmaf);
    const BackendSurvey survey = survey_backends({scorer}, hosts);
    const std::string folder = o.cache_dir.empty() ? default_cache_folder() : o.cache_dir;
    json report = {{"tool_version", VMAF_VERSION},
                   {"scorer",
                    {{"program", scorer},
                     {"answers", survey.has_answered},
                     {"version", survey.version.empty() ? "unknown" : survey.version}}},
                   {"encoders", json::object()},
                   {"backends", backends_json(survey)},
                   {"auto", resolve_backend(BackendWish::automatic, survey, hosts)},
                   {"auto_reason", survey.reasons()},
                   {"cache", cache_json(folder)},
                   {"work_folder", scratch_base(o.work_dir)}};
    const auto ffmpeg = find_program(o.ffmpeg);
    report["ffmpeg"] = ffmpeg ? json(*ffmpeg) : json(nullptr);
    if (ffmpeg) add_ffmpeg(o, *ffmpeg, report);
    report["host_probes"] = probes.get();
    std::error_code error;
    const auto space = system::fs::space(scratch_base(o.work_dir), error);
    report["work_folder_free_bytes"] = error ? json(nullptr) : json(space.available);
    if (o.json)
        std::printf("%s", json_document(report).c_str());
    else
        print_report(report);
    const json &encoders = report["encoders"];
    const bool encoder_works =
        std::ranges::any_of(encoders, [](const json &entry) { return entry["state"] == "available"; });
    return encoder_works && survey.has_answered ? kExitOk : kExitFailed;
}

void bind_doctor(CLI::App &app, DoctorRequest &o) {
    app.add_flag("--json", o.json, "print JSON");
    add_option(app, "--ffmpeg-bin", o.ffmpeg, "ffmpeg to use");
    add_option(app, "--vmaf-bin", o.vmaf, "vmaf to ask (default: beside vmaf-tune; binary: in PATH)");
    add_choice(app, "--scorer", o.scorer, kScorers, "library or binary");
    add_option(app, "--cache-dir", o.cache_dir, "cache to inspect");
    add_option(app, "--work-dir,--temp-dir", o.work_dir, "scratch folder to inspect");
}

} // namespace

void add_doctor(Commands &commands) {
    commands.add<DoctorRequest>(
        {"doctor",
         "check encoders and scoring backends",
         {"probe"},
         "  vmaf-tune doctor\n  vmaf-tune doctor --json\n  vmaf-tune doctor --ffmpeg-bin /usr/bin/ffmpeg"},
        bind_doctor, run_doctor);
}

} // namespace vmaf::tune
