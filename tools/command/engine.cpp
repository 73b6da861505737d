#include "engine.hpp"

#include <algorithm>
#include <cctype>

#include "guarded.hpp"
#include "io/video_file.hpp"
#include "say.hpp"

namespace vmaf::cli {

namespace {

constexpr std::size_t kMostKeptModels = 8;                   // sets of them
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 30; // of page-locked memory: a hundred pictures of 4K

bool ends_in_json(std::string path) {
    std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
    return path.ends_with(".json");
}

// The document of a run that could not get its backend (backends.md 5).
void write_descriptor(const Options &options, const Failure &failure) {
    if (failure.document().empty() || !options.output ||
        (options.format != ReportFormat::json && !ends_in_json(*options.output)))
        return;
    try {
        system::write_output_file(*options.output, [&](const auto &out) { out(failure.document()); });
    } catch (const Error &e) {
        say(e.what());
    }
}

} // namespace

void KeptEngine::forget_backend() {
    backend_.reset();
    release_video_devices();
}

std::shared_ptr<const BackendChoice> KeptEngine::backend(const BackendRequest &request) {
    if (backend_ && backend_->request == request) {
        for (const std::string &line : backend_->lines) say(line);
        return backend_->choice;
    }
    backend_.reset();
    auto made = std::make_unique<Backend>(Backend{.request = request,
                                                  .choice = nullptr,
                                                  .lines = {},
                                                  .blocks = std::make_shared<KeptBlocks>(kMostKeptBytes),
                                                  .clips = nullptr});
    made->choice =
        std::make_shared<BackendChoice>(choose_backend(request, gpu_backends(), [&](const std::string &line) {
            say(line);
            made->lines.push_back(line);
        }));
    std::shared_ptr<const BackendChoice> choice = made->choice;
    if (const auto device = choice->device)
        made->clips = std::make_shared<KeptClips>(
            KeptClips::Memory{device->info().memory_bytes, [device] { return device->free_memory(); }});
    if (choice->device) backend_ = std::move(made); // `auto` that found none looks again
    return choice;
}

std::shared_ptr<const ModelSets> KeptEngine::models(const std::vector<ModelArgument> &arguments) {
    // Overloads may have something to say each time.
    const bool is_lasting = std::all_of(arguments.begin(), arguments.end(), [](const ModelArgument &argument) {
        return !argument.version.empty() && argument.overloads.empty();
    });
    if (!is_lasting) return std::make_shared<ModelSets>(load_models(arguments));
    const auto known = std::find_if(models_.begin(), models_.end(),
                                    [&](const Models &models) { return models.arguments == arguments; });
    if (known != models_.end()) {
        std::rotate(models_.begin(), known, known + 1);
    } else {
        models_.push_front({arguments, std::make_shared<ModelSets>(load_models(arguments))});
        if (models_.size() > kMostKeptModels) models_.pop_back();
    }
    return models_.front().sets;
}

Engine start_engine(const Options &options, KeptEngine *kept) {
    KeptEngine for_one_run;
    const bool is_kept = kept;
    if (!is_kept) kept = &for_one_run;
    Engine engine;
    try {
        engine.backend = kept->backend(options.backend);
        if (is_kept && kept->backend_) {
            engine.blocks = kept->backend_->blocks;
            engine.clips = kept->backend_->clips;
        }
        check_pinned_features(options.features, options.backend, gpu_backends(), engine.backend->name);
    } catch (const Failure &failure) {
        write_descriptor(options, failure);
        throw;
    }
    if (engine.clips) guarded(ExitCode::frame, [&] { engine.clips->make_room(); });
    if (options.output) guarded(ExitCode::setup, [&] { system::check_output_file(*options.output); });
    if (options.output && options.format == ReportFormat::xml) warn_of_odd_names(options.models);
    engine.models = kept->models(options.models);
    return engine;
}

} // namespace vmaf::cli
