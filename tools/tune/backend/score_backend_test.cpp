#include "backend/score_backend.hpp"

#include <gmock/gmock.h>

#include "backend/backend_in_use.hpp"
#include "base/error.hpp"

namespace vmaf::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ScoreBackend, AutoTakesTheFirstUsableOfEverySubset) {
    HostProbes hosts;
    const std::vector<std::string> gpus = {"cuda", "sycl", "hip", "vulkan"};
    const BackendWish wishes[] = {BackendWish::cuda, BackendWish::sycl, BackendWish::hip, BackendWish::vulkan};
    for (unsigned subset = 0; subset < 16; subset++) {
        BackendSurvey survey;
        survey.states["cpu"] = {true, true, false, ""};
        std::vector<std::string> expected;
        for (unsigned i = 0; i < 4; i++) {
            const bool usable = subset >> i & 1;
            survey.states[gpus[i]] = {true, usable, false, usable ? "" : "no device"};
            if (usable) expected.push_back(gpus[i]);
        }
        expected.emplace_back("cpu");
        EXPECT_EQ(survey.usable(), expected);
        EXPECT_EQ(resolve_backend(BackendWish::automatic, survey, hosts), expected.front());
        EXPECT_EQ(resolve_backend(BackendWish::cpu, survey, hosts), "cpu");
        for (unsigned i = 0; i < 4; i++)
            if (subset >> i & 1)
                EXPECT_EQ(resolve_backend(wishes[i], survey, hosts), gpus[i]);
            else
                EXPECT_THROW(resolve_backend(wishes[i], survey, hosts), Error);
    }
}

TEST(ScoreBackend, RefusalsSayWhatWasFound) {
    HostProbes hosts;
    BackendSurvey survey;
    survey.states["cpu"] = {true, true, false, ""};
    survey.states["hip"] = {true, false, false, "no device"};
    const auto refusal = [&](BackendWish wish) -> std::string {
        try {
            return resolve_backend(wish, survey, hosts);
        } catch (const Error &e) {
            return e.what();
        }
    };
    EXPECT_THAT(refusal(BackendWish::hip), HasSubstr("the scorer cannot use it here (no device)"));
    EXPECT_THAT(refusal(BackendWish::metal), HasSubstr("the scorer was built without it"));
    EXPECT_THAT(refusal(BackendWish::metal), HasSubstr("usable: cpu"));
    EXPECT_EQ(survey.reasons(), "cuda: not built, sycl: not built, hip: no device, vulkan: not built");
}

TEST(ScoreBackend, SoftwareDevicesCountOnRequestOnly) {
    HostProbes hosts;
    BackendSurvey survey;
    survey.states["cpu"] = {true, true, false, ""};
    survey.states["vulkan"] = {true, true, true, ""};
    EXPECT_EQ(resolve_backend(BackendWish::automatic, survey, hosts), "cpu");
    EXPECT_EQ(resolve_backend(BackendWish::vulkan, survey, hosts), "vulkan");
}

TEST(ScoreBackend, HelpTextsAreReadByTheirBackendLine) {
    EXPECT_THAT(backends_in_help("usage: vmaf\n --threads N  cuda\n"), ElementsAre("cpu"));
    EXPECT_THAT(backends_in_help("  --backend auto|cpu|cuda|sycl|hip.\n"), ElementsAre("cpu", "cuda", "sycl", "hip"));
    EXPECT_THAT(backends_in_help("--backend <cpu|vulkan>: where it runs"), ElementsAre("cpu", "vulkan"));
    EXPECT_THAT(backends_in_help("--backend $name: cudaish, not a name"), ElementsAre("cpu"));
    EXPECT_THAT(backends_in_help(""), ElementsAre("cpu"));
}

TEST(BackendInUse, IsReplacedOnceForAllWhoNotice) {
    BackendInUse backends({"cuda", "vulkan", "cpu"});
    EXPECT_TRUE(backends.replace("cuda"));
    EXPECT_TRUE(backends.replace("cuda")); // another job, a moment later
    EXPECT_EQ(backends.name(), "vulkan");
    EXPECT_TRUE(backends.replace("vulkan"));
    EXPECT_FALSE(backends.replace("cpu"));
    BackendInUse asked_for({"cuda"});
    EXPECT_FALSE(asked_for.replace("cuda"));
}

} // namespace
} // namespace vmaf::tune
