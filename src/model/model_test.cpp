#include "model/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.hpp"

namespace vmaf::model_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kSvm = "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho -1\nSV\n1 1:1 2:2 \n";

// score = 1 + a + 2b, rescaled by 2 and clipped to 0..100.
Json small_model() {
    return Json{{"param_dict", {{"C", 4}}},
                {"model_dict",
                 {{"model_type", "LIBSVMNUSVR"},
                  {"norm_type", "linear_rescale"},
                  {"slopes", {0.5, 1, 1}},
                  {"intercepts", {0, 0, 0}},
                  {"feature_names", {"a", "b"}},
                  {"score_clip", {0, 100}},
                  {"model", kSvm}}}};
}

Json with(const std::function<void(Json &)> &change) {
    Json document = small_model();
    change(document["model_dict"]);
    return document;
}

Model load(const Json &document, const ModelConfig &config = {}) { return parse_model(document.dump(), config); }

int load_error(const std::string &text) {
    try {
        parse_model(text, {});
        return 0;
    } catch (const Error &e) {
        return e.code();
    }
}
int load_error(const std::function<void(Json &)> &change) { return load_error(with(change).dump()); }

double score(const Model &model, const std::vector<double> &features) {
    return model.finish(model.predict_raw(features));
}

TEST(Model, PredictsRescalesAndClips) {
    const Model model = load(small_model());
    EXPECT_EQ(model.name(), "vmaf");
    EXPECT_EQ(model.features()[1].name, "b");
    EXPECT_EQ(score(model, {3, 5}), 28);
    EXPECT_EQ(score(model, {300, 5}), 100);
    EXPECT_EQ(score(model, {-300, 5}), 0);
    EXPECT_TRUE(std::isnan(score(model, {NAN, 5})));
    EXPECT_THROW(model.predict_raw(std::vector<double>{1}), Error);
}

TEST(Model, FlagsDisableTheClipAndEnableTheTransform) {
    const Json document = with([](Json &m) { m["score_transform"] = {{"p0", 200}}; });
    EXPECT_EQ(score(load(document), {3, 5}), 28);
    EXPECT_EQ(score(load(document, {.enable_transform = true}), {3, 5}), 100);
    EXPECT_EQ(score(load(document, {.disable_clip = true, .enable_transform = true}), {3, 5}), 200);
    EXPECT_EQ(score(load(small_model(), {.enable_transform = true}), {3, 5}), 28);
    // The contents of a disabled clip are not read.
    EXPECT_NO_THROW(load(with([](Json &m) { m["score_clip"] = {"x"}; }), {.disable_clip = true}));
    EXPECT_EQ(score(load(with([](Json &m) { m["score_transform"] = {{"p0", 7}, {"enabled", true}}; })), {3, 5}), 7);
}

TEST(Model, MissingSlopesAreZeroAndNormTypeNoneTakesFeaturesAsTheyAre) {
    EXPECT_EQ(score(load(with([](Json &m) { m["slopes"] = {0.5, 1}; })), {3, 5}), 8);
    EXPECT_EQ(score(load(with([](Json &m) { m["norm_type"] = "none"; })), {3, 5}), 14);
}

TEST(Model, WithoutNormTypeItLoadsButPredictsNothing) {
    const Model model = load(with([](Json &m) { m.erase("norm_type"); }));
    EXPECT_THROW(model.predict_raw(std::vector<double>{1, 2}), Error);
}

TEST(Model, WithoutFeaturesThePredictionIsThatOfTheEmptyVector) {
    EXPECT_EQ(score(load(with([](Json &m) { m.erase("feature_names"); })), {}), 2);
}

TEST(Model, UnknownFeaturesShowWhenNamesAreNeeded) {
    const Model model = load(small_model());
    EXPECT_THROW(model.stored_names(), Error);
}

TEST(Model, OptionNumbersPassThroughSinglePrecision) {
    const Model model = load(with([](Json &m) {
        m["feature_opts_dicts"] = {
            {{"x", 1.0}, {"y", 0.06}, {"z", 1.23456789}, {"i", 1080}, {"big", 1000000}, {"t", true}, {"s", "1.50"}}};
    }));
    const OptionTexts want = {{"x", "1"},       {"y", "0.06"}, {"z", "1.23457"}, {"i", "1080"},
                              {"big", "1e+06"}, {"t", "true"}, {"s", "1.50"}};
    EXPECT_EQ(model.features()[0].options, want);
    EXPECT_TRUE(model.features()[1].options.empty());
}

