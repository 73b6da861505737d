// Folders that the system gives to each user.
#pragma once

#include <string>

namespace vmaf::system {

// For what programs can make again: the folder, and the variable of the environment that it comes from. The folder is
// empty where the variable is not set.
struct CacheFolder {
    std::string path;
    const char *variable;
};
CacheFolder user_cache_folder();

} // namespace vmaf::system
