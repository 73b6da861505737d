#include "cli/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

#include "base/error.hpp"
#include "rows/row.hpp"

namespace vmaf::tune {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

std::string clock_text(double seconds) {
    char text[32];
    const auto s = static_cast<long>(seconds + 0.5);
    if (s >= 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
    return text;
}

} // namespace

Progress::Progress(const Options &options)
    : mode_(Mode::none), verbosity_(options.verbose), quiet_(options.quiet), started_(Clock::now()),
      last_drawn_(started_), event_fd_(options.progress_fd) {
    if (options.progress == "json") mode_ = Mode::json;
    if (options.progress == "plain") mode_ = Mode::plain;
    if (options.progress == "bar") mode_ = Mode::bar;
    if (options.progress == "auto" && !quiet_) mode_ = isatty(STDERR_FILENO) ? Mode::bar : Mode::plain;
    if (!options.log.empty()) {
        log_.open(options.log, std::ios::app);
        if (!log_) throw Error(EIO, "the log '" + options.log + "' cannot be written");
    }
    if (verbosity_ >= 2 || log_.is_open())
        observe_children({[this](const Arguments &a) { command(a); },
                          [this](const Arguments &a, const Outcome &outcome) { ended(a, outcome); }});
    event({{"type", "start"}});
}

Progress::~Progress() {
    observe_children({});
    clear_line();
}

void Progress::log(const std::string &text) {
    if (!log_.is_open()) return;
    const std::lock_guard lock(mutex_);
    log_ << utc_timestamp() << " " << text << std::endl;
}

void Progress::command(const Arguments &arguments) {
    log("+ " + shell_quoted(arguments));
    if (verbosity_ >= 2) say("+ " + shell_quoted(arguments));
}

void Progress::ended(const Arguments &arguments, const Outcome &outcome) {
    if (outcome.code != 0 || verbosity_ >= 3) {
        const std::string text =
            arguments.at(0) + " ended with status " + std::to_string(outcome.code) + ":\n" + outcome.error_tail;
        log(text);
        if (verbosity_ >= 3) say(text);
    }
}

void Progress::clear_line() {
    if (!line_shown_) return;
    std::fputs("\r\033[K", stderr);
    line_shown_ = false;
}

void Progress::stage(const std::string &label, const StageProgress &p) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (mode_ != Mode::bar || now - last_drawn_ < std::chrono::milliseconds(100)) return;
    last_drawn_ = now;
    const double part = p.frames > 0 ? std::min(1.0, double(p.frame) / double(p.frames)) : 0;
    std::string bar(20, '-');
    std::fill_n(bar.begin(), static_cast<std::ptrdiff_t>(20 * part), '#');
    const double elapsed = std::chrono::duration<double>(now - started_).count();
    std::string eta;
    if (finished_ > 0 && expected_ > finished_)
        eta = " ETA " + clock_text(elapsed / double(finished_) * double(expected_ - finished_));
    else if (p.fps > 0 && p.frames > p.frame)
        eta = " ETA " + clock_text(double(p.frames - p.frame) / p.fps);
    std::fprintf(stderr, "\r%s %s %s%s %s [%s] %3.0f%% %.0f fps%s\033[K", clock_text(elapsed).c_str(), label.c_str(),
                 number_text(p.q).c_str(),
                 p.samples > 1 ? (" sample " + std::to_string(p.sample + 1) + "/" + std::to_string(p.samples)).c_str()
                               : "",
                 p.stage == Stage::encode ? "encode" : "score", bar.c_str(), 100 * part, p.fps, eta.c_str());
    std::fflush(stderr);
    line_shown_ = true;
}

void Progress::probe_done(const std::string &label, const json &facts, const std::string &line) {
    {
        const std::lock_guard lock(mutex_);
        finished_++;
        clear_line();
        if (log_.is_open()) log_ << utc_timestamp() << " " << label << " " << line << std::endl;
        if (mode_ == Mode::bar || mode_ == Mode::plain) std::fprintf(stderr, "%s %s\n", label.c_str(), line.c_str());
    }
    json object = facts;
    object["type"] = "probe";
    event(object);
}

void Progress::event(const json &object) {
    if (mode_ != Mode::json) return;
    json with_time = object;
    with_time["ts"] = utc_timestamp();
    const std::string text = row_text(with_time) + "\n";
    const std::lock_guard lock(mutex_);
    (void)!::write(event_fd_, text.data(), text.size());
}

void Progress::note(const std::string &text) {
    if (verbosity_ < 1) return;
    say(text);
}

void Progress::say(const std::string &text) {
    log(text);
    if (quiet_ || mode_ == Mode::json) return;
    const std::lock_guard lock(mutex_);
    clear_line();
    std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::warn(const std::string &text) {
    {
        const std::lock_guard lock(mutex_);
        if (std::find(warned_.begin(), warned_.end(), text) != warned_.end()) return;
        warned_.push_back(text);
    }
    event({{"type", "warning"}, {"message", text}});
    say("vmaf-tune: warning: " + text);
}

} // namespace vmaf::tune
