#include "cache/cache.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <thread>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "cache/shared_results.hpp"
#include "system/environment.hpp"
#include "system/filesystem.hpp"
#include "system/trust.hpp"
#include "system/user_folders.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

constexpr const char *kSchema = "CREATE TABLE IF NOT EXISTS results("
                                "  kind INTEGER NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL,"
                                "  used INTEGER NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;"
                                "CREATE INDEX IF NOT EXISTS by_use ON results(used);";
constexpr const char *kAddAbout = "ALTER TABLE results ADD COLUMN about TEXT NOT NULL DEFAULT '';"
                                  "PRAGMA user_version=3;";
constexpr int kVersion = 3;
constexpr std::chrono::milliseconds kPatience{10000};                                        // for other writers
constexpr std::array<const char *, 4> kSharedRooms = {"encode", "score", "fact", "failure"}; // facts stay local

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

constexpr std::array kFiles = {"", "-wal", "-shm", "-journal"}; // of a database

// Anyone who can write to the cache can forge scores.
void check_trust(const std::string &path, system::Reach reach, const std::string &folder) {
    if (const std::string danger = system::who_else_can_change(path, reach); !danger.empty())
        throw system::Untrusted("the cache in '" + folder + "' is not used, because " + danger +
                                "; give another --cache-dir, or --no-cache");
}

} // namespace

struct Cache::Database {
    sqlite3 *db = nullptr;
    int failure = SQLITE_OK;
    std::string reason;
    std::mutex mutex;
    ~Database() { close(); }

    void close() {
        sqlite3_close(db);
        db = nullptr;
    }

    bool open(const std::string &path) {
        close();
        if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) return failed();
        sqlite3_busy_timeout(db, static_cast<int>(kPatience.count()));
        // SQLite does not wait while the journal mode changes: two waiting processes would deadlock.
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (!prepare()) {
            if (failure != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }

    bool prepare() {
        const int found = version();
        if (found == kVersion) return run("PRAGMA synchronous=NORMAL");
        if (found < 0) return failed();
        if (found > kVersion) {
            failure = SQLITE_MISMATCH;
            reason = "a newer vmaf-tune made it: version " + std::to_string(found) + ", this one knows " +
                     std::to_string(kVersion);
            return false;
        }
        // Another process may do the same now: one of them waits and finds it done.
        if (!run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE")) return false;
        if (run(kSchema) && (version() == kVersion || run(kAddAbout)) && run("COMMIT")) return true;
        sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
        return false;
    }

    bool run(const char *sql) { return sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK || failed(); }

    bool failed() { // saves the reason, which clean-up would hide
        failure = sqlite3_errcode(db);
        reason = sqlite3_errmsg(db);
        return false;
    }

    int version() {
        sqlite3_stmt *statement = nullptr;
        int found = -1;
        if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, nullptr) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW)
            found = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        return found;
    }

    std::int64_t number(const char *sql) {
        Statement statement(db, sql);
        return statement.step() ? statement.integer(0) : 0;
    }

    // Used pages, known without reading them.
    std::int64_t bytes() {
        return (number("PRAGMA page_count") - number("PRAGMA freelist_count")) * number("PRAGMA page_size");
    }
};

Cache::Cache(const std::string &folder, std::uint64_t size_limit)
    : database_(std::make_unique<Database>()), size_limit_(size_limit), opened_(std::time(nullptr)) {
    const std::string path = folder + "/cache.sqlite3";
    system::make_own_folder(folder); // on failure, opening the database reports it
    check_trust(folder, system::Reach::with_parents, folder);
    for (const char *part : kFiles) check_trust(path + part, system::Reach::itself, folder);
    std::error_code error;
    if (database_->open(path)) return;
    if (database_->failure == SQLITE_NOTADB || database_->failure == SQLITE_CORRUPT) {
        was_damaged_ = true;
        database_->close(); // Windows cannot rename open files
        for (const char *part : kFiles) fs::rename(path + part, path + part + ".bad", error);
        if (database_->open(path)) return;
    }
    throw Error(EIO, "the cache in '" + folder + "' cannot be used (" + database_->reason +
                         "); give another --cache-dir, or --no-cache");
}

Cache::~Cache() {
    try {
        const std::lock_guard lock(database_->mutex);
        evict(size_limit_, opened_);
    } catch (const Error &) { // eviction can wait for the next run
    }
}

// The caller holds the mutex.
std::int64_t Cache::evict(std::uint64_t limit, std::int64_t used_before) {
    std::int64_t evicted = 0;
    while (database_->bytes() > static_cast<std::int64_t>(std::min<std::uint64_t>(limit, INT64_MAX))) {
        Statement oldest(database_->db, "DELETE FROM results WHERE (kind, key) IN (SELECT kind, key FROM results "
                                        "WHERE used < ?1 ORDER BY used LIMIT 64)");
        oldest.bind(1, used_before).step();
        const int count = sqlite3_changes(database_->db);
        if (count == 0) break;
        evicted += count;
    }
    return evicted;
}

void Cache::share(std::unique_ptr<SharedResults> shared) { shared_ = std::move(shared); }

std::optional<std::string> Cache::find(Kind kind, const std::string &key) {
    std::optional<std::string> found = find_here(kind, key);
    return found || !shared_ || kind == Kind::fact ? found : shared_->find(kSharedRooms.at(std::size_t(kind)), key);
}

