#include "system/program.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <mach-o/dyld.h>
#include <thread>

namespace vmaf::system {

std::string program_path() {
    std::uint32_t bytes = 0;
    _NSGetExecutablePath(nullptr, &bytes); // returns the length
    std::string path(bytes, '\0');
    if (_NSGetExecutablePath(path.data(), &bytes) != 0) return {};
    path.resize(path.find('\0'));
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    return error ? path : real.string();
}

unsigned usable_processors() { return std::max(1u, std::thread::hardware_concurrency()); }

bool has_threads() { return true; }

} // namespace vmaf::system
