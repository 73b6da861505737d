#include "system/log.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string>

#include "base/visible_text.hpp"
#include "system/terminal.hpp"

namespace vmaf {

namespace {

std::atomic<LogLevel> current_level{LogLevel::info};

constexpr std::array<const char *, 5> kNames = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
constexpr std::array<const char *, 5> kColours = {"", "\033[31m", "\033[33m", "\033[32m", "\033[34m"};

} // namespace

void set_log_level(LogLevel level) { current_level.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) {
    return level != LogLevel::none && level <= current_level.load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view text) noexcept {
    if (!log_enabled(level)) return;
    // One call, so that lines of several threads do not mix. Works without memory, so that running out of it can be
    // reported.
    const auto i = static_cast<std::size_t>(level);
    std::string shown;
    try {
        shown = visible_sentence(text);
        text = shown;
    } catch (const std::bad_alloc &) { // prints the unescaped line
    }
    const bool coloured = system::is_terminal(system::Stream::error);
    const int saved = errno;
    std::fprintf(stderr, "libvmaf %s%s%s %.*s\n", coloured ? kColours[i] : "", kNames[i], coloured ? "\033[0m" : "",
                 static_cast<int>(std::min<std::size_t>(text.size(), 1 << 20)), text.data());
    errno = saved;
}

} // namespace vmaf
