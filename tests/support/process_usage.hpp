// For soak tests: memory and handles of this process, and the number of frames.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace soak {

// Linux only.
struct Usage {
    std::int64_t bytes = 0;
    std::ptrdiff_t handles = 0, threads = 0;
};

inline std::optional<Usage> usage() {
    std::ifstream file("/proc/self/statm");
    std::int64_t size = 0, resident = 0;
    if (!(file >> size >> resident)) return std::nullopt;
    const auto entries = [](const char *folder) {
        return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
    };
    return Usage{resident * 4096, entries("/proc/self/fd"), entries("/proc/self/task")};
}

// VMAF_SOAK=1000000 is more than four hours of film; the gate runs fewer.
inline unsigned frames(unsigned usual) {
    const char *const wish = std::getenv("VMAF_SOAK");
    return wish ? static_cast<unsigned>(std::strtoul(wish, nullptr, 10)) : usual;
}

// A score takes a few bytes, a picture of 16x16 over a thousand.
inline constexpr std::int64_t kBytesPerFrame = 256, kOtherBytes = 16 << 20;

} // namespace soak
