// Which metrics a session runs, and where.
#include <algorithm>

#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "session/session_impl.hpp"
#include "system/log.hpp"
#include "system/program.hpp"

namespace vmaf {

namespace {

// Cells of a map take much longer to predict on one thread than the frame on a device.
constexpr unsigned kMostFinishers = 16;
unsigned finishing_threads() {
    const unsigned others = std::max(system::usable_processors(), 3u) - 2; // than those that read and collect
    return system::has_threads() ? std::min(others, kMostFinishers) : 0;
}

} // namespace

void Session::Impl::use_device(const DeviceChoice &choice) {
    refuse_inside_handler();
    device.use(choice);
}

void Session::Impl::start_wished_device() {
    if (!device.start_wished() || config.gpumask) return;
    for (const auto &use : metrics.uses()) use->allow_device();
}

std::unique_ptr<MetricUse> Session::Impl::make_use(const MetricInfo &info, const OptionTexts &options,
                                                   bool pinned) const {
    const DeviceStage *const stage = device.stage();
    if (pinned && stage && stage->prepared())
        throw invalid("feature '" + std::string(info.name) + "_" + std::string(stage->backend()) +
                      "' was registered too late: register a device's metrics before the first pictures");
    // With a gpumask only pinned features run on the device (backends.md 4.3).
    const auto place = pinned                     ? MetricUse::Place::pinned
                       : stage && !config.gpumask ? MetricUse::Place::device
                                                  : MetricUse::Place::cpu;
    return std::make_unique<MetricUse>(info, options, place);
}

void Session::Impl::add(MetricSet::Uses uses) {
    refuse_inside_handler();
    metrics.add(std::move(uses), format_ ? &*format_ : nullptr, frames_given_ > 0);
}

void Session::Impl::use_local_scores(LocalConfig wanted) {
    if (format_) throw invalid("maps and regions must be added before the first pictures");
    local_config_ = std::move(wanted);
}

// All uses or none.
void Session::Impl::prepare(const PictureFormat &format) {
    check_format_is_kept(format);
    if (format_) return; // later uses were prepared when registered
    start_wished_device();
    std::vector<std::unique_ptr<Metric>> prepared;
    std::vector<LocalScores::Prepared> with_uses;
    for (const auto &use : metrics.uses()) {
        prepared.push_back(use->make_prepared(format));
        with_uses.push_back({use.get(), prepared.back().get()});
    }
    std::unique_ptr<LocalScores> made;
    if (local_config_) made = std::make_unique<LocalScores>(*local_config_, format, with_uses, isa);
    std::vector<DeviceStage::Candidate> candidates;
    for (const auto &[use, metric] : with_uses)
        candidates.push_back({use, metric, made && made->needs(*use) ? &made->all_tiles() : nullptr});
    device.prepare(format, candidates);
    if (made) made->split_by([this](const MetricUse &use) { return is_on_device(use); });
    for (std::size_t i = 0; i < prepared.size(); i++) metrics.uses()[i]->take(std::move(prepared[i]));
    local = std::move(made);
    if (local && device.pipeline()) queue_.use_finishers(finishing_threads());
    // Only single metrics support tiles.
    metrics.form_families([this](const MetricUse &use) { return !is_on_device(use); }, !local);
    if (device.stage()) queue_.allow_in_flight(device.stage()->frames_in_flight());
    format_ = format;
    device.make_final();
}

void Session::use_device(const DeviceChoice &choice) { impl_->use_device(choice); }
void Session::wish(const BackendWish &wish) { impl_->device.take(impl_->device.with(wish)); }
const BackendWish &Session::wish() const { return impl_->device.wish(); }
void Session::start_device() { impl_->start_wished_device(); }
std::shared_ptr<Device> Session::shared_device() const {
    const DeviceStage *const stage = impl_->device.stage();
    return stage ? stage->shared_device() : nullptr;
}
Device *Session::device() const {
    const DeviceStage *const stage = impl_->device.stage();
    return stage ? &stage->device() : nullptr;
}
std::string_view Session::backend_used() const {
    const DeviceStage *const stage = impl_->device.stage();
    return stage && stage->has_scored() ? stage->backend() : "cpu";
}

std::vector<std::pair<std::string, std::string>> Session::feature_backends() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto &use : impl_->metrics.uses()) {
        const std::string name(use->info().name);
        if (!impl_->is_on_device(*use)) {
            out.emplace_back(name, "cpu");
            continue;
        }
        const std::string backend(impl_->device.stage()->backend());
        out.emplace_back(name + "_" + backend, backend);
    }
    return out;
}

