#include "maps/pending_file.hpp"

#include <cerrno>
#include <random>
#include <span>
#include <system_error>

#include "clips.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"

namespace vmaf::cli {

namespace fs = system::fs;

namespace {

// Resolves links; only files can be replaced.
std::string checked_target(const std::string &path) {
    system::check_output_file(path);
    std::error_code error;
    const auto target = fs::weakly_canonical(path, error);
    if (error) throw system::OutputError(error.value(), "cannot write " + quoted(path) + ": " + error.message());
    if (fs::exists(target, error) && !fs::is_regular_file(target, error))
        throw system::OutputError(EINVAL, quoted(path) + " is not a regular file; give a file for the map");
    return target.string();
}

// In the target's folder, so that it can be renamed.
std::string temporary_name(const std::string &target) {
    return target + ".part-" + std::to_string(std::random_device()());
}

system::OutputError cannot_write(const std::string &name, int code) {
    return {code, "cannot write " + cli::quoted(name) + ": " + std::generic_category().message(code) +
                      "; choose another output file"};
}

} // namespace

PendingFile::PendingFile(const std::string &path)
    : name_(path), target_(checked_target(path)), path_(temporary_name(target_)),
      leftover_(fs::path(path_).native(), [this] {
          file_.emplace(path_);
          return true;
      }) {}

PendingFile::~PendingFile() {
    file_.reset();
    std::error_code error;
    fs::remove(path_, error);
}

// Errors name the user's file.
void PendingFile::write_at(std::uint64_t offset, std::string_view bytes) try {
    file_->write_at(offset, std::as_bytes(std::span(bytes.data(), bytes.size())));
} catch (const system::OutputError &e) {
    throw cannot_write(name_, e.code());
}

void PendingFile::append(std::string_view bytes) {
    write_at(size_, bytes);
    size_ += bytes.size();
}

void PendingFile::put_first(std::string_view bytes) { write_at(0, bytes); }

void PendingFile::finish() try {
    file_.reset();
    system::make_durable(path_);
} catch (const system::OutputError &e) {
    system::stop_if_ending();
    throw cannot_write(name_, e.code());
}

void PendingFile::put_in_place() {
    std::error_code error;
    fs::rename(path_, target_, error);
    if (!error) return system::make_name_durable(target_);
    system::stop_if_ending();
    throw cannot_write(name_, error.value());
}

} // namespace vmaf::cli
