// Runs a feature on a backend: through the command, or through the library for backends that the command does not know.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "device/backends.hpp"
#include "device/host/host_device.hpp"
#include "io/clip_reader.hpp"
#include "metrics/registry.hpp"
#include "parity.hpp"
#include "scores/feature_name.hpp"
#include "session/metric_use.hpp"
#include "session/session.hpp"
#include "system/descriptor.hpp"
#include "system/files.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/process.hpp"

namespace vmaf::parity {

namespace {

constexpr int kExitBackend = 100;

bool is_gpu(std::string_view backend) { return find_backend(backend).has_value(); }

std::string suffix_of(std::string_view backend) {
    const auto found = find_backend(backend);
    return found ? std::string(kBackends[*found].suffix) : std::string();
}

// The --cpumask that leaves one instruction set, for names of instruction sets.
std::optional<unsigned> mask_for(const std::string &word) {
    const std::map<std::string, unsigned> masks = {{"scalar", 255}, {"avx2", 16 | 32}, {"avx512", 32}, {"neon", 2}};
    const auto found = masks.find(word);
    return found == masks.end() ? std::nullopt : std::optional(found->second);
}

struct Ended {
    int code;
    std::string error; // the start of its standard error
};

Ended execute(const std::vector<std::string> &words) try {
    constexpr std::size_t kKept = 4096;
    system::Pipe pipe = system::make_pipe();
    system::Launch launch;
    launch.words = words;
    launch.error = pipe.write.get();
    system::Process process(launch);
    pipe.write.reset();
    std::string error;
    std::array<char, kKept> piece;
    while (const std::size_t count = system::read_some(pipe.read.get(), std::as_writable_bytes(std::span(piece))))
        error.append(piece.data(), std::min(count, kKept - error.size()));
    return {process.wait(), error};
} catch (const Error &e) {
    return {127, e.what()};
}

std::string read_file(const std::string &path) {
    system::fs::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

Scores read_document(const std::string &path) {
    Scores scores;
    const nlohmann::json document = nlohmann::json::parse(read_file(path));
    for (const auto &frame : document.at("frames"))
        for (const auto &[metric, value] : frame.at("metrics").items())
            scores[metric][frame.at("frameNum").get<unsigned>()] =
                value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    return scores;
}

// The folder for documents: --workdir, or a temporary one.
class Folder {
  public:
    explicit Folder(const std::string &wanted) : path_(wanted) {
        if (!path_.empty()) return;
        path_ = system::make_new_folder(system::temporary_folder() + "/vmaf-parity-");
        is_ours_ = true;
    }
    ~Folder() {
        std::error_code ignored;
        if (is_ours_) system::fs::remove_all(path_, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string file(const char *name) const { return path_ + "/" + name; }

  private:
    std::string path_;
    bool is_ours_ = false;
};

// Adds a backend's suffix to the name, before its options.
std::string pinned(std::string feature, const std::string &suffix) {
    return feature.insert(std::min(feature.find('='), feature.size()), suffix);
}

// Parses "float_ssim=enable_lcs=true:scale=2".
std::pair<std::string, OptionTexts> name_and_options(const std::string &feature) {
    const std::size_t end = feature.find('=');
    if (end == std::string::npos) return {feature, {}};
    std::istringstream parts(feature.substr(end + 1));
    OptionTexts options;
    for (std::string part; std::getline(parts, part, ':');) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) throw invalid("--features: '" + part + "' is not NAME=VALUE");
        options[part.substr(0, equals)] = part.substr(equals + 1);
    }
    return {feature.substr(0, end), options};
}

PixelFormat pixel_format(const std::string &word) {
    if (word == "420") return PixelFormat::yuv420p;
    if (word == "422") return PixelFormat::yuv422p;
    if (word == "444") return PixelFormat::yuv444p;
    if (word == "400") return PixelFormat::yuv400p;
    throw invalid("--pixel-format must be 420, 422, 444 or 400");
}

std::unique_ptr<ClipReader> open_clip(const Options &o, const std::string &path) {
    return o.width ? open_raw_clip(path, {pixel_format(o.pixel_format), o.bits, o.width, o.height})
                   : open_y4m_clip(path);
}

// The feature's scores for cells, if requested. None if it refuses the clips, which its run reports.
std::vector<std::string> cell_scores(const Options &o, const std::string &feature) try {
    std::vector<std::string> names;
    const auto [name, options] = name_and_options(feature);
    const MetricInfo *const info = o.cell ? find_metric(name) : nullptr;
    if (!info) return names;
    const MetricUse use(*info, options, MetricUse::Place::cpu);
    for (const std::string_view local : use.make_prepared(open_clip(o, o.reference)->format())->local_names()) {
        const auto stored = use.stored_names().find(local);
        names.emplace_back(feature_alias(stored->second));
    }
    return names;
} catch (const Error &) {
    return {};
}

// The name of a cell's score: "psnr_y cell 7".
std::string cell_name(const std::string &score, std::size_t cell) { return score + " cell " + std::to_string(cell); }

// Reads a NumPy array of float32, frames x rows x columns, with a known number of frames.
void read_cells(const std::string &path, const std::string &score, std::size_t frames, Scores &scores) {
    constexpr std::size_t kLengthAt = 8, kHeaderAt = 10;
    const std::string text = read_file(path);
    if (text.size() < kHeaderAt || frames == 0) throw invalid("it has no cells");
    const auto length =
        static_cast<unsigned char>(text[kLengthAt]) + 256 * static_cast<unsigned char>(text[kLengthAt + 1]);
    const std::string_view data = std::string_view(text).substr(kHeaderAt + static_cast<std::size_t>(length));
    const std::size_t cells = data.size() / sizeof(float) / frames;
    for (std::size_t i = 0; i < cells * frames; i++) {
        float value = 0;
        std::memcpy(&value, data.data() + i * sizeof value, sizeof value);
        scores[cell_name(score, i % cells)][static_cast<unsigned>(i / cells)] = double(value);
    }
}

Run run_command(const Options &o, const std::string &feature, const std::string &backend) {
    const Folder folder(o.workdir);
    const std::string document = folder.file("scores.json");
    std::error_code ignored;
    system::fs::remove(document, ignored);
    const auto mask = mask_for(backend);
    std::vector<std::string> words = {o.vmaf_binary, "-r",
                                      o.reference,   "-d",
                                      o.distorted,   "--no_prediction",
                                      "--json",      "--precision",
                                      "max",         "-q",
                                      "-o",          document,
                                      "--feature",   pinned(feature, suffix_of(backend)),
                                      "--backend",   mask ? "cpu" : backend};
    const auto add = [&](const char *option, const std::string &value) { words.insert(words.end(), {option, value}); };
    if (o.width) {
        add("-w", std::to_string(o.width));
        add("-h", std::to_string(o.height));
        add("-p", o.pixel_format);
        add("-b", std::to_string(o.bits));
    }
    if (mask) add("--cpumask", std::to_string(*mask));
    if (const auto device = o.device.find(backend); device != o.device.end())
        add(("--" + backend + "_device").c_str(), std::to_string(device->second));
    const std::vector<std::string> cells = cell_scores(o, feature);
    for (const std::string &score : cells) {
        add("--map-of", score);
        add("--map", folder.file((score + ".npy").c_str()));
    }
    if (!cells.empty()) add("--map-cell", std::to_string(o.cell));
    Run run;
    const auto [code, error] = execute(words);
    if (code == 0) {
        try {
            run.scores = read_document(document);
            const std::size_t frames = run.scores.empty() ? 0 : run.scores.begin()->second.size();
            for (const std::string &score : cells)
                read_cells(folder.file((score + ".npy").c_str()), score, frames, run.scores);
        } catch (const std::exception &e) {
            run.error = std::string("its document cannot be read: ") + e.what();
        }
    } else {
        run.error = error.substr(0, 200);
        if (run.error.empty()) run.error = "exit code " + std::to_string(code);
        run.is_unusable = code == kExitBackend;
    }
    return run;
}

// Runs on the host device, through the library.
Run run_library(const Options &o, const std::string &feature) {
    Run run;
    try {
        const auto reference = open_clip(o, o.reference), distorted = open_clip(o, o.distorted);
        Session session({.threads = 1});
        session.use_device({.device = open_host_device(), .is_explicit = true});
        const auto [name, options] = name_and_options(feature);
        session.use_feature(name + "_host", options);
        if (const std::vector<std::string> cells = cell_scores(o, feature); !cells.empty()) {
            LocalConfig config;
            config.cell_scores = cells;
            config.cell_size = static_cast<int>(o.cell);
            config.on_cells = [&run, cells](const CellFrame &frame) {
                for (std::size_t s = 0; s < cells.size(); s++)
                    for (std::size_t i = 0; i < frame.scores[s].size(); i++)
                        run.scores[cell_name(cells[s], i)][frame.index] =
                            double(float(frame.scores[s][i])); // maps store floats
            };
            session.use_local_scores(std::move(config));
        }
        for (unsigned i = 0;; i++) {
            Picture ref = Picture::allocate(reference->format()), dist = Picture::allocate(distorted->format());
            if (!reference->read(ref) || !distorted->read(dist)) break;
            session.read(std::move(ref), std::move(dist), i);
        }
        session.flush();
        for (const std::string &name : session.scores().names())
            for (unsigned i = 0; i < session.scores().frame_capacity(); i++)
                if (const auto value = session.scores().find(name, i)) // documents have null for infinities and NaN
                    run.scores[std::string(feature_alias(name))][i] =
                        std::isfinite(*value) ? *value : std::numeric_limits<double>::quiet_NaN();
    } catch (const std::exception &e) {
        run.error = std::string(e.what()).substr(0, 200);
    }
    return run;
}

} // namespace

Run run_feature(const Options &options, const std::string &feature, const std::string &backend) {
    return backend == "host" ? run_library(options, feature) : run_command(options, feature, backend);
}

std::vector<std::string> features_of(const std::vector<std::string> &backends) {
    const bool on_devices =
        std::any_of(backends.begin(), backends.end(), [](const std::string &b) { return b == "host" || is_gpu(b); });
    std::vector<std::string> names;
    for (const MetricInfo *metric : all_metrics())
        if (!metric->provides.empty() && metric->name != "null" && (metric->on_devices || !on_devices))
            names.emplace_back(metric->name);
    return names;
}

} // namespace vmaf::parity
