#include "base/log.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <string>

#include "system/terminal.hpp"

namespace vmaf {

namespace {

std::atomic<LogLevel> current_level{LogLevel::info};

constexpr std::array<std::string_view, 5> kNames = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
constexpr std::array<std::string_view, 5> kColours = {"", "\033[31m", "\033[33m", "\033[32m", "\033[34m"};

} // namespace

void set_log_level(LogLevel level) { current_level.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) {
    return level != LogLevel::none && level <= current_level.load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view text) {
    if (!log_enabled(level)) return;
    const auto i = static_cast<std::size_t>(level);
    std::string line = "libvmaf ";
    if (system::is_terminal(system::Stream::error)) {
        line.append(kColours[i]).append(kNames[i]).append("\033[0m");
    } else {
        line.append(kNames[i]);
    }
    line.append(" ").append(text).append("\n");
    std::fwrite(line.data(), 1, line.size(), stderr); // one call, so that lines of several threads do not mix
}

} // namespace vmaf
