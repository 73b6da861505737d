#include "meter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "system/terminal.hpp"

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

// What fits the terminal: a longer line would wrap, and stay there when it is rewritten.
class Line {
  public:
    void add(const std::string &piece, std::size_t columns) {
        if (columns > left_) return;
        left_ -= columns;
        text_ += piece;
    }
    void add(const std::string &ascii) { add(ascii, ascii.size()); }
    const std::string &text() const { return text_; }

  private:
    std::size_t left_ = system::terminal_columns() - 1;
    std::string text_;
};

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
    const bool is_frames = unit_ == Unit::frames;
    Line line;
    line.add(std::to_string(count) + (is_frames ? " frame" : " pair") + (count == 1 ? " " : "s"));
    line.add(std::string(" ") + kSpinner[spin_++ % kSpinner.size()], 2);
    std::array<char, 48> rate{};
    std::snprintf(rate.data(), rate.size(), " %.2f %s", fps, is_frames ? "FPS" : "pairs/s");
    line.add(rate.data());
    if (total_ && *total_ > 0) {
        const std::uint64_t left = *total_ - std::min(count, *total_);
        line.add(" " + std::to_string(std::min(count, *total_) * 100 / *total_) + "%");
        if (fps > 0) line.add(" ETA " + clock_time(static_cast<double>(left) / fps));
    }
    std::fprintf(stderr, "\r%s\033[K", line.text().c_str());
    std::fflush(stderr);
}

} // namespace vmaf::cli
