#include "cli/new_file.hpp"

#include <cstring>

#include "base/error.hpp"
#include "cli/command_error.hpp"
#include "system/files.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

std::string folder_of(const std::string &output) {
    const fs::path place = fs::absolute(output);
    if (is_made_by_another(place.parent_path().string(), place.filename().string()))
        throw CommandError(kExitOutput, "'" + output +
                                            "' is being written by another vmaf-tune; wait until it has ended, or "
                                            "give another --output");
    return place.parent_path().string();
}

// Disk errors concern the output, whatever the file's current name.
template <class Step> void ask_disk(const std::string &output, Step step) {
    try {
        step();
    } catch (const Error &e) {
        throw storage_error(output, std::strerror(e.code()));
    }
}

} // namespace

NewFile::NewFile(const std::string &output)
    : output_(output), folder_(folder_of(output), false, WorkFolder::Holds::results),
      path_((fs::path(folder_.path()) / fs::path(output).filename()).string()) {
    try {
        system::reserve_file(path_); // from now on others can see it
    } catch (const Error &e) {
        throw CommandError(kExitOutput, e.what());
    }
}

void NewFile::keep(bool replaces) const {
    if (!replaces) { // unlike a rename, a link replaces nothing
        std::error_code error;
        ask_disk(output_, [&] { system::make_durable(path_); });
        fs::create_hard_link(path_, output_, error);
        if (!error) return ask_disk(output_, [&] { system::make_name_durable(output_); });
        if (error == std::errc::file_exists)
            throw CommandError(kExitOutput, "'" + output_ +
                                                "' was made by another program meanwhile; use --overwrite or another "
                                                "--output");
    }
    put_in_place(path_, output_);
}

CommandError storage_error(const std::string &output, const std::string &why) {
    return {kExitOutput, "'" + output + "' cannot be written: " + why + "; free some space, or give another output"};
}

void demand_success(const ChildResult &outcome, const std::string &stage, const std::string &output) {
    if (const std::string why = storage_failure(outcome); !why.empty()) throw storage_error(output, why);
    if (!outcome.ok()) throw CommandError(kExitFailed, explain_failure(stage, outcome.code, outcome.error_tail));
}

PacketSummary demand_whole(const Programs &programs, const ChildResult &outcome, const std::string &path,
                           const FrameWish &wish, const std::string &output) {
    const WrittenFile file = check_written(programs, outcome, path, wish);
    if (file.fault == WrittenFile::Fault::storage) throw storage_error(output, file.sentence);
    if (file.fault == WrittenFile::Fault::content) throw CommandError(kExitFailed, file.sentence);
    if (const std::string why = reading_failure(programs, path); !why.empty())
        throw CommandError(kExitFailed, "the finished file cannot be read to its end: " + why);
    return file.packets;
}

void put_in_place(const std::string &part, const std::string &output) {
    ask_disk(output, [&] { system::make_durable(part); });
    std::error_code error;
    fs::rename(part, output, error); // replaces a link
    if (error) throw CommandError(kExitOutput, "'" + output + "' cannot be written: " + error.message());
    ask_disk(output, [&] { system::make_name_durable(output); });
}

} // namespace vmaf::tune
