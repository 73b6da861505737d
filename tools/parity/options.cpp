#include <getopt.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "parity.hpp"

namespace vmaf::parity {

namespace {

constexpr std::array<std::string_view, 10> kBackends = {"cpu",  "cuda",   "sycl", "hip",    "metal",
                                                        "host", "scalar", "avx2", "avx512", "neon"};

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

} // namespace

Options parse_arguments(int argc, char **argv) {
    enum Name {
        vmaf_binary = 1,
        reference,
        distorted,
        width,
        height,
        pixel_format,
        bitdepth,
        features,
        backends,
        fp16_features,
        sycl_device,
        hip_device,
        metal_device,
        workdir,
        json_out,
        md_out,
        contract,
        gpu_id,
        calibration_table,
        allow_skip
    };
    static const option table[] = {{"vmaf-binary", 1, nullptr, vmaf_binary},
                                   {"reference", 1, nullptr, reference},
                                   {"distorted", 1, nullptr, distorted},
                                   {"width", 1, nullptr, width},
                                   {"height", 1, nullptr, height},
                                   {"pixel-format", 1, nullptr, pixel_format},
                                   {"bitdepth", 1, nullptr, bitdepth},
                                   {"features", 1, nullptr, features},
                                   {"backends", 1, nullptr, backends},
                                   {"fp16-features", 1, nullptr, fp16_features},
                                   {"sycl-device", 1, nullptr, sycl_device},
                                   {"hip-device", 1, nullptr, hip_device},
                                   {"metal-device", 1, nullptr, metal_device},
                                   {"workdir", 1, nullptr, workdir},
                                   {"json-out", 1, nullptr, json_out},
                                   {"md-out", 1, nullptr, md_out},
                                   {"contract", 1, nullptr, contract},
                                   {"gpu-id", 1, nullptr, gpu_id},
                                   {"calibration-table", 1, nullptr, calibration_table},
                                   {"allow-skip", 0, nullptr, allow_skip},
                                   {}};
    Options o;
    optind = 1;
    opterr = 0;
    for (int which; (which = getopt_long(argc, argv, ":", table, nullptr)) != -1;) {
        const std::string text = optarg ? optarg : "";
        switch (which) {
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
        case sycl_device: o.device["sycl"] = number("--sycl-device", text); break;
        case hip_device: o.device["hip"] = number("--hip-device", text); break;
        case metal_device: o.device["metal"] = number("--metal-device", text); break;
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
        case ':': throw std::invalid_argument("'" + std::string(argv[optind - 1]) + "' needs a value");
        default: throw std::invalid_argument("'" + std::string(argv[optind - 1]) + "' is no option");
        }
    }
    if (optind < argc) throw std::invalid_argument("'" + std::string(argv[optind]) + "' belongs to no option");
    if (o.vmaf_binary.empty() || o.reference.empty() || o.distorted.empty())
        throw std::invalid_argument("--vmaf-binary, --reference and --distorted are needed");
    if ((o.width == 0) != (o.height == 0)) throw std::invalid_argument("--width and --height go together");
    for (const std::string &backend : o.backends)
        if (std::find(kBackends.begin(), kBackends.end(), backend) == kBackends.end())
            throw std::invalid_argument("'" + backend + "' is no backend");
    if (o.features.empty()) o.features = features_of(o.backends);
    if (o.features.empty() || o.backends.size() < 2)
        throw std::invalid_argument("there is nothing to compare: at least one feature and two backends are needed");
    return o;
}

} // namespace vmaf::parity