TEST(Model, RefusesWrongTypesUnknownWordsAndBrokenLimits) {
    const std::vector<std::function<void(Json &)>> bad = {
        [](Json &m) { m["model_type"] = "OTHER"; },
        [](Json &m) { m["model_type"] = 1; },
        [](Json &m) { m["norm_type"] = "other"; },
        [](Json &m) { m["slopes"] = Json::array(); },
        [](Json &m) { m["slopes"] = 1; },
        [](Json &m) {
            m["slopes"] = {1, "2"};
        },
        [](Json &m) { m["slopes"] = std::vector<int>(66, 1); },
        [](Json &m) { m["intercepts"] = {nullptr}; },
        [](Json &m) { m["feature_names"] = "a"; },
        [](Json &m) { m["feature_names"] = {1}; },
        [](Json &m) { m["feature_names"] = std::vector<std::string>(65, "a"); },
        [](Json &m) { m["feature_opts_dicts"] = {1}; },
        [](Json &m) {
            m["feature_opts_dicts"] = {{{"o", nullptr}}};
        },
        [](Json &m) {
            m["feature_opts_dicts"] = {{{"o", Json::array({1})}}};
        },
        [](Json &m) { m["feature_opts_dicts"] = std::vector<Json>(65, Json::object()); },
        [](Json &m) { m["score_clip"] = nullptr; },
        [](Json &m) { m["score_clip"] = {1}; },
        [](Json &m) {
            m["score_clip"] = {1, "2"};
        },
        [](Json &m) { m["score_transform"] = 1; },
        [](Json &m) {
            m["score_transform"] = {{"enabled", "true"}};
        },
        [](Json &m) {
            m["score_transform"] = {{"out_gte_in", true}};
        },
        [](Json &m) {
            m["score_transform"] = {{"p0", nullptr}};
        },
        [](Json &m) {
            m["score_transform"] = {{"knots", nullptr}};
        },
        [](Json &m) {
            m["score_transform"] = {{"knots", {{1, 2, 3}}}};
        },
        [](Json &m) {
            m["score_transform"] = {{"knots", std::vector<Json>(11, Json::array({1, 2}))}};
        },
        [](Json &m) { m["chroma_correction_parameter"] = "120"; },
        [](Json &m) { m["model"] = ""; },
        [](Json &m) { m["model"] = 1; },
        [](Json &m) { m.erase("model"); },
    };
    for (std::size_t i = 0; i < bad.size(); i++) EXPECT_EQ(load_error(bad[i]), EINVAL) << "case " << i;
}

TEST(Model, RefusesABrokenRegressorWithENOMEM) {
    EXPECT_EQ(load_error([](Json &m) { m["model"] = "svm_type nu_svr\n"; }), ENOMEM);
    EXPECT_EQ(load_error([](Json &m) { m["model"] = "hello"; }), ENOMEM);
}

TEST(Model, AcceptsWhatTheFormatAllows) {
    EXPECT_EQ(load_error([](Json &m) { m["unknown"] = {{"nested", {1, {2, {3}}}}}; }), 0);
    EXPECT_EQ(load_error([](Json &m) { m["score_transform"] = {{"out_lte_in", "yes"}, {"other", {1}}}; }), 0);
    EXPECT_EQ(load_error([](Json &m) { m["score_transform"] = {{"knots", {{1}, Json::array()}}}; }), 0);
    EXPECT_EQ(load_error([](Json &m) { m["feature_names"] = std::vector<std::string>(64, "a"); }), 0);
    EXPECT_EQ(load_error(small_model().dump() + "}} trailing"), 0);
}

TEST(Model, RefusesOtherDocuments) {
    for (const char *text :
         {"", "x", "1", "[]", "{}", "null", "{\"model_dict\": 1}", "{\"model_dict\": {}}",
          "{\"model_dict\": {\"slopes\": [1,]}}", "{'model_dict': {}}", "{\"model_dict\": {\"a\": NaN}}",
          "{\"model_dict\": {\"a\": \"\x01\"}}", "{\"model_dict\": {\"a\": \"\xff\"}}",
          "{\"model_dict\": {\"slopes\": [1e999]}}", "{\"model_dict\": {/* */}}"})
        EXPECT_EQ(load_error(text), EINVAL) << text;
    const std::string good = small_model().dump();
    for (std::size_t length = 0; length < good.size(); length++)
        EXPECT_NE(load_error(good.substr(0, length)), 0) << length;
}

