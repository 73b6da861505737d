#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "device/backend_wish.hpp"
#include "exit_code.hpp"
#include "option_table.hpp"
#include "system/output_file.hpp"
#include "system/parse_double.hpp"
#include "system/program.hpp"

namespace vmaf::cli {

namespace {

constexpr unsigned kMaxThreads = 1024, kMaxJobs = 256;

unsigned parse_threads(const std::string &text) {
    if (text == "auto") return system::usable_processors();
    const std::uint32_t count = parse_unsigned("threads", text);
    if (count > kMaxThreads)
        throw usage_error("option --threads: " + text + " is not a number of threads; use 0 to " +
                          std::to_string(kMaxThreads) + ", or auto");
    if (count > 1 && !system::has_threads())
        throw usage_error("option --threads: WebAssembly has no threads; use 0, 1 or auto");
    return count;
}

unsigned parse_jobs(const std::string &text) {
    if (text == "auto") return system::usable_processors();
    const std::uint32_t count = parse_unsigned("jobs", text);
    if (count < 1 || count > kMaxJobs)
        throw usage_error("option --jobs: " + text + " is not a number of pairs to score at once; use 1 to " +
                          std::to_string(kMaxJobs) + ", or auto");
    return count;
}

PixelFormat parse_pixel_format(const std::string &text) {
    if (text == "420") return PixelFormat::yuv420p;
    if (text == "422") return PixelFormat::yuv422p;
    if (text == "444") return PixelFormat::yuv444p;
    if (text == "400") return PixelFormat::yuv400p;
    throw usage_error("option --pixel_format: '" + text + "' is not supported; use 420, 422, 444 or 400");
}

unsigned parse_bitdepth(const std::string &text) {
    const std::uint32_t bits = parse_unsigned("bitdepth", text);
    if (bits != 8 && bits != 10 && bits != 12 && bits != 16)
        throw usage_error("option --bitdepth: '" + text + "' is not valid; use 8, 10, 12 or 16");
    return bits;
}

void set_precision(Options &options, const std::string &text) {
    const bool is_number = !text.empty() && text.size() <= 2 &&
                           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const int digits = is_number ? std::atoi(text.c_str()) : text == "max" || text == "full" ? 17 : 0;
    if (text == "legacy")
        options.numbers = NumberFormat::six_decimals();
    else if (digits >= 1 && digits <= 17)
        options.numbers = NumberFormat::significant(digits);
    else
        throw usage_error("option --precision: '" + text + "' is not valid; use 1 to 17, max, full or legacy");
    options.score_numbers = options.numbers;
}

// "1,5,50": each from 0 to 100, in the given order.
std::vector<double> parse_percentiles(const std::string &text) {
    std::vector<double> list;
    for (const std::string &item : split(text, ',')) {
        double p = -1;
        const auto [stop, error] = parse_double(item.data(), item.data() + item.size(), p);
        if (error != std::errc() || stop != item.data() + item.size() || !(p >= 0 && p <= 100))
            throw usage_error("option --percentiles: '" + item +
                              "' is not a number from 0 to 100; write a list such as 1,5,50");
        p += 0.0; // -0 is 0
        if (!contains(list, p)) list.push_back(p);
    }
    return list;
}

// Handlers of options.

std::string named_file(const std::string &name, const std::string &value, const char *more = "") {
    if (value.empty()) throw usage_error("option --" + name + " needs the name of a file" + more);
    return value;
}

void set_distorted(Options &options, const std::string &, const std::string &value) {
    if (options.distorted.empty())
        options.distorted = value;
    else
        options.more_distorted.push_back(value);
}

RawGeometry &raw_geometry(Options &options) {
    options.is_raw = true;
    return options.geometry;
}

void set_backend(Options &options, const std::string &, const std::string &text) {
    if (text != "auto" && text != "cpu" && !find_backend(text))
        throw usage_error("option --backend: '" + text + "' is not supported; use " + backend_words(", ", " or "));
    options.backend.name = text;
}

// --no_cuda, --no_cuda=true, --no_cuda=false.
void set_no_backend(Options &options, const std::string &name, const std::string &value) {
    const std::string_view backend = std::string_view(name).substr(std::string_view("no_").size());
    if (!value.empty() && value != "true" && value != "false")
        throw usage_error("option --" + name + ": '" + value + "' is not valid; use true or false");
    if (const auto i = find_backend(backend)) options.backend.is_off[*i] = value != "false";
}

void set_device(Options &options, const std::string &name, const std::string &value) {
    const std::string_view backend = std::string_view(name).substr(0, name.find('_'));
    options.backend.device[*find_backend(backend)] = parse_unsigned(name, value);
}

void refuse_vulkan(Options &, const std::string &name, const std::string &) {
    throw usage_error("option --" + name + ": the vulkan backend is not supported; use " + backend_words(", ", " or "));
}

void refuse_neural(Options &, const std::string &name, const std::string &) {
    throw usage_error("option --" + name + ": neural models are not supported; leave the option out");
}

void set_video(Options &options, const std::string &name, const std::string &value) {
    set_video_option(options.video, name, value);
}

void set_local(Options &options, const std::string &name, const std::string &value) {
    set_local_option(options.local, name, value);
}

using O = Options;
using S = const std::string;
constexpr bool kReference = true;

template <auto Member, auto Value> void set_to(O &o, S &, S &) { o.*Member = Value; }
template <auto Member> void set_number(O &o, S &name, S &value) { o.*Member = parse_unsigned(name, value); }

using enum OptionValue;
constexpr auto kPlainOptions = std::to_array<CommandOption>({
    {"reference", 'r', required, [](O &o, S &, S &value) { o.reference = value; }, kReference},
    {"distorted", 'd', required, set_distorted, kReference},
    {"width", 'w', required, [](O &o, S &name, S &v) { raw_geometry(o).width = parse_unsigned(name, v); }, kReference},
    {"height", 'h', required, [](O &o, S &name, S &v) { raw_geometry(o).height = parse_unsigned(name, v); },
     kReference},
    {"pixel_format", 'p', required, [](O &o, S &, S &v) { raw_geometry(o).pixel_format = parse_pixel_format(v); },
     kReference},
    {"bitdepth", 'b', required, [](O &o, S &, S &v) { raw_geometry(o).bits = parse_bitdepth(v); }, kReference},
    {"model", 'm', required, [](O &o, S &, S &v) { o.models.push_back(parse_model_argument(v)); }, kReference},
    {"feature", 0, required, [](O &o, S &, S &v) { o.features.push_back(parse_feature_argument(v)); }, kReference},
    {"output", 'o', required, [](O &o, S &, S &v) { o.output = v; }, kReference},
    {"xml", 0, none, set_to<&O::format, ReportFormat::xml>, kReference},
    {"json", 0, none, set_to<&O::format, ReportFormat::json>, kReference},
    {"csv", 0, none, set_to<&O::format, ReportFormat::csv>, kReference},
    {"sub", 0, none, set_to<&O::format, ReportFormat::sub>, kReference},
    {"threads", 0, required, [](O &o, S &, S &v) { o.threads = parse_threads(v); }, kReference},
    {"subsample", 0, required, set_number<&O::subsample>, kReference},
    {"cpumask", 'c', required, set_number<&O::cpumask>, kReference},
    {"gpumask", 0, required, [](O &o, S &name, S &v) { o.backend.gpumask = parse_unsigned(name, v); }, kReference},
    {"frame_cnt", 0, required, set_number<&O::frame_count>, kReference},
    {"frame_skip_ref", 0, required, set_number<&O::skip_reference>, kReference},
    {"frame_skip_dist", 0, required, set_number<&O::skip_distorted>, kReference},
    {"aom_ctc", 0, required, [](O &o, S &, S &v) { apply_aom_preset(o, v); }, kReference},
    {"nflx_ctc", 0, required, [](O &o, S &, S &v) { apply_nflx_preset(o, v); }, kReference},
    {"no_prediction", 'n', none, set_to<&O::no_prediction, true>, kReference},
    {"quiet", 'q', none, set_to<&O::quiet, true>, kReference},
    {"version", 'v', none, set_to<&O::action, Action::version>, kReference, true},
    {"precision", 0, required, [](O &o, S &, S &v) { set_precision(o, v); }},
    {"percentiles", 0, required, [](O &o, S &, S &v) { o.percentiles = parse_percentiles(v); }},
    {"ndjson", 0, required, [](O &o, S &name, S &v) { o.ndjson = named_file(name, v, ", or - for standard output"); }},
    {"backend", 0, required, set_backend},
    {"cuda", 0, none, [](O &o, S &name, S &) { set_backend(o, name, name); }}, // the spelling of other VMAF tools
    {"no_vulkan", 0, optional, set_no_backend},
    {"vulkan_device", 0, required, refuse_vulkan},
    {"list", 0, required, [](O &o, S &name, S &v) { o.list = named_file(name, v); }},
    {"jobs", 0, required, [](O &o, S &, S &v) { o.jobs = parse_jobs(v); }},
    {"strict_length", 0, none, set_to<&O::strict_length, true>},
    {"align", 0, required, set_video},
    {"pair", 0, required, set_video},
    {"missing", 0, required, set_video},
    {"scaler", 0, required, set_video},
    {"range", 0, required, set_video},
    {"crop", 0, required, set_video},
    {"hwaccel", 0, required, set_video},
    {"film_grain", 0, required, set_video},
    {"deinterlace", 0, none, set_video},
    {"mismatch", 0, required, set_video},
    {"map", 0, required, set_local},
    {"map-of", 0, required, set_local},
    {"map-cell", 0, required, set_local},
    {"region", 0, required, set_local},
    {"regions", 0, required, set_local},
    {"serve", 0, none, set_to<&O::action, Action::serve>},
    {"capabilities", 0, none, set_to<&O::action, Action::capabilities>},
    {"list_models", 0, none, set_to<&O::action, Action::list_models>},
    {"list_features", 0, none, set_to<&O::action, Action::list_features>},
    {"help", 0, none, set_to<&O::action, Action::help>, false, true},
    {"tiny-model", 0, required, refuse_neural},
    {"tiny-device", 0, required, refuse_neural},
    {"tiny-threads", 0, required, refuse_neural},
    {"tiny-fp16", 0, none, refuse_neural},
    {"tiny-model-verify", 0, none, refuse_neural},
    {"dnn-ep", 0, required, refuse_neural},
    {"no-reference", 0, none, refuse_neural},
    {"tiny_model", 0, required, refuse_neural},
    {"tiny_device", 0, required, refuse_neural},
    {"tiny_threads", 0, required, refuse_neural},
    {"tiny_fp16", 0, none, refuse_neural},
    {"tiny_model_verify", 0, none, refuse_neural},
    {"dnn_ep", 0, required, refuse_neural},
    {"no_reference", 0, none, refuse_neural},
});

template <class T> void limit(const std::vector<T> &list, std::size_t most, const char *option) {
    if (list.size() > most)
        throw usage_error("option --" + std::string(option) + ": at most " + std::to_string(most) +
                          " can be given, presets included");
}

void check_backend(const BackendRequest &request) {
    const auto backend = find_backend(request.name);
    if (!backend) return;
    if (request.is_off[*backend])
        throw usage_error("--backend " + request.name + " contradicts --no_" + request.name +
                          "; leave one of them out");
    if (request.gpumask.value_or(0))
        throw usage_error("--backend " + request.name + " contradicts --gpumask, which " +
                          (request.gpumask == 0xffffffffu ? "forbids every GPU" : "keeps models on the CPU") +
                          "; leave one of them out");
}

// Treats `turbo.` options of models and features like --backend.
void take_wishes(Options &options) try {
    BackendWish wish;
    for (ModelArgument &model : options.models)
        std::erase_if(model.overloads, [&](const ModelArgument::Overload &overload) {
            if (overload.extractor != BackendWish::kName) return false;
            BackendWish one;
            one.set(overload.option, overload.value);
            wish.add(one);
            return true;
        });
    for (FeatureArgument &feature : options.features) wish.add(BackendWish::take_from(feature.options));
    if (wish.empty()) return;
    if (wish.backend.empty() && options.backend.name != "auto") wish.backend = options.backend.name;
    wish.check_device();
    BackendRequest &request = options.backend;
    if (request.name != "auto" && request.name != wish.backend)
        throw invalid("turbo.backend=" + wish.backend + " contradicts --backend " + request.name +
                      "; leave one of them out");
    request.name = wish.backend;
    if (wish.device) request.device[find_backend(wish.backend).value()] = wish.device;
} catch (const Error &e) {
    throw usage_error(e.what());
}

// Compares files, however their paths are spelled, through links and mounts. Devices may be used twice.
void check_outputs_differ(const Options &options) {
    std::map<std::string, std::string> writers;
    const auto add = [&](const std::string &path, const char *option) {
        if (path.starts_with("/dev/")) return;
        const auto [other, is_new] = writers.emplace(path == "-" ? path : system::place_of_output(path), option);
        if (!is_new)
            throw usage_error(other->second + " and " + option + " would both write " + path +
                              "; choose another file for one");
    };
    if (options.output) add(*options.output, "--output");
    if (options.ndjson) add(*options.ndjson, "--ndjson");
    for (const MapArgument &map : options.local.maps) add(map.path, "--map");
}

// Checks in the order of cli-and-formats.md 3.
void check_run(Options &options) {
    if (!options.list.empty() && (!options.reference.empty() || !options.distorted.empty()))
        throw usage_error("--list provides all clips; leave out --reference and --distorted");
    if (!has_many_pairs(options) && options.jobs)
        throw usage_error("--jobs is for several pairs; give a --list, or --distorted more than once");
    if (has_many_pairs(options) && options.ndjson)
        throw usage_error("--ndjson writes the frames of one pair; run the pairs one by one, or use --json");
    check_outputs_differ(options);
    check_local_options(options.local);
    if (has_many_pairs(options) && !options.local.maps.empty())
        throw usage_error("--map writes the map of one pair; run the pairs one by one");
    const bool is_single = options.list.empty();
    if (is_single && options.reference.empty())
        throw usage_error("the reference clip is missing; give it with --reference PATH");
    if (is_single && options.distorted.empty())
        throw usage_error("the distorted clip is missing; give it with --distorted PATH");
    if (!options.more_distorted.empty()) {
        std::vector<std::string> clips = options.more_distorted;
        clips.insert(clips.end(), {options.reference, options.distorted});
        if (std::find(clips.begin(), clips.end(), "-") != clips.end())
            throw usage_error("with several --distorted clips none can come from standard input; give files");
        if (std::find(clips.begin(), clips.end(), "") != clips.end())
            throw usage_error("the name of a --distorted clip is empty; leave it out, or give a file");
    }
    const RawGeometry &g = options.geometry;
    if (options.is_raw && (!g.width || !g.height || g.pixel_format == PixelFormat::unknown || !g.bits))
        throw usage_error("raw clips need all of --width, --height, --pixel_format and --bitdepth; for YUV4MPEG2 clips "
                          "leave out all four");
    if (options.models.empty() && !options.no_prediction)
        options.models.push_back(parse_model_argument("version=vmaf_v0.6.1"));
    std::set<std::string> names;
    for (const ModelArgument &model : options.models)
        if (!names.insert(model.config.name).second)
            throw usage_error("two models are named '" + model.config.name +
                              "'; give each --model a name of its own with name=NAME");
    take_wishes(options);
    check_backend(options.backend);
}

} // namespace

const std::vector<CommandOption> &command_options() {
    static const std::vector<CommandOption> list = [] {
        std::vector<CommandOption> all(kPlainOptions.begin(), kPlainOptions.end());
        for (const BackendRow &row : kBackends) {
            all.push_back({row.off_flag, 0, OptionValue::optional, set_no_backend});
            if (!row.device_flag.empty()) all.push_back({row.device_flag, 0, OptionValue::required, set_device});
        }
        return all;
    }();
    return list;
}

std::uint32_t parse_unsigned(const std::string &option, const std::string &text) {
    char *end = nullptr;
    const unsigned long long number = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || end != text.c_str() + text.size() || end == text.c_str())
        throw usage_error("option --" + option + ": '" + text + "' is not a whole number");
    return static_cast<std::uint32_t>(number);
}

Options parse_command_line(std::span<const char *const> arguments) {
    Options options;
    options.score_numbers = NumberFormat::six_decimals();
    const std::vector<FoundOption> list = scan_command_line(arguments);
    for (const FoundOption &found : list) {
        found.option->set(options, std::string(found.option->name), found.value);
        limit(options.models, kMaxModels, "model");
        limit(options.features, kMaxFeatures, "feature");
    }
    if (options.action == Action::serve && list.size() > 1)
        throw usage_error("--serve takes no other options; they are part of each request");
    if (options.action == Action::score) check_run(options);
    return options;
}

} // namespace vmaf::cli
