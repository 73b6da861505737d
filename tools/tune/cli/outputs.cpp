#include "cli/outputs.hpp"

#include <set>
#include <vector>

#include "cli/command_error.hpp"
#include "models.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"

namespace vmaf::tune {

namespace {

struct Input {
    const char *what;
    std::string path;
    bool is_source = false;
};

std::vector<Input> inputs_of(const Options &o) {
    std::vector<Input> inputs = {
        {"the list of sources", o.source_list}, {"the rows", o.from_corpus}, {"the configuration", o.config}};
    for (const auto &files : o.files)
        for (const CommandFiles::Input &input : files().inputs) inputs.push_back({input.what, input.path});
    constexpr std::string_view kPath = "path=";
    if (const std::size_t at = o.model.find(kPath); at != std::string::npos)
        inputs.push_back(
            {"the model", o.model.substr(at + kPath.size(), cli::item_end(o.model, at) - at - kPath.size())});
    if (!o.overwrite_input)
        for (const std::string &path : o.sources) inputs.push_back({"the source", path, true});
    return inputs;
}

void check(const std::vector<Input> &inputs, const std::string &output) {
    if (output.empty()) return;
    for (const Input &input : inputs)
        if (!input.path.empty() && system::would_overwrite(output, input.path))
            throw usage_error("'" + output + "' would overwrite " + input.what + " '" + input.path +
                              "'; give another output" + (input.is_source ? ", or --overwrite-input to `encode`" : ""));
}

} // namespace

void check_output(const Options &options, const std::string &path) { check(inputs_of(options), path); }

void check_outputs(const Options &o) {
    std::vector<std::string> outputs = {o.output, o.log};
    for (const auto &files : o.files)
        for (const std::string &path : files().outputs) outputs.push_back(path);
    outputs.insert(outputs.end(), o.outputs.begin(), o.outputs.end());
    const std::vector<Input> inputs = inputs_of(o);
    std::set<system::fs::path> places;
    for (const std::string &path : outputs) {
        check(inputs, path);
        std::error_code error;
        if (path.empty() || path == "-" || path.starts_with("/dev/")) continue;
        if (!places.insert(system::fs::weakly_canonical(path, error)).second)
            throw usage_error("two outputs would be written to '" + path + "'; give each a name of its own");
    }
}

} // namespace vmaf::tune
