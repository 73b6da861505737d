#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cache/shared_results.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/worker.hpp"
#include "system/files.hpp"
#include "system/host.hpp"

namespace vmaf::tune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class Folder {
  public:
    ~Folder() { fs::remove_all(path); }
    std::string path = system::make_new_folder(system::temporary_folder() + "/vmaf-tune-jobs-");
};

RunFolder make_run(const std::string &shared, std::size_t units) {
    Manifest manifest;
    manifest.command = "corpus";
    for (std::size_t i = 0; i < units; i++) manifest.units.push_back(i);
    return RunFolder::create(shared, std::move(manifest));
}

TEST(RunFolder, AUnitIsClaimedOnce) {
    const Folder folder;
    RunFolder run = make_run(folder.path, 2000);
    RunFolder other(run.path());
    EXPECT_EQ(other.manifest().units.size(), 2000u);
    EXPECT_TRUE(run.claim(1500, "1_0.0"));
    EXPECT_FALSE(other.claim(1500, "1_1.0"));
    EXPECT_THAT(other.attempts(1500), ElementsAre("1_0.0"));
    EXPECT_EQ(run.add_attempt(1500, "1_0.1"), 2u);
    EXPECT_TRUE(other.claimed()[1500]);
    run.release(1500);
    EXPECT_TRUE(other.claim(1500, "1_1.0"));
}

TEST(RunFolder, ResultsAreReadAsTheyComeAndCountOnce) {
    const Folder folder;
    RunFolder run = make_run(folder.path, 4);
    run.add_result("1_0.0", 2, {{nlohmann::json::object({{"crf", 20}})}, ""});
    EXPECT_EQ(run.outcomes().size(), 1u);
    EXPECT_EQ(run.left(0), 3u);
    run.add_result("1_1.0", 2, {{nlohmann::json::object({{"crf", 99}})}, ""}); // an attempt that was considered lost
    run.add_result("1_1.0", 3, {{}, "broken", kExitFailed});
    std::ofstream(run.path() + "/rows/1_1.0.jsonl", std::ios::app)
        << "{\"unit\":0,\"failed\":fal"; // an incomplete line
    EXPECT_EQ(run.outcomes().size(), 2u);
    EXPECT_FALSE(run.outcomes().at(2).has_failed);
    EXPECT_EQ(run.outcomes().at(3).failure, "broken");
    EXPECT_EQ(run.outcomes().at(3).exit_code, kExitFailed);
    run.add_result("1_1.0", 0,
                   {{nlohmann::json::object({{"crf", 1}, {"exit_status", 101}})}, ""}); // drops the incomplete line
    RunFolder again(run.path());
    EXPECT_EQ(again.outcomes().size(), 3u);
    EXPECT_TRUE(again.outcomes().at(0).has_failed); // one of its rows
    std::vector<std::string> seen;
    again.each_unit(4, [&](UnitRows &unit) {
        seen.push_back(unit.unit().dump() + " " + nlohmann::json(unit.rows).dump() + unit.failure);
    });
    EXPECT_THAT(seen, ElementsAre(R"(0 [{"crf":1,"exit_status":101}])", R"(2 [{"crf":20}])", "3 []broken"));
}

TEST(RunFolder, DamagedRowsAreNotTakenForWhole) {
    const Folder folder;
    RunFolder run = make_run(folder.path, 3);
    std::ofstream(run.path() + "/rows/1_0.0.jsonl")
        << "{\"unit\":0,\"failed\":false,\"rows\":[}]}\nx\n{\"unit\":-1,\"failed\":false,\"rows\":[]}\n"
        << "{\"unit\":9,\"failed\":false,\"rows\":[]}\n{\"unit\":2,\"failed\":maybe,\"rows\":[]}\n";
    EXPECT_EQ(run.outcomes().size(), 1u);
    EXPECT_THROW(run.rows(3), Error);
}

TEST(RunFolder, WhatIsNoneIsRefused) {
    const Folder folder;
    EXPECT_THROW(RunFolder(folder.path), Error);
    std::ofstream(folder.path + "/run.json") << "{\"units\": 5}";
    EXPECT_THROW(RunFolder(folder.path), Error);
}

