#include "model/model.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "metrics/registry.hpp"
#include "model/model_data.hpp"
#include "scores/feature_name.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

std::vector<std::string> names_of(const std::vector<Model::Feature> &features) {
    std::vector<std::string> names;
    names.reserve(features.size());
    for (const Model::Feature &feature : features)
        names.push_back(stored_name_for_model(feature.name, feature.options));
    return names;
}

} // namespace

Model::Model(std::unique_ptr<Data> data) {
    form_names(*data);
    data_ = std::move(data);
}
Model::Model(const Model &) noexcept = default;
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(const Model &) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

const std::string &Model::name() const { return data_->name; }
const std::vector<Model::Feature> &Model::features() const { return data_->features; }
const BackendWish &Model::wish() const { return data_->wish; }

void Model::overload(std::string_view extractor, const OptionTexts &options) {
    const MetricInfo *metric = find_metric(extractor);
    if (!metric && extractor != BackendWish::kName) return;
    auto changed = std::make_shared<Data>(*data_);
    if (extractor == BackendWish::kName)
        for (const auto &[key, text] : options) changed->wish.set(key, text);
    for (Feature &feature : changed->features)
        if (provider_of(feature.name) == metric)
            for (const auto &[key, text] : options) feature.options.insert_or_assign(key, text);
    form_names(*changed);
    data_ = std::move(changed);
}

void Model::warn_of_idle_overload(std::string_view extractor, const OptionTexts &options) const {
    if (extractor == BackendWish::kName) return;
    const MetricInfo *const metric = find_metric(extractor);
    const auto warn = [&](const std::string &sentence) { log(LogLevel::warning, sentence); };
    if (!metric || std::none_of(features().begin(), features().end(),
                                [&](const Feature &f) { return provider_of(f.name) == metric; })) {
        for (const auto &[option, text] : options)
            warn("model '" + name() + "' uses no feature '" + std::string(extractor) + "'; '" + std::string(extractor) +
                 "." + option + "' has no effect");
        return;
    }
    for (const std::string &option : unknown_options(metric->options, options))
        warn("feature '" + std::string(extractor) + "' has no option '" + option + "'; it has no effect on model '" +
             name() + "'");
}

// A model with bad features or options loads; the error appears when its names are needed (models.md 1.7).
void Model::form_names(Data &data) {
    data.stored_names.reset();
    try {
        data.stored_names = names_of(data.features);
    } catch (const Error &) {
    }
}

const std::vector<std::string> &Model::stored_names() const {
    if (!data_->stored_names) names_of(data_->features); // throws
    return data_->stored_names.value();
}

namespace {

// Normalised values of a frame's features, and their inverse (models.md 2.1).
class Inputs {
  public:
    Inputs(const std::array<double, kMaxFeatures + 1> &slopes, const std::array<double, kMaxFeatures + 1> &intercepts,
           bool rescale)
        : slopes_(slopes), intercepts_(intercepts), rescale_(rescale) {}

    void set(std::size_t i, double value) {
        values_[i] = rescale_ ? slopes_[i + 1] * value + intercepts_[i + 1] : value;
    }
    double denormalised(std::size_t i) const {
        return rescale_ ? (values_[i] - intercepts_[i + 1]) / slopes_[i + 1] : values_[i];
    }
    double denormalised_score(double p) const { return rescale_ ? (p - intercepts_[0]) / slopes_[0] : p; }
    std::span<const double> first(std::size_t count) const { return {values_.data(), count}; }

  private:
    const std::array<double, kMaxFeatures + 1> &slopes_, &intercepts_;
    bool rescale_;
    std::array<double, kMaxFeatures> values_;
};

// Replaces a chroma score of exactly 0 by one derived from the luma (models.md 2.2). Visits features once, in order:
// the order decides which error is reported.
void correct_chroma(const std::vector<Model::Feature> &features, double parameter, Inputs &inputs) {
    if (parameter == 0) throw invalid("the model's chroma_correction_parameter is 0; it must be another number");
    constexpr std::size_t kNone = kMaxFeatures;
    std::size_t chroma = kNone, luma = kNone;
    for (std::size_t i = 0; i < features.size(); i++) {
        const bool is_chroma = features[i].name.find("speed_chroma") != std::string::npos;
        if (!is_chroma && features[i].name.find("adm3") == std::string::npos) continue;
        std::size_t &found = is_chroma ? chroma : luma;
        if (found != kNone) throw invalid("the model's chroma correction matches two features; it needs exactly one");
        found = i;
        if (is_chroma && inputs.denormalised(i) != 0) return;
    }
    if (chroma == kNone || luma == kNone)
        throw invalid("the model's chroma correction needs a speed_chroma and an adm3 feature");
    inputs.set(chroma, (-parameter * inputs.denormalised(luma)) + parameter);
}

void set_all(const std::vector<Model::Feature> &features, const std::optional<double> &chroma_correction,
             std::span<const double> values, Inputs &inputs) {
    for (std::size_t i = 0; i < values.size(); i++) inputs.set(i, values[i]);
    if (chroma_correction) correct_chroma(features, *chroma_correction, inputs);
}

} // namespace

