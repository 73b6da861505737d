// The probe cache: results of encodes and scores by everything that can change them (tune.md 10; one SQLite database,
// safe for several processes).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vmaf::tune {

class SharedResults;

class Cache {
  public:
    // Opens or creates `folder`/cache.sqlite3. A damaged database is set aside and a new one begun.
    // Throws Error if the folder cannot be used.
    Cache(const std::string &folder, std::uint64_t size_limit);
    ~Cache(); // evicts what was used longest ago if the limit is exceeded
    Cache(const Cache &) = delete;
    Cache &operator=(const Cache &) = delete;

    enum class Kind { encode, score, fact, failure };

    // Whatever is wrong with the database, that is a miss.
    std::optional<std::string> find(Kind kind, const std::string &key);
    // `about` is for people. Throws Error.
    void store(Kind kind, const std::string &key, const std::string &json, const std::string &about = "");

    struct Entry {
        Kind kind;
        std::string key, about;
        std::int64_t used = 0; // seconds since 1970
        std::int64_t bytes = 0;
    };
    std::vector<Entry> list(); // latest use first

    struct Statistics {
        std::array<std::int64_t, 4> entries{}; // by kind
        std::int64_t bytes = 0;                // on disk
        std::int64_t oldest = 0;               // use
    };
    Statistics statistics();

    void clear();
    std::int64_t remove_unused_since(std::int64_t time); // how many
    std::int64_t shrink_to(std::uint64_t bytes);         // those used longest ago go first; how many

    struct Check {
        std::int64_t entries = 0, damaged = 0; // the latter have been removed
        std::string database;                  // what SQLite finds wrong; empty: nothing
    };
    Check verify();

    // Encodes, scores and failures are also looked for, and stored, there.
    void share(std::unique_ptr<SharedResults> shared);
    const SharedResults *shared() const { return shared_.get(); } // nothing where results are this machine's own

    bool was_damaged() const { return was_damaged_; } // when it was opened; the remains are beside it

  private:
    struct Database;
    std::int64_t evict(std::uint64_t limit, std::int64_t used_before);

    std::optional<std::string> find_here(Kind kind, const std::string &key);

    std::unique_ptr<Database> database_;
    std::unique_ptr<SharedResults> shared_;
    std::uint64_t size_limit_;
    std::int64_t opened_; // what was used since then is in use
    bool was_damaged_ = false;
};

std::string default_cache_folder(); // throws Error where the environment names no place

} // namespace vmaf::tune