std::optional<std::string> Cache::find_here(Kind kind, const std::string &key) {
    const std::lock_guard lock(database_->mutex);
    try {
        Statement query(database_->db, "SELECT json, used FROM results WHERE kind = ?1 AND key = ?2");
        query.bind(1, static_cast<std::int64_t>(kind)).bind(2, key);
        if (!query.step()) return std::nullopt;
        const std::string found = query.text(0);
        const std::int64_t now = std::time(nullptr);
        if (query.integer(1) < now) { // one write per second is enough
            Statement update(database_->db, "UPDATE results SET used = ?3 WHERE kind = ?1 AND key = ?2");
            update.bind(1, static_cast<std::int64_t>(kind)).bind(2, key).bind(3, now).step();
        }
        return found;
    } catch (const Error &) {
        return std::nullopt;
    }
}

void Cache::store(Kind kind, const std::string &key, const std::string &json, const std::string &about) {
    if (shared_ && kind != Kind::fact) shared_->store(kSharedRooms.at(std::size_t(kind)), key, json);
    const std::lock_guard lock(database_->mutex);
    Statement insert(database_->db,
                     "INSERT OR REPLACE INTO results(kind, key, json, used, about) VALUES(?1, ?2, ?3, ?4, ?5)");
    insert.bind(1, static_cast<std::int64_t>(kind)).bind(2, key).bind(3, json).bind(4, std::time(nullptr));
    insert.bind(5, about).step();
    if (static_cast<double>(database_->bytes()) > 1.1 * static_cast<double>(size_limit_)) evict(size_limit_, opened_);
}

std::vector<Cache::Entry> Cache::list() {
    const std::lock_guard lock(database_->mutex);
    Statement query(database_->db, "SELECT kind, key, about, used, length(CAST(json AS BLOB)) FROM results "
                                   "ORDER BY used DESC, kind, key");
    std::vector<Entry> entries;
    while (query.step())
        entries.push_back(
            {static_cast<Kind>(query.integer(0)), query.text(1), query.text(2), query.integer(3), query.integer(4)});
    return entries;
}

Cache::Statistics Cache::statistics() {
    const std::lock_guard lock(database_->mutex);
    Statistics statistics;
    Statement query(database_->db, "SELECT kind, count(*), min(used) FROM results GROUP BY kind");
    while (query.step()) {
        const auto kind = static_cast<std::size_t>(query.integer(0));
        if (kind < statistics.entries.size()) statistics.entries[kind] = query.integer(1);
        if (statistics.oldest == 0 || query.integer(2) < statistics.oldest) statistics.oldest = query.integer(2);
    }
    statistics.bytes = database_->bytes();
    return statistics;
}

void Cache::clear() {
    const std::lock_guard lock(database_->mutex);
    Statement(database_->db, "DELETE FROM results").step();
    Statement(database_->db, "VACUUM").step();
}

std::int64_t Cache::remove_unused_since(std::int64_t time) {
    const std::lock_guard lock(database_->mutex);
    Statement(database_->db, "DELETE FROM results WHERE used < ?1").bind(1, time).step();
    const int count = sqlite3_changes(database_->db);
    if (count > 0) Statement(database_->db, "VACUUM").step();
    return count;
}

std::int64_t Cache::shrink_to(std::uint64_t bytes) {
    const std::lock_guard lock(database_->mutex);
    const std::int64_t count = evict(bytes, INT64_MAX);
    if (count > 0) Statement(database_->db, "VACUUM").step();
    return count;
}

Cache::Check Cache::verify() {
    const std::lock_guard lock(database_->mutex);
    Check check;
    Statement integrity(database_->db, "PRAGMA integrity_check");
    while (integrity.step())
        if (const std::string line = integrity.text(0); line != "ok") add_item(check.database, line, "; ");
    std::vector<std::pair<std::int64_t, std::string>> bad;
    {
        Statement query(database_->db, "SELECT kind, key, json FROM results");
        while (query.step()) {
            check.entries++;
            if (!nlohmann::json::accept(query.text(2))) bad.emplace_back(query.integer(0), query.text(1));
        }
    }
    for (const auto &[kind, key] : bad)
        Statement(database_->db, "DELETE FROM results WHERE kind = ?1 AND key = ?2").bind(1, kind).bind(2, key).step();
    check.damaged = std::ssize(bad);
    return check;
}

bool read_stored(Cache *cache, Cache::Kind kind, const std::string &key,
                 const std::function<void(const nlohmann::json &)> &take) {
    if (!cache || key.empty()) return false;
    const auto text = cache->find(kind, key);
    if (!text) return false;
    try {
        take(nlohmann::json::parse(*text));
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

std::string try_store(Cache *cache, Cache::Kind kind, const std::string &key, const nlohmann::json &value,
                      const std::string &about) {
    if (!cache || key.empty()) return {};
    try {
        cache->store(kind, key, json_line(value), about);
        return {};
    } catch (const Error &e) {
        return e.what();
    }
}

std::string default_cache_folder() {
    // A relative path would mean another cache in every folder.
    if (const auto xdg = system::environment("XDG_CACHE_HOME"); xdg && fs::path(*xdg).is_absolute())
        return *xdg + "/vmaf-tune";
    const auto [folder, variable] = system::user_cache_folder();
    if (fs::path(folder).is_absolute()) return folder + "/vmaf-tune";
    throw invalid("there is no place for the cache, because neither XDG_CACHE_HOME nor " + std::string(variable) +
                  " names a folder; give --cache-dir, or --no-cache");
}

} // namespace vmaf::tune
