// Log lines on stderr, `libvmaf LEVEL text`, up to a process-wide level (c-api.md 4).
#pragma once

#include <string_view>

namespace vmaf {

enum class LogLevel { none = 0, error = 1, warning = 2, info = 3, debug = 4 };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
void log(LogLevel level, std::string_view text) noexcept;

} // namespace vmaf
