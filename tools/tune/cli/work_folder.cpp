#include "cli/work_folder.hpp"

#include "cli/command_error.hpp"
#include "system/files.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/output_file.hpp"
#include "system/trust.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

constexpr const char *kPrefix = ".vmaf-tune-";
constexpr auto kSettled = std::chrono::minutes(1); // a younger folder may not be locked by its owner yet
constexpr std::uint64_t kLeastRoom = 64u << 20;

enum class Owner { running, gone, never }; // kept folders have no lock

bool is_scratch_folder(const auto &entry) {
    std::error_code error;
    return entry.path().filename().string().starts_with(kPrefix) && !entry.is_symlink(error) &&
           entry.is_directory(error) &&
           system::who_else_can_change(entry.path().string(), system::Reach::itself).empty();
}

// Calls `visit` for every scratch folder last changed before `age` ago, with its lock.
template <class Visit> void for_each_older(const std::string &base, std::chrono::seconds age, Visit visit) {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(base, error)) {
        if (!is_scratch_folder(entry)) continue;
        const auto changed = fs::last_write_time(entry.path(), error);
        if (error || fs::file_time_type::clock::now() - changed < age) continue;
        auto lock = system::FileLock::try_old((entry.path() / ".lock").string());
        const Owner owner = !lock ? Owner::never : lock->is_held() ? Owner::gone : Owner::running;
        visit(entry.path(), owner, lock);
    }
}

// Some systems delete a locked file only when it is closed, and folders only when empty.
void remove_folder(const fs::path &path, system::FileLock &lock) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
    lock.release();
    fs::remove_all(path, ignored);
}

} // namespace

std::string scratch_base(const std::string &wish) { return wish.empty() ? system::temporary_folder() : wish; }

bool is_made_by_another(const std::string &base, const std::string &name) {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(base, error)) {
        if (!is_scratch_folder(entry) || !fs::exists(entry.path() / name, error)) continue; // its owner has locked it
        const auto lock = system::FileLock::try_old((entry.path() / ".lock").string());
        if (lock && !lock->is_held()) return true;
    }
    return false;
}

std::vector<fs::path> scratch_folders_older_than(const std::string &wish, std::chrono::hours age) {
    std::vector<fs::path> found;
    for_each_older(scratch_base(wish), age, [&](const fs::path &path, Owner owner, const auto &) {
        if (owner != Owner::running) found.push_back(path);
    });
    return found;
}

WorkFolder::WorkFolder(const std::string &wish, bool keep, Holds holds) : keep_(keep) {
    const std::string base = scratch_base(wish);
    std::error_code error;
    fs::create_directories(base, error);
    for_each_older(base, kSettled, [](const fs::path &path, Owner owner, auto &lock) {
        if (owner == Owner::gone) remove_folder(path, *lock);
    });
    try {
        path_ = system::make_new_folder(base + "/" + kPrefix);
    } catch (const system::OutputError &e) {
        throw CommandError(kExitOutput,
                           "no scratch folder can be made in '" + base + "', give another --work-dir: " + e.what());
    }
    if (!keep_) lock_ = system::FileLock::try_new(path_ + "/.lock");
    if (holds == Holds::results) return;
    try {
        check_room(kLeastRoom);
    } catch (const CommandError &) {
        remove_folder(path_, lock_);
        throw;
    }
}

WorkFolder::~WorkFolder() {
    std::error_code error;
    if (!keep_)
        remove_folder(path_, lock_);
    else if (fs::is_empty(path_, error))
        fs::remove(path_, error);
}

void WorkFolder::check_room(std::uint64_t bytes) const {
    std::error_code error;
    const fs::space_info space = fs::space(path_, error);
    const std::uint64_t wanted = std::max(bytes, kLeastRoom);
    if (error || space.available >= wanted) return;
    throw CommandError(kExitOutput, "only " + std::to_string(space.available >> 20) + " MB are free in '" +
                                        fs::path(path_).parent_path().string() + "', at least " +
                                        std::to_string(wanted >> 20) + " MB are needed; give another --work-dir");
}

} // namespace vmaf::tune
