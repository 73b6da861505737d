#include "cache/cache.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "system/files.hpp"
#include "system/host.hpp"

namespace vmaf::tune {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;
using Kind = Cache::Kind;

class CacheTest : public testing::Test {
  protected:
    CacheTest() : folder_(system::make_new_folder(system::temporary_folder() + "/vmaf-tune-cache-")) {}
    ~CacheTest() override { fs::remove_all(folder_); }

    void run_sql(const std::string &sql) {
        sqlite3 *db = nullptr;
        ASSERT_EQ(sqlite3_open((folder_ + "/cache.sqlite3").c_str(), &db), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
        sqlite3_close(db);
    }

    // `count` entries last used `age` seconds ago.
    void fill(int count, int age, const std::string &prefix) {
        {
            Cache cache(folder_, UINT64_MAX);
            for (int i = 0; i < count; i++)
                cache.store(Kind::score, prefix + std::to_string(i), "\"" + std::string(4000, 'x') + "\"");
        }
        run_sql("UPDATE results SET used = used - " + std::to_string(age) + " WHERE key LIKE '" + prefix + "%'");
    }

    std::string folder_;
};

TEST_F(CacheTest, RemembersByKindAndKeyAcrossProcesses) {
    { Cache(folder_, UINT64_MAX).store(Kind::encode, "k", "1", "a note"); }
    Cache cache(folder_, UINT64_MAX);
    EXPECT_EQ(cache.find(Kind::encode, "k"), "1");
    EXPECT_EQ(cache.find(Kind::score, "k"), std::nullopt);
    EXPECT_EQ(cache.list().at(0).about, "a note");
    EXPECT_THAT(cache.statistics().entries, ElementsAre(1, 0, 0, 0));
}

TEST_F(CacheTest, EvictsWhatWasUsedLongestAgoWhenItCloses) {
    fill(100, 1000, "old");
    fill(100, 10, "young");
    { Cache cache(folder_, 600'000); }
    Cache cache(folder_, UINT64_MAX);
    EXPECT_LE(cache.statistics().bytes, 600'000);
    EXPECT_FALSE(cache.find(Kind::score, "old0"));
    EXPECT_TRUE(cache.find(Kind::score, "young99"));
}

TEST_F(CacheTest, NeverEvictsWhatTheRunningProcessUses) {
    fill(100, 1000, "old");
    {
        Cache cache(folder_, 50'000);
        EXPECT_TRUE(cache.find(Kind::score, "old7"));
        cache.store(Kind::score, "new", "1"); // far beyond the limit: evicts the others immediately
        EXPECT_FALSE(cache.find(Kind::score, "old8"));
    }
    Cache cache(folder_, UINT64_MAX);
    EXPECT_TRUE(cache.find(Kind::score, "old7"));
    EXPECT_TRUE(cache.find(Kind::score, "new"));
}

TEST_F(CacheTest, PrunesByAgeAndSize) {
    fill(50, 1000, "old");
    fill(50, 0, "young");
    Cache cache(folder_, UINT64_MAX);
    EXPECT_EQ(cache.remove_unused_since(std::time(nullptr) - 500), 50);
    const auto bytes = cache.statistics().bytes;
    EXPECT_GT(cache.shrink_to(static_cast<std::uint64_t>(bytes / 2)), 0);
    EXPECT_LE(cache.statistics().bytes, bytes / 2);
    cache.clear();
    EXPECT_TRUE(cache.list().empty());
}

TEST_F(CacheTest, FindsDamagedEntriesAndDatabases) {
    fill(3, 0, "entry");
    run_sql("UPDATE results SET json = '{torn' WHERE key = 'entry1'");
    {
        Cache cache(folder_, UINT64_MAX);
        const Cache::Check check = cache.verify();
        EXPECT_EQ(check.entries, 3);
        EXPECT_EQ(check.damaged, 1);
        EXPECT_EQ(check.database, "");
        EXPECT_FALSE(cache.find(Kind::score, "entry1"));
        EXPECT_FALSE(cache.was_damaged());
    }
    std::ofstream(folder_ + "/cache.sqlite3") << "no database at all, but long enough to be looked at as one";
    Cache cache(folder_, UINT64_MAX);
    EXPECT_TRUE(cache.was_damaged());
    EXPECT_TRUE(fs::exists(folder_ + "/cache.sqlite3.bad"));
    EXPECT_EQ(cache.find(Kind::score, "entry0"), std::nullopt);
}

TEST_F(CacheTest, TakesOverDatabasesOfTheLayoutBefore) {
    run_sql(
        "CREATE TABLE results(kind INTEGER NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, used INTEGER NOT NULL, "
        "PRIMARY KEY(kind, key)) WITHOUT ROWID; PRAGMA user_version=2; INSERT INTO results VALUES(0, 'k', '1', 5);");
    Cache cache(folder_, UINT64_MAX);
    EXPECT_EQ(cache.find(Kind::encode, "k"), "1");
    cache.store(Kind::encode, "l", "2", "with a note");
    EXPECT_EQ(cache.find(Kind::encode, "l"), "2");
}

TEST_F(CacheTest, LeavesDatabasesOfANewerVersionAlone) {
    fill(1, 0, "entry");
    run_sql("PRAGMA user_version=4");
    try {
        Cache cache(folder_, UINT64_MAX);
        FAIL();
    } catch (const Error &e) {
        EXPECT_NE(std::string(e.what()).find("a newer vmaf-tune made it"), std::string::npos) << e.what();
    }
    run_sql("PRAGMA user_version=3");
    EXPECT_TRUE(Cache(folder_, UINT64_MAX).find(Kind::score, "entry0"));
}

TEST_F(CacheTest, SeveralMayUseItAtOnce) {
    for (int round = 0; round < 20; round++) { // opening a missing database is what collides
        const std::string folder = folder_ + "/" + std::to_string(round);
        std::vector<std::future<void>> users;
        for (int user = 0; user < 6; user++)
            users.push_back(std::async(std::launch::async, [&, user] {
                Cache cache(folder, UINT64_MAX);
                for (int i = 0; i < 10; i++) {
                    cache.store(Kind::score, std::to_string(user) + "-" + std::to_string(i), "1");
                    cache.find(Kind::score, "0-" + std::to_string(i));
                }
            }));
        for (std::future<void> &user : users) EXPECT_NO_THROW(user.get());
        EXPECT_EQ(Cache(folder, UINT64_MAX).list().size(), 60u);
    }
}

} // namespace
} // namespace vmaf::tune
