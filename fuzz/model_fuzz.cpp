// Any bytes as a model file: refused with an Error, or loaded as a model that predicts.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/model.hpp"

namespace {

using namespace vmaf;

double predict(const Model &model) {
    try {
        model.stored_names();
    } catch (const Error &) {
    }
    std::vector<double> features;
    for (std::size_t i = 0; i < model.features().size(); i++) features.push_back(i % 3 == 1 ? 0.0 : 0.25 * double(i));
    const double raw = model.predict_raw(features);
    model.finish(raw);
    return raw;
}

void try_model(std::string_view json, const ModelConfig &config) {
    try {
        Model model = parse_model(json, config);
        model.overload("vif", {{"vif_enhn_gain_limit", "1"}});
        predict(model);
    } catch (const Error &) {
    }
}

void try_collection(std::string_view json) {
    try {
        const LoadedCollection loaded = parse_model_collection(json, {});
        predict(loaded.base);
        std::vector<double> raw;
        for (const Model &member : loaded.collection.members()) raw.push_back(predict(member));
        loaded.collection.combine(raw);
    } catch (const Error &) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string_view json(reinterpret_cast<const char *>(data), size);
    try_model(json, {});
    try_model(json, {.name = "x", .disable_clip = true, .enable_transform = true});
    try_collection(json);
    return 0;
}
