// The probe cache: results of encodes and scores, keyed by everything that affects them (tune.md 10; one SQLite
// database, safe for several processes).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vmaf::tune {

class SharedResults;

class Cache {
  public:
    // Opens or creates `folder`/cache.sqlite3. Sets a damaged database aside and starts a new one. Throws Error if the
    // folder is unusable.
    Cache(const std::string &folder, std::uint64_t size_limit);
    ~Cache(); // evicts the least recently used entries beyond the limit
    Cache(const Cache &) = delete;
    Cache &operator=(const Cache &) = delete;

    enum class Kind { encode, score, fact, failure };

    // Any problem with the database counts as a miss.
    std::optional<std::string> find(Kind kind, const std::string &key);
    // `about` is for users. Throws Error.
    void store(Kind kind, const std::string &key, const std::string &json, const std::string &about = "");

    struct Entry {
        Kind kind;
        std::string key, about;
        std::int64_t used = 0; // seconds since 1970
        std::int64_t bytes = 0;
    };
    std::vector<Entry> list(); // most recently used first

    struct Statistics {
        std::array<std::int64_t, 4> entries{}; // by kind
        std::int64_t bytes = 0;                // on disk
        std::int64_t oldest = 0;               // use
    };
    Statistics statistics();

    void clear();
    std::int64_t remove_unused_since(std::int64_t time); // returns how many
    std::int64_t shrink_to(std::uint64_t bytes);         // evicts the least recently used; returns how many

    struct Check {
        std::int64_t entries = 0, damaged = 0; // damaged ones have been removed
        std::string database;                  // SQLite's finding; empty: nothing
    };
    Check verify();

    // Also looks up and stores encodes, scores and failures there.
    void share(std::unique_ptr<SharedResults> shared);
    const SharedResults *shared() const { return shared_.get(); } // null if results are local to this machine

    bool was_damaged() const { return was_damaged_; } // at opening; its remains are next to it

  private:
    struct Database;
    std::int64_t evict(std::uint64_t limit, std::int64_t used_before);

    std::optional<std::string> find_here(Kind kind, const std::string &key);

    std::unique_ptr<Database> database_;
    std::unique_ptr<SharedResults> shared_;
    std::uint64_t size_limit_;
    std::int64_t opened_; // entries used since then are in use
    bool was_damaged_ = false;
};

// Passes on a stored document. False: there is none (or no cache, or no key), or it is damaged: `take` threw.
bool read_stored(Cache *cache, Cache::Kind kind, const std::string &key,
                 const std::function<void(const nlohmann::json &)> &take);
// A result is good even if it cannot be stored: returns why not; empty: it was, or there is no cache or no key.
std::string try_store(Cache *cache, Cache::Kind kind, const std::string &key, const nlohmann::json &value,
                      const std::string &about = "");

std::string default_cache_folder(); // throws Error if the environment defines no place

} // namespace vmaf::tune
