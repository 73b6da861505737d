#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "cli/help.hpp"
#include "device/backends.hpp"
#include "parity.hpp"

namespace vmaf::parity {

namespace {

// Backend names other than those of GPUs.
constexpr std::array<std::string_view, 6> kProcessorWords = {"cpu", "host", "scalar", "avx2", "avx512", "neon"};

bool is_backend(std::string_view word) {
    return find_backend(word) ||
           std::find(kProcessorWords.begin(), kProcessorWords.end(), word) != kProcessorWords.end();
}

std::vector<std::string> list(const std::string &text) {
    std::vector<std::string> items;
    std::string item;
    for (const char c : text + ",") {
        if (c != ',' && c != ' ' && c != '\t') {
            item += c;
        } else if (!item.empty()) {
            items.push_back(item);
            item.clear();
        }
    }
    return items;
}

} // namespace

Options parse_arguments(int argc, char **argv) {
    Options o;
    CLI::App app("Compares the scores of several processors and devices.", "vmaf-parity");
    app.formatter(tune::help_formatter());
    app.footer("Examples:\n"
               "  vmaf-parity --vmaf-binary build/tools/vmaf --reference ref.y4m \\\n"
               "      --distorted dist.y4m --backends cpu,cuda --allow-skip\n"
               "  vmaf-parity --vmaf-binary build/tools/vmaf --reference ref.y4m \\\n"
               "      --distorted dist.y4m --backends scalar,avx2,host\n"
               "  vmaf-parity --vmaf-binary build/tools/vmaf --reference ref.y4m \\\n"
               "      --distorted dist.y4m --backends scalar,host --md-out parity.md");
    app.allow_windows_style_options(false); // "/clips/a.y4m" is a path on every system
    const auto number = [&](const std::string &name, unsigned &value, const char *help) {
        app.add_option(name, value, help)->check(CLI::Range(0u, 1u << 20));
    };
    const auto words = [&](const char *name, std::vector<std::string> &value, const char *help) {
        app.add_option_function<std::string>(
            name, [&value](const std::string &text) { value = list(text); }, help);
    };
    app.add_option("--vmaf-binary", o.vmaf_binary, "the vmaf program to run")->required();
    app.add_option("--reference", o.reference, "reference clip")->required();
    app.add_option("--distorted", o.distorted, "distorted clip")->required();
    number("--width", o.width, "luma width (raw clips)");
    number("--height", o.height, "luma height (raw clips)");
    app.add_option("--pixel-format", o.pixel_format, "420, 422 or 444 (raw clips)");
    number("--bitdepth", o.bits, "bits per sample (raw clips)");
    words("--features", o.features,
          "features to compare, such as vif,float_ssim=enable_lcs=true (default: all that both support)");
    number("--cells", o.cell, "also compare scores of cells of this size in pixels");
    words("--backends", o.backends,
          "backends to compare: cpu, cuda, hip, sycl, metal, scalar, avx2, avx512, neon or host");
    words("--fp16-features", o.fp16_features, "features that use the limits for half precision");
    app.add_option("--workdir", o.workdir, "folder for documents");
    app.add_option("--json-out", o.json_out, "report as JSON");
    app.add_option("--md-out", o.md_out, "report as Markdown");
    app.add_option_function<std::string>(
           "--contract", [&](const std::string &text) { o.is_exact = text == "exact"; },
           "largest allowed differences: this project's, or those published for others")
        ->check(CLI::IsMember({"exact", "published"}));
    app.add_option("--gpu-id", o.gpu_id, "GPU to look up in the calibration table");
    app.add_option("--calibration-table", o.calibration_table, "table of measured limits");
    app.add_flag("--allow-skip", o.allow_skip, "skip unavailable backends");
    for (const BackendRow &row : kBackends) { // --hip-device N and so on, as in `vmaf`
        if (row.device_flag.empty()) continue;
        std::string name = "--" + std::string(row.device_flag);
        std::replace(name.begin(), name.end(), '_', '-');
        number(name, o.device[std::string(row.name)] = 0, "device number");
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &) {
        o.help = app.help();
        return o;
    }
    if ((o.width == 0) != (o.height == 0)) throw invalid("--width and --height go together");
    for (const std::string &backend : o.backends)
        if (!is_backend(backend)) throw invalid("'" + backend + "' is not a backend");
    if (o.features.empty()) o.features = features_of(o.backends);
    if (o.features.empty() || o.backends.size() < 2)
        throw invalid("nothing to compare; give at least one feature and two backends");
    return o;
}

} // namespace vmaf::parity
