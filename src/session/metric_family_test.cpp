// Families measure members together; each member must score exactly as it does alone.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "metrics/registry.hpp"
#include "session/session.hpp"
#include "support/clip.hpp"

namespace vmaf::metric_family_test {
namespace {

struct Clip {
    std::vector<Picture> ref, dist;
};

Clip clip(int depth, const std::string &distort) {
    clipgen::Options options;
    options.width = 182;
    options.height = 134;
    options.format = "420";
    options.depth = depth;
    options.scene = "street";
    Clip clip;
    for (unsigned i = 0; i < 3; i++) {
        options.distort = "none";
        clip.ref.push_back(clip_frame(options, i));
        options.distort = distort;
        clip.dist.push_back(clip_frame(options, i));
    }
    return clip;
}

// Every late option that renames a score, with a few values, one at a time; and the defaults.
std::vector<OptionTexts> variants_of(const MetricInfo &info) {
    std::vector<OptionTexts> variants = {{}};
    for (const OptionSpec &spec : info.options) {
        if (spec.stage != Stage::late || !spec.in_name) continue;
        const std::string name(spec.name);
        if (std::holds_alternative<bool>(spec.fallback)) {
            variants.push_back({{name, "true"}});
        } else if (const double *fallback = std::get_if<double>(&spec.fallback)) {
            variants.push_back({{name, std::to_string(spec.max == *fallback ? spec.min : spec.max)}});
            variants.push_back({{name, std::to_string(spec.min + (spec.max - spec.min) / 64)}});
        } else if (std::holds_alternative<int>(spec.fallback)) {
            variants.push_back({{name, std::to_string(int(spec.max))}});
        }
    }
    return variants;
}

using Scores = std::map<std::string, std::vector<double>>;

// The variants that can score the clip; some options need others.
Scores scores_of(const MetricInfo &info, const std::vector<OptionTexts> &variants, const Clip &clip,
                 const SessionConfig &config) {
    Session session(config);
    for (const OptionTexts &options : variants) session.use_feature(info.name, options);
    for (unsigned i = 0; i < clip.ref.size(); i++) session.read(clip.ref[i], clip.dist[i], i);
    session.flush();
    Scores scores;
    for (const std::string &name : session.scores().names())
        for (unsigned i = 0; i < clip.ref.size(); i++)
            scores[name].push_back(session.scores().find(name, i).value_or(-1e9));
    return scores;
}

void expect_alike(const MetricInfo &info, const Clip &clip, const SessionConfig &config) {
    std::vector<OptionTexts> usable;
    Scores alone;
    for (const OptionTexts &variant : variants_of(info)) {
        try {
            alone.merge(scores_of(info, {variant}, clip, config));
            usable.push_back(variant);
        } catch (const std::exception &) { // these pictures or other options forbid the value
        }
    }
    EXPECT_TRUE(usable.size() > 3 || (info.name != "vif" && info.name != "adm"));
    if (usable.size() < 2) return;
    EXPECT_EQ(scores_of(info, usable, clip, config), alone) << info.name << " with mask " << config.cpumask;
}

TEST(Families, GiveEveryMemberTheScoresItHasAlone) {
    const std::vector<Clip> clips = {clip(8, "gain:120"), clip(10, "dct:40")};
    for (const MetricInfo *info : all_metrics())
        for (const Clip &clip : clips)
            for (const std::uint64_t cpumask : {0, 32, 48, 63})
                for (const unsigned threads : {0u, 3u})
                    expect_alike(*info, clip, {.threads = threads, .cpumask = cpumask});
}

TEST(Families, HaveMembersThatDifferInLateOptionsOnly) {
    const OptionValues free("vif", find_metric("vif")->options, {});
    const OptionValues limited("vif", find_metric("vif")->options, {{"vif_enhn_gain_limit", "1"}});
    EXPECT_TRUE(free.same_front(limited));
    const OptionValues motion("motion", find_metric("motion")->options, {});
    const OptionValues wide("motion", find_metric("motion")->options, {{"motion_five_frame_window", "true"}});
    const OptionValues older("motion_v2", find_metric("motion_v2")->options, {{"motion_max_val", "5"}});
    EXPECT_FALSE(motion.same_front(wide));
    EXPECT_TRUE(motion.same_front(older));
}

// Late members are measured separately.
TEST(Families, TakeNoMembersOnceFramesWereGiven) {
    const Clip clip = metric_family_test::clip(8, "gain:120");
    Session session({});
    session.use_feature("vif", {});
    session.use_feature("vif", {{"vif_enhn_gain_limit", "1"}});
    session.read(clip.ref[0], clip.dist[0], 0);
    session.use_feature("vif", {{"vif_enhn_gain_limit", "1.5"}});
    session.read(clip.ref[1], clip.dist[1], 1);
    session.flush();
    const std::string name = "integer_vif_scale1";
    EXPECT_EQ(session.scores().find(name + "_egl_1.5", 0), std::nullopt);
    Session alone({});
    alone.use_feature("vif", {{"vif_enhn_gain_limit", "1.5"}});
    alone.read(clip.ref[1], clip.dist[1], 1);
    alone.flush();
    EXPECT_EQ(session.feature_score_at(name + "_egl_1.5", 1), alone.feature_score_at(name + "_egl_1.5", 1));
}

} // namespace
} // namespace vmaf::metric_family_test
