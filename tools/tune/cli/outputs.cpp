#include "cli/outputs.hpp"

#include <set>

#include "base/option_items.hpp"
#include "base/visible_text.hpp"
#include "cli/command_error.hpp"
#include "cli/progress.hpp"
#include "system/output_file.hpp"
#include "system/terminal.hpp"

namespace vmaf::tune {

CommandFiles files_of(const RunningOptions &o) { return {{{"the configuration", o.config}}, {o.output, o.log}}; }

CommandFiles files_of(const ProbeRequest &o) {
    CommandFiles files = files_of(static_cast<const RunningOptions &>(o));
    files.inputs.push_back({"the list of sources", o.source_list});
    constexpr std::string_view kPath = "path=";
    if (const std::size_t at = o.model.find(kPath); at != std::string::npos)
        files.inputs.push_back(
            {"the model", o.model.substr(at + kPath.size(), item_end(o.model, at) - at - kPath.size())});
    for (const std::string &path : o.sources) files.inputs.push_back({"the source", path, true});
    files.outputs.insert(files.outputs.end(), o.outputs.begin(), o.outputs.end());
    return files;
}

void check_output(const CommandFiles &files, const std::string &output) {
    if (output.empty()) return;
    for (const CommandFiles::Input &input : files.inputs)
        if (!input.path.empty() && system::would_overwrite(output, input.path))
            throw usage_error("'" + output + "' would overwrite " + input.what + " '" + input.path +
                              "'; give another output" + (input.is_source ? ", or --overwrite-input to `encode`" : ""));
}

void check_files(const CommandFiles &files) {
    std::set<std::string> places;
    for (const std::string &path : files.outputs) {
        check_output(files, path);
        if (path.empty() || path == "-" || path.starts_with("/dev/")) continue;
        if (!places.insert(system::place_of_output(path)).second)
            throw usage_error("two outputs would be written to '" + path + "'; give each a name of its own");
    }
}

void print_answer(const std::string &text) {
    Progress::make_way();
    const std::string shown = system::is_terminal(system::Stream::output) ? visible_lines(text) : text;
    system::write_output_file("-", [&](const auto &out) { out(shown); });
}

} // namespace vmaf::tune
