#include "cache/cache.hpp"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <sqlite3.h>

#include "base/error.hpp"

namespace vmaf::tune {

namespace fs = std::filesystem;

namespace {

constexpr const char *kSchema = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                                "CREATE TABLE IF NOT EXISTS results("
                                "  kind INTEGER NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL,"
                                "  used INTEGER NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;"
                                "CREATE INDEX IF NOT EXISTS by_use ON results(used);"
                                "PRAGMA user_version=2;";

class Statement {
  public:
    Statement(sqlite3 *db, const char *sql) {
        if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK)
            throw Error(EIO, std::string("cache: ") + sqlite3_errmsg(db));
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    Statement &bind(int at, std::int64_t value) {
        sqlite3_bind_int64(statement_, at, value);
        return *this;
    }
    Statement &bind(int at, const std::string &text) {
        sqlite3_bind_text(statement_, at, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
        return *this;
    }
    bool step() { // true: a row is there
        const int result = sqlite3_step(statement_);
        if (result == SQLITE_ROW) return true;
        if (result == SQLITE_DONE) return false;
        throw Error(result == SQLITE_FULL ? ENOSPC : EIO, std::string("cache: ") + sqlite3_errstr(result));
    }
    std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
    std::string text(int column) {
        return {reinterpret_cast<const char *>(sqlite3_column_text(statement_, column)),
                static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
    }

  private:
    sqlite3_stmt *statement_ = nullptr;
};

} // namespace

struct Cache::Database {
    sqlite3 *db = nullptr;
    std::mutex mutex;
    ~Database() { sqlite3_close(db); }

    bool open(const std::string &path) {
        sqlite3_close(db);
        db = nullptr;
        if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) return false;
        sqlite3_busy_timeout(db, 10000);
        return sqlite3_exec(db, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK;
    }
};

Cache::Cache(const std::string &folder, std::uint64_t size_limit)
    : database_(std::make_unique<Database>()), size_limit_(size_limit) {
    std::error_code error;
    fs::create_directories(folder, error);
    const std::string path = folder + "/cache.sqlite3";
    if (database_->open(path)) return;
    const int code = sqlite3_errcode(database_->db);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        fs::rename(path, path + ".bad", error);
        if (database_->open(path)) return;
    }
    throw Error(EIO, "the cache in '" + folder + "' cannot be used (" + sqlite3_errmsg(database_->db) +
                         "); give another --cache-dir, or --no-cache");
}

Cache::~Cache() {
    try {
        const std::lock_guard lock(database_->mutex);
        Statement total(database_->db, "SELECT coalesce(sum(length(json) + length(key)), 0) FROM results");
        total.step();
        std::int64_t excess = total.integer(0) - static_cast<std::int64_t>(size_limit_);
        while (excess > 0) {
            Statement oldest(database_->db, "DELETE FROM results WHERE (kind, key) IN (SELECT kind, key FROM results "
                                            "ORDER BY used LIMIT 64) RETURNING length(json) + length(key)");
            std::int64_t freed = 0;
            while (oldest.step()) freed += oldest.integer(0);
            if (freed == 0) break;
            excess -= freed;
        }
    } catch (const Error &) { // eviction can wait for the next run
    }
}

std::optional<std::string> Cache::find(Kind kind, const std::string &key) {
    const std::lock_guard lock(database_->mutex);
    Statement update(database_->db, "UPDATE results SET used = ?3 WHERE kind = ?1 AND key = ?2 RETURNING json");
    update.bind(1, static_cast<std::int64_t>(kind)).bind(2, key).bind(3, std::time(nullptr));
    std::optional<std::string> found;
    while (update.step()) found = update.text(0);
    return found;
}

void Cache::store(Kind kind, const std::string &key, const std::string &json) {
    const std::lock_guard lock(database_->mutex);
    Statement insert(database_->db, "INSERT OR REPLACE INTO results(kind, key, json, used) VALUES(?1, ?2, ?3, ?4)");
    insert.bind(1, static_cast<std::int64_t>(kind)).bind(2, key).bind(3, json).bind(4, std::time(nullptr)).step();
}

Cache::Statistics Cache::statistics() {
    const std::lock_guard lock(database_->mutex);
    Statement query(database_->db, "SELECT count(*), coalesce(sum(length(json) + length(key)), 0) FROM results");
    query.step();
    return {query.integer(0), query.integer(1)};
}

void Cache::clear() {
    const std::lock_guard lock(database_->mutex);
    Statement(database_->db, "DELETE FROM results").step();
}

std::string default_cache_folder() {
    if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return std::string(xdg) + "/vmaf-tune";
    const char *home = std::getenv("HOME");
    return std::string(home && *home ? home : "/tmp") + "/.cache/vmaf-tune";
}

} // namespace vmaf::tune
