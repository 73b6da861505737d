// In sessions, a frame's score depends only on that frame's features.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "config.h"
#include "model/model.hpp"
#include "session/session.hpp"

namespace vmaf::prediction_test {
namespace {

constexpr unsigned kFrames = 12;

// Features of plausible and implausible frames, for every name that a model looks up.
void import_features(Session &session, const std::vector<std::string> &names) {
    for (const std::string &name : names)
        for (unsigned i = 0; i < kFrames; i++) {
            if (session.scores().find(name, i)) continue;
            std::seed_seq seed{unsigned(std::hash<std::string>{}(name)), i};
            std::mt19937 random(seed);
            const double top = name.find("motion") == std::string::npos ? 1.2 : 30.0;
            const bool is_zero = name.find("speed") != std::string::npos && i % 2 == 0; // triggers chroma correction
            session.scores().append(name, i, is_zero ? 0.0 : top * double(random()) / 4294967296.0);
        }
}

std::vector<Model> several_models() {
    std::vector<Model> models;
    for (const char *version : {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_v1.0.16_3d0h"})
        models.push_back(load_builtin_model(version, {.name = version}));
    models.push_back(load_builtin_model("vmaf_v0.6.1", {.name = "phone", .enable_transform = true}));
    return models;
}

using Scores = std::map<std::pair<std::string, unsigned>, double>;

Scores ask(Session &session, const std::vector<Model> &models, unsigned order_seed) {
    std::vector<std::pair<const Model *, unsigned>> questions;
    for (const Model &model : models) {
        import_features(session, model.stored_names());
        for (unsigned i = 0; i < kFrames; i++) questions.emplace_back(&model, i);
    }
    std::shuffle(questions.begin(), questions.end(), std::mt19937(order_seed));
    Scores scores;
    for (const auto &[model, index] : questions) scores[{model->name(), index}] = session.score_at(*model, index);
    return scores;
}

TEST(Prediction, OrderOfAskingDoesNotMatter) {
    const std::vector<Model> models = several_models();
    Session first({});
    const Scores expected = ask(first, models, 1);
    EXPECT_EQ(expected.size(), models.size() * kFrames);
    for (unsigned seed = 2; seed < 6; seed++) {
        Session session({});
        EXPECT_EQ(ask(session, models, seed), expected);
    }
    EXPECT_EQ(ask(first, models, 9), expected); // the second request returns the stored score
}

TEST(Prediction, SessionsInThreadsShareModels) {
    const std::vector<Model> models = several_models();
    Session alone({});
    const Scores expected = ask(alone, models, 1);
    std::vector<Scores> got(4);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < got.size(); t++)
        threads.emplace_back([&, t] {
            Session session({});
            got[t] = ask(session, models, 100 + t);
        });
    for (std::thread &thread : threads) thread.join();
    for (const Scores &scores : got) EXPECT_EQ(scores, expected);
}

TEST(Prediction, ASessionOutlivesNothingOfAModel) {
    Model model = load_builtin_model("vmaf_v0.6.1", {});
    double before = 0;
    {
        Session session({});
        import_features(session, model.stored_names());
        before = session.score_at(model, 3);
    }
    Session session({});
    import_features(session, model.stored_names());
    const Model moved = std::move(model);
    EXPECT_EQ(session.score_at(moved, 3), before);
}

// Clients may rely on this quirk (models.md 2.6).
TEST(Prediction, ModelsOfOneNameShareTheScoreOfTheFirst) {
    const Model a = load_builtin_model("vmaf_v0.6.1", {}), b = load_builtin_model("vmaf_4k_v0.6.1", {});
    Session session({});
    import_features(session, a.stored_names());
    const double score = session.score_at(a, 0);
    EXPECT_EQ(session.score_at(b, 0), score);
    EXPECT_NE(session.score_at(b, 1), session.score_at(load_builtin_model("vmaf_v0.6.1", {.name = "x"}), 1));
}

TEST(Prediction, MissingFeaturesAreNamedAndNothingIsStored) {
    const Model model = load_builtin_model("vmaf_v0.6.1", {});
    Session session({});
    std::vector<std::string> names = model.stored_names();
    const std::string missing = names.back();
    names.pop_back();
    import_features(session, names);
    try {
        session.score_at(model, 2);
        ADD_FAILURE();
    } catch (const Error &e) {
        EXPECT_EQ(e.code(), EINVAL);
        EXPECT_NE(std::string(e.what()).find(missing), std::string::npos) << e.what();
    }
    EXPECT_FALSE(session.scores().has_name("vmaf"));
    import_features(session, {missing});
    EXPECT_NO_THROW(session.score_at(model, 2));
}

TEST(Prediction, AnOverloadedModelIsTheModelWithThoseOptions) {
    Model by_hand = load_builtin_model("vmaf_v0.6.1", {.name = "by_hand"});
    by_hand.overload("adm", {{"adm_enhn_gain_limit", "1"}});
    by_hand.overload("vif", {{"vif_enhn_gain_limit", "1"}});
    by_hand.overload("cambi", {{"window_size", "41"}}); // the model has no such feature: no effect
    by_hand.overload("nonsense", {{"x", "1"}});
    const Model neg = load_builtin_model("vmaf_v0.6.1neg", {.name = "neg"});
    EXPECT_EQ(by_hand.stored_names(), neg.stored_names());
    Session session({});
    import_features(session, neg.stored_names());
    for (unsigned i = 0; i < kFrames; i++) EXPECT_EQ(session.score_at(by_hand, i), session.score_at(neg, i));
}

TEST(Prediction, AnOverloadOutOfRangeShowsWhenFeaturesAreNeeded) {
    Model model = load_builtin_model("vmaf_v0.6.1", {});
    model.overload("adm", {{"adm_enhn_gain_limit", "1000"}});
    EXPECT_THROW(model.stored_names(), Error);
    Session session({});
    EXPECT_THROW(session.use_features_of(model), Error);
    model.overload("adm", {{"adm_enhn_gain_limit", "2"}});
    EXPECT_EQ(model.stored_names()[0], "integer_adm2_egl_2");
}

TEST(Prediction, CollectionScoresAreStoredInTheOrderOfTheReference) {
    const LoadedCollection loaded = load_builtin_model_collection("vmaf_b_v0.6.3", {.name = "b"});
    Session session({});
    import_features(session, loaded.base.stored_names());
    const std::size_t features = session.scores().names().size();
    session.score_at(loaded.base, 0);
    const CollectionScore score = session.score_at(loaded.collection, 0);
    std::vector<std::string> names = session.scores().names();
    names.erase(names.begin(), names.begin() + std::ptrdiff_t(features));
    ASSERT_EQ(names.size(), 25u);
    EXPECT_EQ(names[0], "b");
    EXPECT_EQ(names[1], "b_0001");
    EXPECT_EQ(names[20], "b_0020");
    EXPECT_EQ(std::vector<std::string>(names.begin() + 21, names.end()),
              (std::vector<std::string>{"b_bagging", "b_stddev", "b_ci_p95_lo", "b_ci_p95_hi"}));
    EXPECT_EQ(session.scores().find("b_ci_p95_hi", 0), score.ci_p95_hi);
    EXPECT_EQ(session.score_at(loaded.collection, 0).bagging, score.bagging); // second request
}

// models.md 4.2
TEST(BuiltinModels, LookUpTheStoredNamesOfTheSpecification) {
    const std::string cambi = "cambi_hrs_1080_cmxv_17_vlt_0.06",
                      adm = "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02";
    const auto chroma = [](const std::string &scale) {
        return "speed_chroma_uv_mxv_45_nnf_0.1_" + scale + "snn_0.19_wvm_5";
    };
    const std::string motion = "integer_motion3_mmxv_18", hfr = "integer_motion3_mffw_mmxv_18_mma";
    const std::string half = "ps_0.5_psm_bilinear_", six = "ps_0.6_psm_bilinear_";
    std::map<std::string, std::vector<std::string>> expected = {
        {"vmaf_v0.6.1neg",
         {"integer_adm2_egl_1", "VMAF_integer_feature_motion2_score", "integer_vif_scale0_egl_1",
          "integer_vif_scale1_egl_1", "integer_vif_scale2_egl_1", "integer_vif_scale3_egl_1"}},
        {"vmaf_v1.0.16_3d0h", {cambi, chroma(""), adm, motion}},
        {"vmaf_v1.0.16_3d0h_2160", {cambi, chroma(half), adm + "_rdh_2160", motion}},
        {"vmaf_v1.0.16_5d0h", {cambi, chroma(six), adm + "_nvd_5", motion}},
        {"vmaf_v1.0.16_1d5h_2160", {cambi, chroma(""), adm + "_nvd_1.5_rdh_2160", motion}},
        {"vmaf_v1.0.16_hfr_3d0h", {cambi, chroma(""), adm, hfr}},
        {"vmaf_v1.0.16_hfr_3d0h_2160", {cambi, chroma(half), adm + "_rdh_2160", hfr}},
        {"vmaf_v1.0.16_hfr_5d0h", {cambi, chroma(six), adm + "_nvd_5", hfr}},
        {"vmaf_v1.0.16_hfr_1d5h_2160", {cambi, chroma(""), adm + "_nvd_1.5_rdh_2160", hfr}},
    };
#if VMAF_ENABLE_FLOAT
    expected["vmaf_float_v0.6.1neg"] = {"adm2_egl_1",       "VMAF_feature_motion2_score", "vif_scale0_egl_1",
                                        "vif_scale1_egl_1", "vif_scale2_egl_1",           "vif_scale3_egl_1"};
#endif
    for (const auto &[version, names] : expected)
        EXPECT_EQ(load_builtin_model(version, {}).stored_names(), names) << version;
    const Model plain = load_builtin_model("vmaf_v0.6.1", {});
    for (std::size_t i = 0; i < plain.features().size(); i++)
        EXPECT_EQ(plain.stored_names()[i], plain.features()[i].name);
}

} // namespace
} // namespace vmaf::prediction_test