TEST(RunFolder, ThatOfAnotherVersionIsRefusedWithASentence) {
    const Folder folder;
    std::ofstream(folder.path + "/run.json") << R"({"version": 1, "id": "x", "command": "corpus", "units": []})";
    try {
        RunFolder run(folder.path);
        FAIL() << "it was accepted as one of this version";
    } catch (const Error &e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("another version of vmaf-tune (format 1, not 3)"));
    }
}

TEST(RunFolder, PhasesFollowEachOther) {
    const Folder folder;
    RunFolder run = make_run(folder.path, 2), other(run.path());
    run.add_result("1_0.0", 0, {{"a"}, ""});
    run.add_result("1_0.0", 1, {{"b"}, ""});
    run.add_phase({"x", "y", "z"});
    EXPECT_THAT(run.manifest().phases, ElementsAre(0, 2));
    EXPECT_EQ(other.manifest().units.size(), 2u);
    other.read_phases();
    EXPECT_EQ(other.manifest().units.size(), 5u);
    EXPECT_EQ(other.left(1), 3u);
    EXPECT_TRUE(other.claim(4, "2_0.0"));
    const JobRows before = other.rows(other.manifest().phases[1]);
    ASSERT_EQ(before.size(), 2u);
    EXPECT_EQ(before[1].rows.front(), "b");
}

TEST(UnitChooser, WorkersTakeEveryUnitOnceAndFewerAtATimeTowardsTheEnd) {
    constexpr std::size_t kUnits = 1000, kWorkers = 7;
    std::vector<bool> taken(kUnits, false);
    std::vector<UnitChooser> workers;
    for (std::size_t i = 0; i < kWorkers; i++) workers.emplace_back(0, kUnits, i, kWorkers);
    std::vector<std::size_t> sizes;
    for (bool more = true; more;) {
        more = false;
        for (UnitChooser &worker : workers) {
            worker.set_taken(taken);
            const std::vector<std::size_t> units = worker.next();
            for (const std::size_t unit : units) {
                ASSERT_FALSE(taken[unit]);
                taken[unit] = true;
            }
            if (units.empty()) continue;
            sizes.push_back(units.size());
            worker.measured(units.size(), 0.1 * double(units.size()));
            more = true;
        }
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), true), std::ptrdiff_t(kUnits));
    EXPECT_EQ(sizes.front(), 1u);                                  // their length is still unknown
    EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), 20u); // then many short ones at once
    EXPECT_EQ(sizes.back(), 1u);
}

TEST(UnitChooser, LongUnitsAreTakenOneByOne) {
    UnitChooser chooser(10, 110, 0, 1);
    chooser.measured(1, 60);
    EXPECT_THAT(chooser.next(), ElementsAre(10));
    chooser.set_taken(std::vector<bool>(110, true));
    EXPECT_THAT(chooser.next(), IsEmpty());
}

TEST(SharedResults, AreFoundByOthersAndEncodesByTheirSize) {
    const Folder folder;
    fs::create_directories(folder.path + "/run");
    const SharedResults mine(folder.path + "/results", folder.path + "/run"),
        theirs(folder.path + "/results", folder.path + "/other");
    mine.store("score", "abcdef", "{}");
    EXPECT_EQ(theirs.find("score", "abcdef"), "{}");
    EXPECT_FALSE(theirs.find("encode", "abcdef"));
    mine.store("failure", "abcdef", "{}"); // another run tries again
    EXPECT_TRUE(mine.find("failure", "abcdef"));
    EXPECT_FALSE(theirs.find("failure", "abcdef"));
    std::ofstream(folder.path + "/x.mkv") << "12345";
    EXPECT_NE(mine.keep_encode("abcdef", "mkv", folder.path + "/x.mkv"), "");
    EXPECT_NE(mine.find_encode("abcdef", "mkv", 5), "");
    EXPECT_EQ(mine.find_encode("abcdef", "mkv", 6), "");
    std::ofstream(folder.path + "/secret") << "12345";
    EXPECT_FALSE(mine.find("score", "../../../secret"));
    EXPECT_EQ(mine.find_encode("../../secret", "mkv", 5), "");
    mine.store("score", "../../../made", "{}");
    EXPECT_FALSE(fs::exists(folder.path + "/made"));
}

} // namespace
} // namespace vmaf::tune
