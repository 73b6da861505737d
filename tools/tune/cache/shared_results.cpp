#include "cache/shared_results.hpp"

#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "system/process.hpp"
#include "system/trust.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

// Limits folders to a few thousand names.
fs::path place(const std::string &folder, const std::string &key) { return fs::path(folder) / key.substr(0, 2) / key; }

// Keys are hexadecimal hashes; nothing else becomes part of a path.
bool is_key(const std::string &key) {
    return key.size() >= 3 && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

SharedResults::SharedResults(std::string folder, const std::string &run_folder)
    : folder_(std::move(folder)), encodes_(run_folder.empty() ? "" : run_folder + "/encodes"),
      failures_(run_folder.empty() ? folder_ : run_folder) {
    system::make_own_folder(folder_);
    if (const std::string danger = system::who_else_can_change(folder_, system::Reach::itself); !danger.empty())
        throw system::Untrusted("the shared results in '" + folder_ + "' are not used, because " + danger +
                                "; give another --shared folder");
}

// The next run retries failures.
const std::string &SharedResults::folder_of(const std::string &room) const {
    return room == "failure" ? failures_ : folder_;
}

std::optional<std::string> SharedResults::find(const std::string &room, const std::string &key) const {
    if (!is_key(key)) return std::nullopt;
    fs::ifstream file(place(folder_of(room) + "/" + room, key), std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

void SharedResults::store(const std::string &room, const std::string &key, const std::string &text) const {
    if (!is_key(key)) return;
    const fs::path path = place(folder_of(room) + "/" + room, key);
    fs::create_directories(path.parent_path());
    system::write_output_file(path.string(), [&](const auto &out) { out(text); });
}

std::string SharedResults::find_encode(const std::string &key, const std::string &extension,
                                       std::uint64_t bytes) const {
    if (encodes_.empty() || !is_key(key)) return {};
    const std::string path = place(encodes_, key).string() + "." + extension;
    std::error_code error;
    return fs::file_size(path, error) == bytes && !error ? path : std::string();
}

std::string SharedResults::keep_encode(const std::string &key, const std::string &extension,
                                       const std::string &path) const {
    if (encodes_.empty() || !is_key(key)) return {};
    std::string kept = place(encodes_, key).string() + "." + extension; // not const: it is moved out
    const std::string temporary = kept + "." + std::to_string(system::own_process()) + ".part";
    std::error_code error;
    fs::create_directories(fs::path(kept).parent_path(), error);
    fs::create_hard_link(path, temporary, error);
    if (error) fs::copy_file(path, temporary, fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(temporary, kept, error);
    if (!error) return kept;
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return {};
}

} // namespace vmaf::tune
