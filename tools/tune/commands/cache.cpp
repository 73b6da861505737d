// `cache`: lists and removes cached results (tune.md 10.9).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "cache/cache.hpp"
#include "cli/add_option.hpp"
#include "cli/command_error.hpp"
#include "cli/complain.hpp"
#include "cli/work_folder.hpp"
#include "commands/commands.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

enum class CacheAction { stats, list, prune, clear, verify };

struct CacheRequest : RunningOptions {
    CacheAction action = CacheAction::stats;
    std::string older, shrink_to;
    bool remove_scratch = false;
};

constexpr std::array kKinds = {"encode", "score", "fact", "failure"};
constexpr auto kOld = std::chrono::hours(7 * 24);

std::string day_and_time(std::int64_t seconds) {
    const std::tm utc = system::utc(seconds);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc);
    return text;
}

void print_statistics(Cache &cache, const std::string &folder) {
    const Cache::Statistics s = cache.statistics();
    std::int64_t entries = 0;
    for (const std::int64_t count : s.entries) entries += count;
    std::printf("%s: %lld entries, %lld bytes\n", folder.c_str(), static_cast<long long>(entries),
                static_cast<long long>(s.bytes));
    for (std::size_t i = 0; i < kKinds.size(); i++)
        std::printf("  %-8s %lld\n", kKinds[i], static_cast<long long>(s.entries[i]));
    if (entries > 0) std::printf("  used longest ago: %s\n", day_and_time(s.oldest).c_str());
}

void print_list(Cache &cache, bool as_json) {
    for (const Cache::Entry &entry : cache.list()) {
        const char *kind = kKinds.at(static_cast<std::size_t>(entry.kind));
        if (as_json)
            std::printf("%s\n", json_line({{"kind", kind},
                                           {"key", entry.key},
                                           {"about", entry.about},
                                           {"used", day_and_time(entry.used)},
                                           {"bytes", entry.bytes}})
                                    .c_str());
        else
            std::printf("%-8s %s %8lld  %.12s  %s\n", kind, day_and_time(entry.used).c_str(),
                        static_cast<long long>(entry.bytes), entry.key.c_str(), visible(entry.about).c_str());
    }
}

// Abandoned scratch folders (17.2): listed, and removed on request.
void prune_scratch(const CacheRequest &o) {
    std::vector<system::fs::path> old = scratch_folders_older_than(o.work_dir, kOld);
    if (old.empty()) return;
    for (const auto &path : old) {
        std::error_code error;
        if (o.remove_scratch) system::fs::remove_all(path, error);
        std::printf("%s%s\n", o.remove_scratch ? (error ? "cannot remove " : "removed ") : "old scratch folder: ",
                    path.string().c_str());
    }
    if (!o.remove_scratch) std::printf("remove them with `vmaf-tune cache prune --scratch`\n");
}

int run_cache(const CacheRequest &o) {
    const std::string folder = o.cache_dir.empty() ? default_cache_folder() : o.cache_dir;
    Cache cache(folder, UINT64_MAX);
    if (cache.was_damaged())
        complain("cache", "the database in '" + folder + "' was damaged; its remains are in *.bad");
    if (o.action == CacheAction::list) {
        print_list(cache, o.json);
    } else if (o.action == CacheAction::clear) {
        cache.clear();
        print_statistics(cache, folder);
    } else if (o.action == CacheAction::prune) {
        if (o.older.empty() && o.shrink_to.empty() && !o.remove_scratch) {
            prune_scratch(o);
            throw usage_error("prune needs --older TIME, --to SIZE or --scratch; `cache clear` forgets everything");
        }
        std::int64_t count = 0;
        if (!o.older.empty())
            count += cache.remove_unused_since(std::time(nullptr) - static_cast<std::int64_t>(parse_duration(o.older)));
        if (!o.shrink_to.empty()) count += cache.shrink_to(static_cast<std::uint64_t>(parse_size(o.shrink_to)));
        std::printf("forgot %lld entries\n", static_cast<long long>(count));
        prune_scratch(o);
        print_statistics(cache, folder);
    } else if (o.action == CacheAction::verify) {
        const Cache::Check check = cache.verify();
        std::printf("%lld entries, %lld damaged and removed; database: %s\n", static_cast<long long>(check.entries),
                    static_cast<long long>(check.damaged), check.database.empty() ? "sound" : check.database.c_str());
        if (!check.database.empty())
            throw CommandError(kExitOutput, "the database is damaged; `vmaf-tune cache clear` starts a new one");
    } else {
        print_statistics(cache, folder);
    }
    return cache.was_damaged() ? kExitOutput : kExitOk;
}

void bind_cache(CLI::App &app, CacheRequest &o) {
    add_option(app, "--cache-dir", o.cache_dir, "cache to inspect");
    app.require_subcommand(1);
    const auto action = [&](const std::string &name, CacheAction what, const std::string &summary) {
        CLI::App *sub = app.add_subcommand(name, summary);
        sub->fallthrough(); // --cache-dir may follow
        sub->callback([&o, what] { o.action = what; });
        return sub;
    };
    action("stats", CacheAction::stats, "entries and size");
    action("list", CacheAction::list, "every entry: kind, last use, size, what it is about")
        ->add_flag("--json", o.json, "print JSON lines");
    CLI::App *prune = action("prune", CacheAction::prune, "remove old entries");
    add_option(*prune, "--older", o.older, "remove entries unused for this long, such as 720h");
    add_option(*prune, "--to", o.shrink_to, "remove the least recently used entries down to this size, such as 1G");
    prune->add_flag("--scratch", o.remove_scratch, "remove scratch folders older than seven days");
    add_option(*prune, "--work-dir,--temp-dir", o.work_dir, "where to look for scratch folders");
    action("clear", CacheAction::clear, "remove everything");
    action("verify", CacheAction::verify, "check the database and remove damaged entries");
}

} // namespace

void add_cache(Commands &commands) {
    commands.add<CacheRequest>(
        {"cache",
         "the cache of results",
         {},
         "  vmaf-tune cache stats\n  vmaf-tune cache prune --older 720h --to 1G\n  vmaf-tune cache clear"},
        bind_cache, run_cache);
}

} // namespace vmaf::tune
