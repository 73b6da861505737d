// The choice of a backend, with fake backends that start or fail as required.
#include "backend_choice.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/host/host_device.hpp"
#include "exit_code.hpp"
#include "usage.hpp"

namespace vmaf::cli {
namespace {

GpuBackend working(std::string_view name, std::vector<std::string> *started = nullptr) {
    return {name,
            [name, started](std::optional<unsigned> device) {
                if (started) started->push_back(std::string(name) + (device ? std::to_string(*device) : ""));
                return std::shared_ptr<Device>();
            },
            [] { return std::vector{DeviceInfo{.name = "Fake \"1\"", .arch = "sm_90", .memory_bytes = 5}}; }, true};
}

GpuBackend broken(std::string_view name, int code = ENODEV) {
    return {name, [code](std::optional<unsigned>) -> std::shared_ptr<Device> { throw Error(code, "no device"); },
            [code]() -> std::vector<DeviceInfo> { throw Error(code, "no device"); }, false};
}

struct Outcome {
    std::string name;
    std::vector<std::string> lines;
};

Outcome choose(const BackendRequest &request, const std::vector<GpuBackend> &built) {
    Outcome outcome;
    outcome.name = choose_backend(request, built, [&](const std::string &line) { outcome.lines.push_back(line); }).name;
    return outcome;
}

std::string descriptor_of(const BackendRequest &request, const std::vector<GpuBackend> &built) try {
    choose(request, built);
    return "none";
} catch (const Failure &failure) {
    return failure.document();
}

TEST(BackendChoice, AutoTakesTheFirstThatStarts) {
    std::vector<std::string> started;
    EXPECT_EQ(choose({}, {working("cuda", &started), working("sycl", &started)}).name, "cuda");
    EXPECT_EQ(started, std::vector<std::string>{"cuda"}); // the others are not touched
    const Outcome demoted = choose({}, {broken("cuda"), working("sycl")});
    EXPECT_EQ(demoted.name, "sycl");
    EXPECT_EQ(demoted.lines, std::vector<std::string>{"cuda not usable (no device); trying sycl"});
    const Outcome last = choose({}, {broken("cuda")});
    EXPECT_EQ(last.name, "cpu");
    EXPECT_EQ(last.lines, std::vector<std::string>{"cuda not usable (no device); using cpu"});
}

TEST(BackendChoice, NothingBuiltOrAllowedMeansCpuWithoutAWord) {
    BackendRequest request;
    EXPECT_EQ(choose(request, {}).name, "cpu");
    request.is_off[0] = true;
    EXPECT_TRUE(choose(request, {broken("cuda")}).lines.empty());
    request = {.gpumask = 0xffffffff};
    EXPECT_TRUE(choose(request, {broken("cuda")}).lines.empty());
    EXPECT_TRUE(choose({.name = "cpu"}, {broken("cuda")}).lines.empty());
}

TEST(BackendChoice, ADeviceIndexMovesItsBackendToTheFront) {
    std::vector<std::string> started;
    BackendRequest request;
    request.device[2] = 1; // hip
    EXPECT_EQ(choose(request, {working("cuda", &started), working("hip", &started)}).name, "hip");
    EXPECT_EQ(started, std::vector<std::string>{"hip1"});
}

TEST(BackendChoice, ADeviceOfARemovedBackendIsAWarning) {
    BackendRequest request;
    request.device[1] = 0; // sycl
    request.is_off[1] = true;
    const Outcome outcome = choose(request, {working("sycl")});
    EXPECT_EQ(outcome.name, "cpu");
    EXPECT_EQ(outcome.lines, std::vector<std::string>{"--sycl_device has no effect: --no_sycl switches it off"});
}

TEST(BackendChoice, AnExplicitBackendRunsOrFails) {
    EXPECT_EQ(choose({.name = "sycl"}, {working("cuda"), working("sycl")}).name, "sycl");
    EXPECT_EQ(descriptor_of({.name = "hip"}, {working("cuda"), broken("hip")}),
              "{\"error\": \"vmaf_hip_state_init failed\", \"backend_requested\": \"hip\", \"errno\": -19, "
              "\"adr\": \"ADR-0498\", \"exit_code\": 100}\n");
    EXPECT_EQ(descriptor_of({.name = "metal"}, {working("cuda")}),
              "{\"error\": \"backend not compiled into this libvmaf\", \"backend_requested\": \"metal\", \"errno\": 0, "
              "\"adr\": \"ADR-0498\", \"exit_code\": 100}\n");
    try {
        choose({.name = "cuda"}, {broken("cuda", EINVAL)});
        ADD_FAILURE();
    } catch (const Failure &failure) {
        EXPECT_EQ(failure.code(), ExitCode::backend);
        EXPECT_STREQ(failure.what(),
                     "--backend cuda requested but init failed; refusing to silently fall back to CPU (ADR-0498)");
    }
}

TEST(BackendChoice, PinnedFeaturesNeedTheirBackendActive) {
    const std::vector<GpuBackend> built = {working("cuda"), working("sycl")};
    const auto check = [&](const std::string &feature, const char *active) {
        check_pinned_features({{feature, {}}}, {}, built, active);
    };
    check("vif_cuda", "cuda");
    check("vif", "cpu");
    check("_cuda", "cpu");
    check("vif_vulkan", "cpu");
    EXPECT_THROW(check("vif_cuda", "sycl"), Failure);
    EXPECT_THROW(check("nosuch_sycl", "cpu"), Failure);
    EXPECT_THROW(check("vif_metal", "cuda"), Failure);
}

TEST(BackendChoice, ABackendThatScoredNothingWasNotUsed) {
    EXPECT_EQ((BackendChoice{"cuda", open_host_device()}.used(Session({}))), "cpu");
    EXPECT_EQ(BackendChoice{}.used(Session({})), "cpu");
}

TEST(Capabilities, StateWhatIsBuiltUsableAndChosen) {
    const auto has = [](const std::string &text, const std::string &part) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    };
    const std::vector<GpuBackend> built = {broken("cuda", EINVAL), working("sycl")};
    const std::string text = capabilities({}, built);
    has(text, R"("backends": ["cuda", "sycl", "cpu"])");
    has(text, R"("auto": "sycl")");
    has(text, R"("cuda": {"built": true, "usable": false, "errno": -22, "reason": "no device", "devices": []})");
    has(text,
        R"("sycl": {"built": true, "usable": true, "devices": [{"index": 0, "name": "Fake \"1\"", "arch": "sm_90", )"
        R"("memory_bytes": 5, "driver": ""}]})");
    has(text, R"("hip": {"built": false})");
    has(text, R"("vif": ["cpu", "sycl"])");
    Options off;
    off.backend.is_off[1] = true;
    has(capabilities(off, built), R"("auto": "cpu")");
    has(capabilities(off, built), R"("reason": "switched off")");
}

TEST(Capabilities, SayWhereARuntimeWithoutAGpuWouldCompute) {
    GpuBackend processor = working("sycl"), nothing = broken("hip", ENODEV);
    processor.devices = nothing.devices = [] { return std::vector<DeviceInfo>{}; };
    const std::string text = capabilities({}, std::vector{processor, nothing});
    EXPECT_NE(text.find(R"("auto": "cpu")"), std::string::npos) << text;
    EXPECT_NE(
        text.find(
            R"("usable": false, "errno": -19, "reason": "no GPU was found; --backend sycl computes on the processor")"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find(R"("reason": "no GPU was found")"), std::string::npos) << text;
}

} // namespace
} // namespace vmaf::cli
