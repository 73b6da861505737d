// The built-in models reproduce scores recorded from the reference, given the recorded features.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "config.h"
#include "model/model.hpp"
#include "scores/feature_name.hpp"
#include "test_paths.h"

namespace vmaf::builtin_test {
namespace {

constexpr double kTolerance = 5e-7; // the regressors are refits: models/README.md

TEST(BuiltinModels, AreAllThereAndLoad) {
    EXPECT_EQ(builtin_models().size(), VMAF_ENABLE_FLOAT ? 17u : 13u);
    EXPECT_EQ(builtin_models()[0].version, "vmaf_v0.6.1");
    for (const BuiltinModel &builtin : builtin_models()) {
        if (builtin.is_collection) {
            const auto loaded = load_builtin_model_collection(builtin.version, {});
            EXPECT_EQ(loaded.collection.members().size(), 20u) << builtin.version;
            EXPECT_THROW(load_builtin_model(builtin.version, {}), Error);
        } else {
            const Model model = load_builtin_model(builtin.version, {});
            EXPECT_EQ(model.features().size(), builtin.version.find("v1.") == std::string_view::npos ? 6u : 4u);
            EXPECT_THROW(load_builtin_model_collection(builtin.version, {}), Error);
        }
    }
    EXPECT_THROW(load_builtin_model("vmaf_v9", {}), Error);
}

struct GoldenModel {
    std::string version;
    ModelConfig config;
};

// "version=vmaf_v0.6.1:enable_transform:name=phone"; overloads only change which columns are read.
GoldenModel parse_argument(const std::string &text) {
    GoldenModel result;
    std::stringstream parts(text);
    for (std::string part; std::getline(parts, part, ':');) {
        if (part.starts_with("version=")) result.version = part.substr(8);
        if (part.starts_with("name=")) result.config.name = part.substr(5);
        if (part == "enable_transform") result.config.enable_transform = true;
    }
    return result;
}

using Frame = std::map<std::string, double>;

// The only column that is the feature's alias, with or without a suffix.
std::vector<double> features_of(const Model &model, const Frame &frame) {
    std::vector<double> values;
    for (const Model::Feature &feature : model.features()) {
        const std::string alias(feature_alias(feature.name));
        std::vector<double> found;
        for (const auto &[name, value] : frame)
            if (name == alias || name.starts_with(alias + "_")) found.push_back(value);
        EXPECT_EQ(found.size(), 1u) << alias;
        values.push_back(found.at(0));
    }
    return values;
}

void check_frame(const Model &model, const Frame &frame) {
    EXPECT_NEAR(model.finish(model.predict_raw(features_of(model, frame))), frame.at(model.name()), kTolerance);
}

void check_frame(const ModelCollection &collection, const Frame &frame) {
    std::vector<double> raw;
    for (const Model &member : collection.members()) {
        check_frame(member, frame);
        raw.push_back(member.predict_raw(features_of(member, frame)));
    }
    const CollectionScore s = collection.combine(raw);
    EXPECT_NEAR(s.bagging, frame.at(collection.name() + "_bagging"), kTolerance);
    EXPECT_NEAR(s.stddev, frame.at(collection.name() + "_stddev"), kTolerance);
    EXPECT_NEAR(s.ci_p95_lo, frame.at(collection.name() + "_ci_p95_lo"), kTolerance);
    EXPECT_NEAR(s.ci_p95_hi, frame.at(collection.name() + "_ci_p95_hi"), kTolerance);
}

TEST(BuiltinModels, PredictTheRecordedScores) {
    int frames = 0;
    for (const auto &entry : std::filesystem::directory_iterator(VMAF_GOLDEN_DIR)) {
        if (entry.path().extension() != ".json") continue;
        const auto golden = nlohmann::json::parse(std::ifstream(entry.path()), nullptr, false);
        if (golden.is_discarded()) continue; // documents with NaN, which have no model scores
        const auto args = golden.at("args").get<std::vector<std::string>>();
        if (std::count(args.begin(), args.end(), "--model") != 1) continue;
        SCOPED_TRACE(entry.path().filename());
        const GoldenModel wanted = parse_argument(*(std::find(args.begin(), args.end(), "--model") + 1));
        if (!VMAF_ENABLE_FLOAT && wanted.version.find("_float_") != std::string::npos) continue;
        std::optional<Model> model;
        std::optional<ModelCollection> collection;
        if (wanted.version.find("_b_") != std::string::npos) {
            auto loaded = load_builtin_model_collection(wanted.version, wanted.config);
            model = std::move(loaded.base);
            collection = std::move(loaded.collection);
        } else {
            model = load_builtin_model(wanted.version, wanted.config);
        }
        for (const auto &json : golden.at("frames")) {
            const auto frame = json.get<Frame>();
            check_frame(*model, frame);
            if (collection) check_frame(*collection, frame);
            frames++;
        }
    }
    EXPECT_GT(frames, 100);
}

} // namespace
} // namespace vmaf::builtin_test
