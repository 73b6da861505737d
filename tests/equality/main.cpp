// equality: on this machine, compares every fast function with its scalar version, and every metric on every
// instruction set with scalar code.
//
//   equality [--filter TEXT] [--isa NAME] [--seed N] [--quick] [--sample N] [--list]
//
// --quick reduces widths and clips; --sample runs every Nth of the rest, for slow machines and emulators.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "clips/option_words.hpp"
#include "equality/equality.hpp"
#include "equality/metric_equality.hpp"
#include "system/files.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::equality;

struct Options {
    std::string filter, isa;
    std::uint32_t seed = 1, sample = 1;
    bool quick = false, list = false;
};

Options parse(int argc, char **argv) {
    Options o;
    OptionWords words(argc, argv);
    const auto value = [&] { return words.value(); };
    while (words.next()) {
        const std::string &name = words.name();
        if (name == "--filter")
            o.filter = value();
        else if (name == "--isa")
            o.isa = value();
        else if (name == "--seed")
            o.seed = std::uint32_t(std::stoul(value()));
        else if (name == "--sample")
            o.sample = std::max(1u, std::uint32_t(std::stoul(value())));
        else if (name == "--quick")
            o.quick = true;
        else if (name == "--list")
            o.list = true;
        else
            throw invalid("unknown option " + name + "; there are --filter, --isa, --seed, --quick, --sample, --list");
    }
    return o;
}

std::vector<int> widths(bool quick) {
    std::vector<int> list;
    for (int w = 1; w <= 300; w += quick && w > 40 ? 13 : 1) list.push_back(w);
    for (const int w : {511, 512, 1023, 1920, 4099}) list.push_back(w);
    return list;
}

// The current trial, for the message if it faults on a guard page.
std::array<char, 200> running{};

extern "C" void told_fault(int signal) {
    const auto write_out = [](const char *text) { vmaf::system::write_text(1, text); };
    write_out(running.data());
    write_out(": read or wrote outside of its buffers\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

std::string describe(const Function &function, Isa isa, const Shape &shape, std::uint32_t seed) {
    return function.name + ", " + std::string(to_string(isa)) + ", " + std::to_string(shape.width) + "x" +
           std::to_string(shape.height) + ", " + std::to_string(shape.bits) + " bit, " +
           std::string(to_string(shape.pattern)) + ", seed " + std::to_string(seed);
}

void run(const Function &function, Workload &workload, Isa isa, const std::string &what) {
    const Call call = function.prepare(workload, isa);
    std::snprintf(running.data(), running.size(), "%s", what.c_str());
    call();
}

struct Tally {
    unsigned long trials = 0, failures = 0;
};

void check(const Function &function, const std::vector<Isa> &isas, const Options &options, Tally &tally) {
    std::uint32_t seed = options.seed;
    unsigned told = 0;
    for (const unsigned bits : function.depths)
        for (const int width : widths(options.quick))
            for (const Pattern pattern : kPatterns) {
                seed++;
                if (width < function.min_width || seed % options.sample != 0) continue;
                const int height = function.min_height + int(seed * 2654435761u >> 28); // up to 15 extra rows
                const Shape shape{width, height, bits, pattern};
                Workload expected(shape, seed, seed);
                run(function, expected, Isa::scalar, describe(function, Isa::scalar, shape, seed));
                for (const Isa isa : isas) {
                    Workload workload(shape, seed, seed + 0x10001u);
                    const std::string what = describe(function, isa, shape, seed);
                    run(function, workload, isa, what);
                    tally.trials++;
                    const std::string problem = workload.compare(expected, function.tolerance);
                    if (problem.empty()) continue;
                    tally.failures++;
                    if (told++ < 5) std::printf("%s: %s\n", what.c_str(), problem.c_str());
                }
            }
}

std::vector<Isa> chosen_isas(const std::string &only) {
    std::vector<Isa> list;
    for (const Isa isa : usable_isas())
        if (isa != Isa::scalar && (only.empty() || to_string(isa) == only)) list.push_back(isa);
    if (list.empty() && !only.empty()) throw invalid("this machine or build has no vector code named " + only);
    return list;
}

} // namespace

int main(int argc, char **argv) try {
    const Options options = parse(argc, argv);
    const std::vector<Isa> isas = chosen_isas(options.isa);
    for (const Isa isa : isas) std::printf("comparing %s with scalar code\n", std::string(to_string(isa)).c_str());
    std::signal(SIGSEGV, told_fault);
#ifdef SIGBUS
    std::signal(SIGBUS, told_fault);
#endif
    Tally all;
    const auto report = [&](const std::string &name, const Tally &tally) {
        std::printf("%-40s %7lu trials, %lu failures\n", name.c_str(), tally.trials, tally.failures);
        std::fflush(stdout);
        all.trials += tally.trials;
        all.failures += tally.failures;
    };
    const auto wanted = [&](const std::string &name) {
        if (name.find(options.filter) == std::string::npos) return false;
        if (options.list) std::printf("%s\n", name.c_str());
        return !options.list;
    };
    for (const Function &function : registered_functions()) {
        if (!wanted(function.name)) continue;
        Tally tally;
        check(function, isas, options, tally);
        report(function.name, tally);
    }
    for (const MetricCase &metric : metric_cases()) {
        if (!wanted(metric.name)) continue;
        Tally tally;
        for (const std::string &problem : check_metric(metric, isas, options.quick, tally.trials)) {
            if (tally.failures++ < 5) std::printf("%s: %s\n", metric.name.c_str(), problem.c_str());
        }
        report(metric.name, tally);
    }
    if (options.list) return 0;
    std::printf("%lu trials, %lu failures\n", all.trials, all.failures);
    return all.failures ? 1 : 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "equality: %s\n", e.what());
    return 2;
}
