#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "model/model.hpp"

namespace vmaf::collection_test {
namespace {

using Json = nlohmann::ordered_json;

// A member whose prediction is always `value`.
Json member(double value, const std::string &type = "BOOTSTRAP_LIBSVMNUSVR") {
    const std::string svm =
        "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho " + std::to_string(-value) + "\nSV\n";
    return {{"model_dict",
             {{"model_type", type},
              {"norm_type", "none"},
              {"feature_names", Json::array()},
              {"score_clip", {0, 100}},
              {"model", svm}}}};
}

LoadedCollection load(const Json &document, const ModelConfig &config = {}) {
    return parse_model_collection(document.dump(), config);
}

CollectionScore combined(const ModelCollection &collection) {
    std::vector<double> raw;
    for (const Model &m : collection.members()) raw.push_back(m.predict_raw({}));
    return collection.combine(raw);
}

TEST(Collection, BaseAndMembersHaveTheirNames) {
    const auto [base, collection] = load({{"0", member(1)}, {"1", member(2)}, {"2", member(3)}}, {.name = "mine"});
    EXPECT_EQ(base.name(), "mine");
    EXPECT_EQ(base.predict_raw({}), 1);
    EXPECT_EQ(collection.name(), "mine");
    ASSERT_EQ(collection.members().size(), 2u);
    EXPECT_EQ(collection.members()[0].name(), "mine_0001");
    EXPECT_EQ(collection.members()[1].name(), "mine_0002");
    EXPECT_EQ(collection.members()[1].predict_raw({}), 3);
}

TEST(Collection, AGapEndsIt) {
    const Json gap = {{"0", member(1)}, {"1", member(2)}, {"3", member(3)}, {"4", member(4)}};
    EXPECT_EQ(load(gap).collection.members().size(), 1u);
    const Json rest = {{"0", member(1)}, {"x", 5}, {"1", member(2)}, {"2", member(3)}};
    const std::string early = "{\"1\":5," + rest.dump().substr(1); // a "1" before "0" is skipped
    EXPECT_EQ(parse_model_collection(early, {}).collection.members().size(), 2u);
}

TEST(Collection, NeedsTwoMembersOfOneType) {
    for (const Json &bad : {Json::object(), Json{{"0", member(1)}}, Json{{"1", member(1)}, {"2", member(1)}},
                            Json{{"0", member(1)}, {"1", 5}}, Json{{"0", Json::object()}, {"1", member(1)}},
                            Json{{"0", member(1)}, {"1", member(2)}, {"2", member(3, "LIBSVMNUSVR")}}})
        EXPECT_THROW(load(bad), Error) << bad.dump();
    EXPECT_NO_THROW(load({{"0", member(1, "LIBSVMNUSVR")}, {"1", member(2)}}));
    EXPECT_THROW(parse_model(Json{{"0", member(1)}, {"1", member(2)}}.dump(), {}), Error);
}

TEST(Collection, CombinesMeanDeviationAndInterval) {
    const auto loaded = load({{"0", member(1)}, {"1", member(40)}, {"2", member(10)}, {"3", member(20)}});
    const CollectionScore s = combined(loaded.collection);
    const double mean = (40.0 + 10.0 + 20.0) / 3;
    EXPECT_EQ(s.bagging, mean);
    const auto square = [&](double x) { return (x - mean) * (x - mean); };
    const double slope = ((mean + 0.01) - (mean - 0.01)) / (2.0 * 0.01);
    EXPECT_EQ(s.stddev, std::sqrt((square(40) + square(10) + square(20)) / 3) * slope);
    const double lo = (2.5 * 2) / 100, hi = (97.5 * 2) / 100;
    EXPECT_EQ(s.ci_p95_lo, 10 * (1 - lo) + 20 * (lo - 0));
    EXPECT_EQ(s.ci_p95_hi, 20 * (2 - hi) + 40 * (hi - 1));
}

TEST(Collection, DeviationIsZeroWhereScoresAreClipped) {
    const auto loaded = load({{"0", member(1)}, {"1", member(140)}, {"2", member(160)}});
    const CollectionScore s = combined(loaded.collection);
    EXPECT_EQ(s.bagging, 100);
    EXPECT_EQ(s.stddev, 0);
    const auto unclipped = load({{"0", member(1)}, {"1", member(140)}, {"2", member(160)}}, {.disable_clip = true});
    EXPECT_EQ(combined(unclipped.collection).bagging, 150);
}

TEST(Collection, OneMemberIsItsOwnInterval) {
    const CollectionScore s = combined(load({{"0", member(1)}, {"1", member(42)}}).collection);
    EXPECT_EQ(s.bagging, 42);
    EXPECT_EQ(s.stddev, 0);
    EXPECT_EQ(s.ci_p95_lo, 42);
    EXPECT_EQ(s.ci_p95_hi, 42);
}

TEST(Collection, ResidueBootstrapIsEvaluatedLikeBootstrap) {
    const std::string type = "RESIDUEBOOTSTRAP_LIBSVMNUSVR";
    const auto loaded = load({{"0", member(1, type)}, {"1", member(10, type)}, {"2", member(30, type)}});
    EXPECT_EQ(combined(loaded.collection).bagging, 20);
}

TEST(Collection, APlainOneLoadsButDoesNotScore) {
    const auto loaded = load({{"0", member(1, "LIBSVMNUSVR")}, {"1", member(2, "LIBSVMNUSVR")}});
    EXPECT_THROW(combined(loaded.collection), Error);
}

} // namespace
} // namespace vmaf::collection_test
