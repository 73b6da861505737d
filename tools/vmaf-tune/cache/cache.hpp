// The probe cache: results of encodes and scores by everything that can change them (tune.md 10; one SQLite database,
// safe for several processes).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace vmaf::tune {

class Cache {
  public:
    // Opens or creates `folder`/cache.sqlite3. A damaged database is set aside and a new one begun.
    // Throws Error if the folder cannot be used.
    Cache(const std::string &folder, std::uint64_t size_limit);
    ~Cache(); // evicts what was used longest ago if the limit is exceeded
    Cache(const Cache &) = delete;
    Cache &operator=(const Cache &) = delete;

    enum class Kind { encode, score, fact };
    std::optional<std::string> find(Kind kind, const std::string &key);
    void store(Kind kind, const std::string &key, const std::string &json);

    struct Statistics {
        std::int64_t entries = 0, bytes = 0;
    };
    Statistics statistics();
    void clear();

  private:
    struct Database;
    std::unique_ptr<Database> database_;
    std::uint64_t size_limit_;
};

std::string default_cache_folder();

} // namespace vmaf::tune