void Model::check_can_predict(std::size_t features) const {
    const Data &m = *data_;
    if (features != m.features.size())
        throw invalid("model '" + m.name + "' takes " + std::to_string(m.features.size()) + " features, not " +
                      std::to_string(features));
    if (!m.normalisation) throw invalid("model '" + m.name + "' has no norm_type and cannot predict");
}

double Model::predict_raw(std::span<const double> features) const {
    const Data &m = *data_;
    check_can_predict(features.size());
    Inputs inputs(m.slopes, m.intercepts, *m.normalisation == Normalisation::linear_rescale);
    set_all(m.features, m.chroma_correction, features, inputs);
    return inputs.denormalised_score(m.regressor->evaluate(inputs.first(features.size())));
}

std::vector<double> Model::predict_all(std::span<const double> features, std::size_t count, Isa isa) const {
    if (count == 0) return {};
    const Data &m = *data_;
    const std::size_t each = features.size() / count;
    check_can_predict(each);
    Inputs inputs(m.slopes, m.intercepts, *m.normalisation == Normalisation::linear_rescale);
    std::vector<double> normalised;
    normalised.reserve(features.size());
    for (std::size_t n = 0; n < count; n++) {
        set_all(m.features, m.chroma_correction, features.subspan(n * each, each), inputs);
        const std::span<const double> values = inputs.first(each);
        normalised.insert(normalised.end(), values.begin(), values.end());
    }
    std::vector<double> scores = m.regressor->evaluate_all(normalised, count, isa);
    for (double &score : scores) score = finish(inputs.denormalised_score(score));
    return scores;
}

double Model::finish(double raw) const {
    double score = raw;
    if (data_->transform && data_->transform->enabled) score = data_->transform->apply(score);
    if (data_->clip) {
        if (score < data_->clip->min) score = data_->clip->min;
        if (score > data_->clip->max) score = data_->clip->max;
    }
    return score;
}

ModelCollection::ModelCollection(std::vector<Model> members, bool is_bootstrap)
    : members_(std::move(members)), is_bootstrap_(is_bootstrap) {
    constexpr std::size_t kNumber = 5; // "_0001"
    const std::string &first = members_.at(0).name();
    name_ = first.substr(0, first.size() - std::min(first.size(), kNumber));
}

void ModelCollection::overload(std::string_view extractor, const OptionTexts &options) {
    std::vector<Model> changed = members_; // all or nothing
    for (Model &member : changed) member.overload(extractor, options);
    members_ = std::move(changed);
}

namespace {

double percentile(const std::vector<double> &sorted, double q) {
    const double t = (q * double(sorted.size() - 1)) / 100;
    const double low = std::floor(t), high = std::ceil(t);
    if (low == high) return sorted[std::size_t(low)];
    return sorted[std::size_t(low)] * (high - t) + sorted[std::size_t(high)] * (t - low);
}

} // namespace

CollectionScore ModelCollection::combine(std::span<const double> raw) const {
    if (!is_bootstrap_)
        throw invalid("model collection '" + name_ + "' is not of a bootstrap type, so its members cannot be combined");
    if (raw.size() != members_.size()) throw invalid("one prediction per member of '" + name_ + "' is needed");
    const double count = double(raw.size());
    double sum = 0;
    for (const double u : raw) sum += u;
    const double mean = sum / count;
    double squares = 0;
    for (const double u : raw) squares += (u - mean) * (u - mean);
    std::vector<double> sorted(raw.begin(), raw.end());
    std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });

    const Model &rule = members_.front();
    constexpr double kStep = 0.01;
    const double slope = (rule.finish(mean + kStep) - rule.finish(mean - kStep)) / (2.0 * kStep);
    return {.bagging = rule.finish(mean),
            .stddev = std::sqrt(squares / count) * slope,
            .ci_p95_lo = rule.finish(percentile(sorted, 2.5)),
            .ci_p95_hi = rule.finish(percentile(sorted, 97.5))};
}

} // namespace vmaf
