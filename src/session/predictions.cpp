#include "session/predictions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace vmaf {

double Predictions::at(const Model &model, unsigned index) {
    std::lock_guard lock(mutex_);
    if (const auto known = scores_.find(model.name(), index)) return *known;
    return predict(model, index);
}

CollectionScore Predictions::at(const ModelCollection &collection, unsigned index) {
    std::lock_guard lock(mutex_);
    const std::string &name = collection.name();
    const std::array<std::string, 4> names = {name + "_bagging", name + "_stddev", name + "_ci_p95_lo",
                                              name + "_ci_p95_hi"};
    std::array<double, 4> values{};
    const auto is_known = [&](std::size_t i) {
        const auto known = scores_.find(names[i], index);
        values[i] = known.value_or(0.0);
        return known.has_value();
    };
    if (is_known(0)) {
        for (std::size_t i = 1; i < names.size(); i++)
            if (!is_known(i)) throw invalid("there is no score '" + names[i] + "' at frame " + std::to_string(index));
        return {values[0], values[1], values[2], values[3]};
    }
    std::vector<double> raw;
    std::vector<NewScore> fresh;
    for (const Model &member : collection.members()) {
        raw.push_back(predict_raw(member, index));
        if (!scores_.find(member.name(), index)) fresh.push_back({member.name(), index, member.finish(raw.back())});
    }
    const CollectionScore score = collection.combine(raw);
    values = {score.bagging, score.stddev, score.ci_p95_lo, score.ci_p95_hi};
    for (std::size_t i = 0; i < names.size(); i++) fresh.push_back({names[i], index, values[i]});
    scores_.append(fresh);
    return score;
}

void Predictions::mount(std::span<const Model> models) {
    std::lock_guard lock(mutex_);
    mounted_.insert(mounted_.end(), models.begin(), models.end());
}

void Predictions::try_mounted(const std::string &arrived, unsigned index) {
    std::lock_guard lock(mutex_);
    if (std::any_of(mounted_.begin(), mounted_.end(), [&](const Model &model) { return model.name() == arrived; }))
        return; // itself a prediction
    for (const Model &model : mounted_)
        if (!scores_.find(model.name(), index) && has_features(model, index)) predict(model, index);
}

double Predictions::predict(const Model &model, unsigned index) {
    const double score = model.finish(predict_raw(model, index));
    scores_.append(model.name(), index, score);
    return score;
}

double Predictions::predict_raw(const Model &model, unsigned index) const {
    std::array<double, kMaxFeatures> features;
    std::size_t count = 0;
    for (const std::string &name : model.stored_names()) {
        const auto score = scores_.find(name, index);
        if (!score)
            throw invalid("model '" + model.name() + "' needs the feature '" + name + "' of frame " +
                          std::to_string(index) + ", which has not been scored");
        features[count++] = *score;
    }
    const double raw = model.predict_raw({features.data(), count});
    // Imported scores may be anything, but finite features must give a finite prediction.
    const auto is_number = [](double value) { return std::isfinite(value); };
    if (!is_number(raw) && std::all_of(features.begin(), features.begin() + count, is_number))
        throw invalid("model '" + model.name() + "' gives no number for frame " + std::to_string(index) +
                      ": its coefficients are too large or too small; use another model");
    return raw;
}

bool Predictions::has_features(const Model &model, unsigned index) const {
    const std::vector<std::string> &names = model.stored_names();
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string &name) { return scores_.find(name, index).has_value(); });
}

} // namespace vmaf