std::vector<std::string> Session::features_off_device() const {
    std::vector<std::string> names;
    if (!impl_->device.stage()) return names;
    for (const auto &use : impl_->metrics.uses())
        if (!impl_->is_on_device(*use)) names.emplace_back(use->info().name);
    return names;
}

bool Session::reads_chroma() const {
    const DevicePipeline *const pipeline = impl_->device.pipeline();
    if (pipeline && pipeline->planes() > 1) return true;
    const auto &uses = impl_->metrics.uses();
    return std::any_of(uses.begin(), uses.end(),
                       [&](const auto &use) { return use->reads_chroma() && !impl_->is_on_device(*use); });
}

ExtractorName Session::find_extractor(std::string_view extractor, const OptionTexts &options) const {
    const std::string active = impl_->device.active_backend(options);
    ExtractorName name = parse_extractor_name(extractor, active);
    if (!name.backend.empty() && name.backend != active)
        throw invalid("feature '" + std::string(extractor) + "' is pinned to " + name.backend +
                      " backend, which is not active");
    if (!name.info)
        throw invalid("there is no feature extractor '" + std::string(extractor) +
                      "'; `vmaf --list_features` lists all");
    return name;
}

void Session::use_feature(std::string_view extractor, const OptionTexts &options) {
    const ExtractorName name = find_extractor(extractor, options);
    OptionTexts own = options;
    BackendWish wish = impl_->device.with(BackendWish::take_from(own));
    for (const std::string &option : unknown_options(name.info->options, own))
        log(LogLevel::warning,
            "feature '" + std::string(extractor) + "' has no option '" + option + "'; it is ignored");
    MetricSet::Uses uses;
    uses.push_back(impl_->make_use(*name.info, own, !name.backend.empty()));
    impl_->add(std::move(uses));
    impl_->device.take(std::move(wish));
}

void Session::use_features_of(std::span<const Model> models) {
    MetricSet::Uses uses;
    BackendWish wish;
    for (const Model &model : models) wish.add(model.wish());
    wish = impl_->device.with(wish);
    for (const Model &model : models)
        for (const Model::Feature &feature : model.features()) {
            const MetricInfo *info = provider_of(feature.name);
            if (!info)
                throw invalid("no feature extractor provides '" + feature.name + "', which model '" + model.name() +
                              "' needs");
            uses.push_back(impl_->make_use(*info, feature.options, false));
        }
    impl_->add(std::move(uses));
    impl_->device.take(std::move(wish));
    impl_->predictions.mount(models);
}

void Session::use_features_of(const Model &model) { use_features_of({&model, 1}); }
void Session::use_features_of(const ModelCollection &collection) { use_features_of(collection.members()); }

void Session::use_local_scores(LocalConfig config) { impl_->use_local_scores(std::move(config)); }
const LocalScores *Session::local_scores() const { return impl_->local.get(); }
void Session::prepare(const PictureFormat &format) { impl_->prepare(format); }

std::vector<std::string> Session::registered() const {
    std::vector<std::string> list;
    for (const auto &use : impl_->metrics.uses()) list.push_back(use->identity());
    return list;
}

std::vector<std::string> Session::score_names() const {
    std::vector<std::string> list;
    for (const auto &use : impl_->metrics.uses())
        for (const auto &[provided, stored] : use->stored_names()) list.push_back(stored);
    return list;
}

} // namespace vmaf
