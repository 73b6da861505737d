#include "cli/new_file.hpp"

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

} // namespace

NewFile::NewFile(const std::string &output)
    : output_(output), folder_(folder_of(output), false, WorkFolder::Holds::results),
      path_((fs::path(folder_.path()) / fs::path(output).filename()).string()) {
    try {
        system::reserve_file(path_); // others see it from now on
    } catch (const Error &e) {
        throw CommandError(kExitOutput, e.what());
    }
}

void NewFile::keep(bool replaces) const {
    std::error_code error;
    if (!replaces) { // a link, unlike a new name, takes nobody's place
        fs::create_hard_link(path_, output_, error);
        if (!error) return;
        if (error == std::errc::file_exists)
            throw CommandError(kExitOutput, "'" + output_ +
                                                "' was made by another program meanwhile; use --overwrite or another "
                                                "--output");
    }
    fs::rename(path_, output_, error);
    if (error) throw CommandError(kExitOutput, "'" + output_ + "' cannot be written: " + error.message());
}

} // namespace vmaf::tune
