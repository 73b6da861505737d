#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "base/long_options.hpp"
#include "device/backends.hpp"
#include "parity.hpp"

namespace vmaf::parity {

namespace {

// Words besides the GPU backends.
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

unsigned number(const char *name, const std::string &text) {
    char *end = nullptr;
    const unsigned long value = std::strtoul(text.c_str(), &end, 10);
    if (text.empty() || *end || value > 1u << 20) throw std::invalid_argument(std::string(name) + " needs a number");
    return static_cast<unsigned>(value);
}

// --hip-device N and its like, from the flags of `vmaf`.
struct DeviceOption {
    std::string backend, name;
};

std::vector<DeviceOption> device_options() {
    std::vector<DeviceOption> options;
    for (const BackendRow &row : kBackends) {
        if (row.device_flag.empty()) continue;
        std::string name(row.device_flag);
        std::replace(name.begin(), name.end(), '_', '-');
        options.push_back({std::string(row.name), name});
    }
    return options;
}

} // namespace

Options parse_arguments(int argc, char **argv) {
    enum Name : std::size_t {
        vmaf_binary,
        reference,
        distorted,
        width,
        height,
        pixel_format,
        bitdepth,
        features,
        backends,
        fp16_features,
        workdir,
        json_out,
        md_out,
        contract,
        gpu_id,
        calibration_table,
        allow_skip,
        first_device
    }; // places in the table
    std::vector<LongOption> table = {
        {"vmaf-binary", OptionValue::required}, {"reference", OptionValue::required},
        {"distorted", OptionValue::required},   {"width", OptionValue::required},
        {"height", OptionValue::required},      {"pixel-format", OptionValue::required},
        {"bitdepth", OptionValue::required},    {"features", OptionValue::required},
        {"backends", OptionValue::required},    {"fp16-features", OptionValue::required},
        {"workdir", OptionValue::required},     {"json-out", OptionValue::required},
        {"md-out", OptionValue::required},      {"contract", OptionValue::required},
        {"gpu-id", OptionValue::required},      {"calibration-table", OptionValue::required},
        {"allow-skip", OptionValue::none}};
    const std::vector<DeviceOption> devices = device_options();
    for (const DeviceOption &device : devices) table.push_back({device.name, OptionValue::required});
    Options o;
    for (const DeviceOption &device : devices) o.device[device.backend] = 0;
    OptionScanner scanner(table,
                          std::span<const char *const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
    while (const auto found = scanner.next()) {
        const std::string given = found->letter ? std::string("-") + found->letter : "--" + std::string(found->name);
        if (found->status == ScannedOption::Status::value_missing)
            throw std::invalid_argument("'" + given + "' needs a value");
        if (found->status != ScannedOption::Status::found) throw std::invalid_argument("'" + given + "' is no option");
        const std::string text(found->value.value_or(""));
        switch (static_cast<Name>(found->option)) {
        case vmaf_binary: o.vmaf_binary = text; break;
        case reference: o.reference = text; break;
        case distorted: o.distorted = text; break;
        case width: o.width = number("--width", text); break;
        case height: o.height = number("--height", text); break;
        case pixel_format: o.pixel_format = text; break;
        case bitdepth: o.bits = number("--bitdepth", text); break;
        case features: o.features = list(text); break;
        case backends: o.backends = list(text); break;
        case fp16_features: o.fp16_features = list(text); break;
        case workdir: o.workdir = text; break;
        case json_out: o.json_out = text; break;
        case md_out: o.md_out = text; break;
        case gpu_id: o.gpu_id = text; break;
        case calibration_table: o.calibration_table = text; break;
        case allow_skip: o.allow_skip = true; break;
        case contract:
            if (text != "exact" && text != "published") throw std::invalid_argument("--contract is exact or published");
            o.is_exact = text == "exact";
            break;
        default: {
            const DeviceOption &device = devices.at(found->option - first_device);
            o.device[device.backend] = number(("--" + device.name).c_str(), text);
        }
        }
    }
    if (!scanner.others().empty())
        throw std::invalid_argument("'" + std::string(scanner.others().front()) + "' belongs to no option");
    if (o.vmaf_binary.empty() || o.reference.empty() || o.distorted.empty())
        throw std::invalid_argument("--vmaf-binary, --reference and --distorted are needed");
    if ((o.width == 0) != (o.height == 0)) throw std::invalid_argument("--width and --height go together");
    for (const std::string &backend : o.backends)
        if (!is_backend(backend)) throw std::invalid_argument("'" + backend + "' is no backend");
    if (o.features.empty()) o.features = features_of(o.backends);
    if (o.features.empty() || o.backends.size() < 2)
        throw std::invalid_argument("there is nothing to compare: at least one feature and two backends are needed");
    return o;
}

} // namespace vmaf::parity
