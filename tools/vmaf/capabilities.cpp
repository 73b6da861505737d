// --capabilities: for programs (backends.md 10).
#include <algorithm>
#include <cstring>

#include "backend_choice.hpp"
#include "config.h"
#include "cpu/cpu.hpp"
#include "metrics/registry.hpp"
#include "model/model.hpp"
#include "report/report.hpp"
#include "usage.hpp"

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace vmaf::cli {

namespace {

template <class List, class Text> std::string json_list(const List &list, Text text) {
    std::string joined;
    for (const auto &item : list) joined += (joined.empty() ? "" : ", ") + text(item);
    return joined;
}

std::string cpu_details(const Options &options) {
    return "{\"built\": true, \"usable\": true, \"isa\": [" +
           json_list(cpu_flag_names(), [](std::string_view name) { return json_string(name); }) +
           "], \"isa_used\": " + json_string(to_string(best_isa(options.cpumask))) +
           ", \"threads\": " + std::to_string(usable_processors()) + "}";
}

#if defined(__linux__)
// The linker's fingerprint of this executable, from the note that it carries.
std::string build_id() {
    std::string id;
    const auto visit = [](dl_phdr_info *info, std::size_t, void *result) {
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const ElfW(Phdr) &segment = info->dlpi_phdr[i];
            if (segment.p_type != PT_NOTE) continue;
            const char *at = reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr);
            const char *const end = at + segment.p_memsz;
            while (at + sizeof(ElfW(Nhdr)) <= end) {
                ElfW(Nhdr) note;
                std::memcpy(&note, at, sizeof note);
                const char *const name = at + sizeof note;
                const char *const content = name + (note.n_namesz + 3) / 4 * 4;
                at = content + (note.n_descsz + 3) / 4 * 4;
                if (note.n_type != NT_GNU_BUILD_ID || std::memcmp(name, "GNU", 4) != 0) continue;
                for (const char *c = content; c < content + note.n_descsz; c++) {
                    constexpr char kDigits[] = "0123456789abcdef";
                    static_cast<std::string *>(result)->append({kDigits[(*c >> 4) & 15], kDigits[*c & 15]});
                }
                return 1;
            }
        }
        return 1; // the executable comes first; the rest are libraries
    };
    dl_iterate_phdr(visit, &id);
    return id;
}
#else
std::string build_id() { return {}; }
#endif

} // namespace

std::string capabilities(const Options &options) {
    std::string backends, details;
    for (const GpuBackend &backend : built_backends()) backends += json_string(backend.name) + ", ";
    for (const std::string_view name : kGpuBackends) details += "    " + json_string(name) + ": {\"built\": false},\n";
    const auto feature = [](const MetricInfo *metric) { return json_string(metric->name) + ": [\"cpu\"]"; };
    const auto model = [](const BuiltinModel &m) { return json_string(m.version); };
    return "{\n  \"schema\": 1,\n  \"version\": " + json_string(VMAF_VERSION) +
           ",\n  \"implementation\": \"vmaf-turbo\",\n  \"build_id\": " + json_string(build_id()) +
           ",\n  \"backends\": [" + backends + "\"cpu\"],\n  \"auto\": \"cpu\",\n  \"details\": {\n" + details +
           "    \"cpu\": " + cpu_details(options) + "\n  },\n  \"features\": {" + json_list(all_metrics(), feature) +
           "},\n  \"models\": [" + json_list(builtin_models(), model) + "]\n}\n";
}

} // namespace vmaf::cli
