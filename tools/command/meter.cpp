#include "meter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

namespace vmaf::cli {

namespace {

constexpr auto kRefresh = std::chrono::milliseconds(50);
constexpr auto kSpinner = std::to_array<const char *>({"⠏", "⠛", "⠹", "⢸", "⣰", "⣤", "⣆", "⡇"});

std::string clock_time(double seconds) {
    const auto whole = static_cast<unsigned long long>(seconds + 0.5);
    std::array<char, 48> text{};
    if (whole >= 3600)
        std::snprintf(text.data(), text.size(), "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text.data(), text.size(), "%llu:%02llu", whole / 60, whole % 60);
    return text.data();
}

} // namespace

Meter::Meter(bool is_shown, std::optional<std::uint64_t> total, FrameCount report, Unit unit)
    : is_shown_(is_shown), report_(std::move(report)), unit_(unit), total_(total), start_(Clock::now()), next_(start_) {
}

Meter::~Meter() {
    if (report_) report(count_);
    if (!is_shown_ || count_ == 0) return;
    if (shown_count_ != count_) show(count_, Clock::now());
    std::fputc('\n', stderr);
}

void Meter::frame(std::uint64_t count) {
    count_ = count;
    if (!is_shown_ && !report_) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kRefresh;
    if (report_) report(count);
    if (is_shown_) show(count, now);
}

void Meter::clear() {
    if (!is_shown_ || shown_count_ == 0) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    next_ = Clock::now(); // redraw soon
}

void Meter::report(std::uint64_t count) noexcept {
    try {
        if (!report_(count)) report_ = nullptr;
    } catch (...) { // losing the count must not fail a run
        report_ = nullptr;
    }
}

void Meter::show(std::uint64_t count, Clock::time_point now) {
    shown_count_ = count;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double fps = count > 1 && seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
    std::string ahead;
    if (total_ && *total_ > 0) {
        const std::uint64_t left = *total_ - std::min(count, *total_);
        ahead = " " + std::to_string(std::min(count, *total_) * 100 / *total_) + "%";
        if (fps > 0) ahead += " ETA " + clock_time(static_cast<double>(left) / fps);
    }
    const bool is_frames = unit_ == Unit::frames;
    std::fprintf(stderr, "\r%llu %s%s %s %.2f %s%s\033[K", static_cast<unsigned long long>(count),
                 is_frames ? "frame" : "pair", count == 1 ? " " : "s", kSpinner[spin_++ % kSpinner.size()], fps,
                 is_frames ? "FPS" : "pairs/s", ahead.c_str());
    std::fflush(stderr);
}

} // namespace vmaf::cli
