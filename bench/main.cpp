// vmaf-bench: what metrics and fast functions cost on this machine, on one thread.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "bench.hpp"
#include "calibration.hpp"
#include "clips/option_words.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::bench;

constexpr const char *kUsage = R"(usage: vmaf-bench [options]

Times every metric and every registered fast function on the instruction sets of this machine, one against the other,
and prints nanoseconds per luma pixel (best of many rounds) and how many times faster than the scalar code that is.

  --filter TEXT      only names that contain TEXT
  --metrics          only whole metrics
  --functions        only registered functions
  --isa NAME,...     instruction sets; default: all that this machine has
  --size WxH         default 1920x1080
  --bits N           8 (default) to 16
  --format F         420 (default), 422, 444 or 400
  --seconds S        time for each name, default 1
  --lanes N,...      threads that share each frame of a metric, default 1; times are then those on the wall
  --calibrate        only the reading by which figures of different machines are compared
  --count            under callgrind: nothing is timed, one frame of each metric is counted (see bench/gate.py)
  --json             JSON instead of a table
)";

struct Options {
    Settings settings;
    bool metrics = true, functions = true, json = false, count = false, calibrate = false, help = false;
};

std::vector<Isa> parse_isas(const std::string &names) {
    std::vector<Isa> isas;
    for (const Isa isa : usable_isas())
        if (("," + names + ",").find("," + std::string(to_string(isa)) + ",") != std::string::npos) isas.push_back(isa);
    if (isas.empty()) throw invalid("--isa " + names + ": this machine or build has none of these");
    return isas;
}

std::vector<unsigned> parse_lanes(const std::string &text) {
    std::vector<unsigned> lanes;
    std::istringstream list(text);
    for (std::string number; std::getline(list, number, ',');) {
        lanes.push_back(unsigned(std::stoul(number)));
        if (lanes.back() < 1 || lanes.back() > 256) throw invalid("--lanes takes numbers from 1 to 256, not " + number);
    }
    return lanes;
}

PixelFormat parse_format(const std::string &name) {
    if (name == "420") return PixelFormat::yuv420p;
    if (name == "422") return PixelFormat::yuv422p;
    if (name == "444") return PixelFormat::yuv444p;
    if (name == "400") return PixelFormat::yuv400p;
    throw invalid("--format takes 420, 422, 444 or 400, not " + name);
}

Options parse(int argc, char **argv) {
    Options o;
    o.settings.isas = usable_isas();
    OptionWords words(argc, argv);
    const auto value = [&] { return words.value(); };
    while (words.next()) {
        const std::string &name = words.name();
        if (name == "--filter")
            o.settings.filter = value();
        else if (name == "--metrics")
            o.functions = false;
        else if (name == "--functions")
            o.metrics = false;
        else if (name == "--isa")
            o.settings.isas = parse_isas(value());
        else if (name == "--size") {
            const std::string size = value();
            if (std::sscanf(size.c_str(), "%ux%u", &o.settings.format.width, &o.settings.format.height) != 2)
                throw invalid("--size takes WIDTHxHEIGHT, not " + size);
        } else if (name == "--bits")
            o.settings.format.bits = unsigned(std::stoul(value()));
        else if (name == "--format")
            o.settings.format.pixel_format = parse_format(value());
        else if (name == "--seconds")
            o.settings.seconds = std::stod(value());
        else if (name == "--lanes")
            o.settings.lanes = parse_lanes(value());
        else if (name == "--calibrate")
            o.calibrate = true;
        else if (name == "--count")
            o.count = true;
        else if (name == "--json")
            o.json = true;
        else if (name == "--help")
            o.help = true;
        else
            throw invalid("unknown option " + name + "; see --help");
    }
    check_format(o.settings.format);
    return o;
}

void print_line(const Timing &t) {
    const std::string ratio = t.ratio > 0 ? std::to_string(t.ratio).substr(0, 6) : "-";
    std::printf("%-36s %-10s %5ux%-5u %2u bit %10.3f ns/pixel %8s", t.name.c_str(), t.isa.c_str(), t.width, t.height,
                t.bits, t.ns_per_pixel, ratio.c_str());
    if (t.lanes > 1) std::printf(", %u threads: %.2f times one", t.lanes, t.speedup);
    std::printf("\n");
    std::fflush(stdout);
}

} // namespace

namespace vmaf::bench {

void time_all(const std::string &name, const Settings &settings, const std::vector<Contender> &contenders,
              const Report &report) {
    const PictureFormat &f = settings.format;
    const std::vector<double> times = best_times(contenders, settings.seconds);
    const auto time_of = [&](Isa isa, unsigned lanes) {
        for (std::size_t i = 0; i < times.size(); i++)
            if (contenders[i].isa == isa && contenders[i].lanes == lanes) return times[i];
        return 0.0;
    };
    for (std::size_t i = 0; i < times.size(); i++) {
        const auto &[isa, work, lanes] = contenders[i];
        report({name, std::string(to_string(isa)), f.width, f.height, f.bits,
                times[i] * 1e9 / (double(f.width) * double(f.height)), time_of(Isa::scalar, lanes) / times[i], lanes,
                time_of(isa, 1) / times[i]});
    }
}

} // namespace vmaf::bench

int main(int argc, char **argv) try {
    const Options options = parse(argc, argv);
    if (options.help) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    if (options.calibrate) {
        std::printf("%.3f\n", calibration());
        return 0;
    }
    if (options.count) {
        count_metrics(options.settings);
        return 0;
    }
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    const Report report = [&](const Timing &t) {
        if (!options.json) return print_line(t);
        lines.push_back({{"name", t.name},
                         {"isa", t.isa},
                         {"width", t.width},
                         {"height", t.height},
                         {"bits", t.bits},
                         {"ns_per_pixel", t.ns_per_pixel},
                         {"ratio_to_scalar", t.ratio},
                         {"lanes", t.lanes},
                         {"speedup", t.speedup}});
    };
    if (options.metrics) time_metrics(options.settings, report);
    if (options.functions) time_functions(options.settings, report);
    if (options.json) std::printf("%s\n", lines.dump(1).c_str());
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "vmaf-bench: %s\n", e.what());
    return 1;
}
