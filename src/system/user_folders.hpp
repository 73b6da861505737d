// Folders that the system provides for each user.
#pragma once

#include <string>

namespace vmaf::system {

// For data that programs can recreate: the folder, and the environment variable that names it. Empty
// if the variable is not set.
struct CacheFolder {
    std::string path;
    const char *variable;
};
CacheFolder user_cache_folder();

} // namespace vmaf::system