TEST(Model, DeepNestingIsHarmless) {
    const std::size_t depth = 1000000;
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    std::string text = small_model().dump();
    text.insert(1, "\"x\":" + deep + ",");
    EXPECT_EQ(load_error(text), 0);
    EXPECT_EQ(load_error(std::string(depth, '[')), EINVAL);
    EXPECT_EQ(load_error(deep), EINVAL);
    std::string objects = "{\"model_dict\":";
    for (std::size_t i = 0; i < depth; i++) objects += "{\"model_dict\":";
    EXPECT_EQ(load_error(objects), EINVAL);
}

TEST(Model, TooManyValuesAreRefused) {
    std::string text = "[";
    for (int i = 0; i < 2000000; i++) text += "1,";
    EXPECT_EQ(load_error(text + "1]"), EINVAL);
}

TEST(Model, RepeatedKeysOverrideAndRepeatedOptionsMustAgree) {
    std::string text = small_model().dump();
    text.insert(text.size() - 1, ",\"model_dict\":{\"slopes\":[1,1,1]}");
    EXPECT_EQ(score(parse_model(text, {}), {3, 5}), 14);
    const auto options = [](const std::string &members) {
        std::string document = small_model().dump();
        document.insert(document.size() - 2, ",\"feature_opts_dicts\":[{" + members + "}]");
        return load_error(document);
    };
    EXPECT_EQ(options("\"o\":1,\"o\":1.0"), 0);
    EXPECT_EQ(options("\"o\":1,\"o\":2"), EINVAL);
}

TEST(Model, FilesAreNamedInErrors) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("vmaf_model_test_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directory(folder);
    const std::string path = (folder / "model.json").string();
    std::ofstream(path) << small_model().dump();
    EXPECT_EQ(score(load_model_file(path, {}), {3, 5}), 28);
    std::ofstream(path) << "{";
    for (const std::string &name : {path, (folder / "missing.json").string(), folder.string(), std::string("m.pkl")})
        try {
            load_model_file(name, {});
            ADD_FAILURE() << name;
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), EINVAL);
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        }
    std::filesystem::remove_all(folder);
}

// models.md 2.2, on a model whose score is the chroma input.
class ChromaCorrection : public ::testing::Test {
  protected:
    static Model make(const std::vector<std::string> &names, double parameter, const std::string &norm = "none") {
        return load(with([&](Json &m) {
            m["norm_type"] = norm;
            m["slopes"] = {1, 0.5, 4};
            m["intercepts"] = {0, -0.25, -3};
            m["feature_names"] = names;
            m["chroma_correction_parameter"] = parameter;
            m["model"] = "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1\n";
        }));
    }
};

TEST_F(ChromaCorrection, ReplacesAScoreOfExactlyZero) {
    const Model model = make({"speed_chroma_uv", "x_adm3_y"}, 120);
    EXPECT_EQ(model.predict_raw(std::vector<double>{0.0, 0.75}), (-120 * 0.75) + 120);
    EXPECT_EQ(model.predict_raw(std::vector<double>{1e-300, 0.75}), 1e-300);
    EXPECT_EQ(make({"speed_chroma_uv", "adm3"}, 120, "linear_rescale").predict_raw(std::vector<double>{0, 0.75}),
              0.5 * 30 - 0.25);
}

TEST_F(ChromaCorrection, CountsAScoreThatTheInterceptAbsorbsAsZero) {
    const Model model = make({"speed_chroma_uv", "adm3"}, 120, "linear_rescale");
    EXPECT_EQ(model.predict_raw(std::vector<double>{1e-30, 0.75}), 0.5 * 30 - 0.25);
}

TEST_F(ChromaCorrection, RefusesMissingOrDoubledFeaturesAndAParameterOfZero) {
    const std::vector<double> zero = {0, 0.5}, one = {1, 0.5};
    EXPECT_THROW(make({"speed_chroma_u", "speed_chroma_v"}, 120).predict_raw(zero), Error);
    EXPECT_EQ(make({"speed_chroma_u", "speed_chroma_v"}, 120).predict_raw(one), 1); // the second one is not reached
    EXPECT_THROW(make({"adm3", "adm3"}, 120).predict_raw(one), Error);
    EXPECT_THROW(make({"speed_chroma_u", "b"}, 120).predict_raw(zero), Error);
    EXPECT_THROW(make({"a", "b"}, 120).predict_raw(zero), Error);
    EXPECT_THROW(make({"speed_chroma_u", "adm3"}, 0).predict_raw(one), Error);
}

} // namespace
} // namespace vmaf::model_test
