// Parsing of the command line.
#include "options.hpp"

#include <gtest/gtest.h>

#include "exit_code.hpp"
#include "option_table.hpp"
#include "suggestion.hpp"
#include "usage.hpp"

namespace vmaf::cli {
namespace {

Options parsed(std::vector<const char *> words) {
    words.insert(words.begin(), {"vmaf", "-r", "a", "-d", "b"});
    return parse_command_line(words);
}

TEST(CommandLine, DefaultsAreThoseOfTheReference) {
    const Options o = parsed({});
    EXPECT_EQ(o.action, Action::score);
    ASSERT_EQ(o.models.size(), 1u);
    EXPECT_EQ(o.models[0].version, "vmaf_v0.6.1");
    EXPECT_EQ(o.models[0].config.name, "vmaf");
    EXPECT_EQ(o.format, ReportFormat::xml);
    EXPECT_EQ(o.threads, 0u);
    EXPECT_FALSE(o.is_raw);
    EXPECT_FALSE(o.output);
    EXPECT_TRUE(parsed({"-n"}).models.empty());
}

TEST(CommandLine, PrefixesPreferOptionsOfTheReference) {
    EXPECT_TRUE(parsed({"--no"}).no_prediction);
    EXPECT_EQ(parsed({"--he", "48", "--w=64", "--p", "420", "--b", "8"}).geometry.height, 48u);
    EXPECT_EQ(parsed({"--m", "version=x"}).models[0].version, "x");
    EXPECT_EQ(parsed({"--prec", "3", "--back", "cpu"}).backend.name, "cpu");
    EXPECT_EQ(parsed({"--o", "--ref"}).output, "--ref"); // a value, whatever it looks like
    EXPECT_EQ(parsed({"-qo", "--dist"}).output, "--dist");
    EXPECT_THROW(parsed({"--frame", "1"}), Failure);
    EXPECT_THROW(parsed({"--refx", "1"}), Failure);
}

TEST(CommandLine, ScansStartAfresh) {
    for (int i = 0; i < 3; i++) {
        EXPECT_THROW(parsed({"-q", "--nonsense"}), Failure);
        EXPECT_TRUE(parsed({"-q"}).quiet);
    }
}

TEST(CommandLine, NumbersWrapAt32Bits) {
    EXPECT_EQ(parse_unsigned("x", "0x10"), 16u);
    EXPECT_EQ(parse_unsigned("x", "010"), 8u);
    EXPECT_EQ(parse_unsigned("x", "-1"), 4294967295u);
    EXPECT_EQ(parse_unsigned("x", " 7"), 7u);
    EXPECT_EQ(parse_unsigned("x", "4294967297"), 1u);
    for (const char *text : {"", " ", "x", "7 ", "1e3", "0x", "09"})
        EXPECT_THROW(parse_unsigned("x", text), Failure) << text;
}

TEST(CommandLine, ModelArguments) {
    const ModelArgument m =
        parse_model_argument("path=m.json:name=a=b:disable_clip:enable_transform=true:adm.adm_enhn_gain_limit=1.0");
    EXPECT_EQ(m.path, "m.json");
    EXPECT_EQ(m.config.name, "a");
    EXPECT_TRUE(m.config.disable_clip);
    EXPECT_TRUE(m.config.enable_transform);
    ASSERT_EQ(m.overloads.size(), 1u);
    EXPECT_EQ(m.overloads[0].extractor, "adm");
    EXPECT_EQ(m.overloads[0].option, "adm_enhn_gain_limit");
    EXPECT_EQ(m.overloads[0].value, "1"); // normalised
    EXPECT_FALSE(parse_model_argument("version=x:disable_clip=false").config.disable_clip);
    EXPECT_EQ(parse_model_argument("version=x:path=y").label(), "x");
    EXPECT_EQ(parse_model_argument("path=C:\\m\\m.json:name=a").path, "C:\\m\\m.json"); // a Windows drive
    EXPECT_EQ(parse_model_argument("name=a:path=d:/m.json").path, "d:/m.json");
    for (const char *text : {"path=C:m.json", "path=CC:/m.json", "path=C:", "path=1:/m.json"})
        EXPECT_THROW(parse_model_argument(text), Failure) << text;
}

TEST(CommandLine, TurboInModelsAndFeaturesChoosesTheBackend) {
    const Options o = parsed({"-m", "version=x:turbo.backend=hip:turbo.device=2:adm.a=1", "--feature", "psnr"});
    EXPECT_EQ(o.backend.name, "hip");
    EXPECT_EQ(o.backend.device[find_backend("hip").value()], 2u);
    ASSERT_EQ(o.models[0].overloads.size(), 1u); // `turbo` is no overload
    EXPECT_EQ(o.models[0].overloads[0].extractor, "adm");
    const Options feature = parsed({"-n", "--feature", "psnr=turbo.backend=cpu"});
    EXPECT_EQ(feature.backend.name, "cpu");
    EXPECT_TRUE(feature.features[0].options.empty());
    EXPECT_EQ(parsed({"-m", "version=x:turbo.device=1", "--backend", "cuda"}).backend.device[0], 1u);
    for (const char *const wrong : {"turbo.backend=gpu", "turbo.backends=cpu", "turbo.device=-1", "turbo.device=0",
                                    "turbo.backend=cpu:turbo.device=0", "turbo.backend=hip"})
        EXPECT_THROW(parsed({"--backend", "cpu", "-m", (std::string("version=x:") + wrong).c_str()}), Failure) << wrong;
    EXPECT_THROW(parsed({"-m", "version=x:turbo.backend=cuda", "-m", "version=y:name=y:turbo.backend=hip"}), Failure);
}

TEST(CommandLine, FeatureArguments) {
    const FeatureArgument f = parse_feature_argument("psnr=min_sse=0.50:enable_chroma=true");
    EXPECT_EQ(f.name, "psnr");
    EXPECT_EQ(f.options, (OptionTexts{{"enable_chroma", "true"}, {"min_sse", "0.5"}}));
    EXPECT_TRUE(parse_feature_argument("vif").options.empty());
    EXPECT_EQ(parse_feature_argument("cambi=heatmaps_path=C:\\maps:full_ref=true").options,
              (OptionTexts{{"full_ref", "true"}, {"heatmaps_path", "C:\\maps"}}));
}

TEST(CommandLine, LaterAomPresetsReplaceTheFirstFloatSsim) {
    const Options o = parsed({"--feature", "float_ssim=enable_lcs=true", "--aom_ctc", "v7.0"});
    ASSERT_GT(o.features.size(), 3u);
    EXPECT_EQ(o.features[0].options.count("scale"), 1u);
    EXPECT_EQ(o.features[3].name, "float_ssim");
    EXPECT_EQ(o.features[3].options.count("scale"), 0u);
    EXPECT_TRUE(o.may_differ_in_depth);
    EXPECT_FALSE(parsed({"--aom_ctc", "v5.0"}).may_differ_in_depth);
}

TEST(CommandLine, TheUsageTextNamesEveryOption) {
    const std::string text = usage_text();
    for (const CommandOption &option : command_options()) {
        const bool is_neural = option.name.starts_with("tiny") || option.name.starts_with("dnn") ||
                               option.name == "no-reference" || option.name == "no_reference";
        if (is_neural || option.name.find("vulkan") != std::string_view::npos) continue;
        EXPECT_NE(text.find("--" + std::string(option.name)), std::string::npos) << option.name;
    }
}

TEST(Suggestion, IsTheNameWithTheFewestEdits) {
    const std::vector<std::string_view> names = {"psnr", "psnr_hvs", "ssim", "vif"};
    EXPECT_EQ(nearest("psrn", names), "psnr");
    EXPECT_EQ(nearest("psnrhvs", names), "psnr_hvs");
    EXPECT_EQ(nearest("hvs", names), "psnr_hvs");
    EXPECT_EQ(nearest(std::string(10000, 'x'), names), "");
    EXPECT_EQ(did_you_mean("cambi", names), "");
}

} // namespace
} // namespace vmaf::cli
