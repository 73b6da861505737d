#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "base/visible_text.hpp"
#include "parity.hpp"
#include "system/host.hpp"
#include "system/output_file.hpp"
#include "system/process.hpp"
#include "system/startup.hpp"

namespace {

using namespace vmaf;
using namespace vmaf::parity;

constexpr int kInterruptedStatus = 130;

void check_files(const Options &options) {
    if (!system::find_program(options.vmaf_binary))
        throw invalid("cannot find the program '" + options.vmaf_binary + "'; check --vmaf-binary");
    for (const std::string &clip : {options.reference, options.distorted})
        if (!system::file_stamp(clip)) throw invalid("cannot find the clip '" + clip + "'");
}

// Empty if the user interrupts.
std::optional<std::vector<Cell>> gate(const Options &options) {
    const Ceilings ceilings(options);
    std::vector<Cell> cells;
    for (const std::string &feature : options.features) {
        std::vector<Run> runs;
        for (const std::string &backend : options.backends) {
            runs.push_back(run_feature(options, feature, backend));
            if (system::interruptions()) return std::nullopt;
        }
        for (std::size_t a = 0; a < runs.size(); a++)
            for (std::size_t b = a + 1; b < runs.size(); b++) {
                Cell cell = compare(runs[a], runs[b], ceilings.of(feature.substr(0, feature.find('='))));
                cell.feature = feature;
                cell.backend_a = options.backends[a];
                cell.backend_b = options.backends[b];
                if (options.allow_skip && (runs[a].is_unusable || runs[b].is_unusable)) cell.status = Status::skip;
                std::puts(line(cell).c_str());
                system::output_arrives(); // main() checks again
                cells.push_back(std::move(cell));
            }
    }
    return cells;
}

void write(const std::string &path, const std::string &text) {
    if (!path.empty()) system::write_output_file(path, [&](const auto &out) { out(text); });
}

int run(int argc, char **argv) {
    system::prepare_standard_streams();
    system::Arguments words(argc, argv);
    const Options options = parse_arguments(words.count(), words.words());
    if (!options.help.empty()) return std::fputs(options.help.c_str(), stdout) < 0 ? 2 : 0;
    check_files(options);
    system::count_interruptions("\nvmaf-parity: finishing the current run; press Ctrl-C again to stop now\n");
    const std::optional<std::vector<Cell>> cells = gate(options);
    if (!cells) return kInterruptedStatus;
    write(options.json_out, json_report(*cells));
    write(options.md_out, markdown_report(*cells));
    for (const Cell &cell : *cells)
        if (cell.status == Status::fail || cell.status == Status::error) return 1;
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return system::end_with_output("vmaf-parity", run(argc, argv), 2);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "vmaf-parity: %s\n", visible_sentence(e.what()).c_str());
        return 2;
    }
}
