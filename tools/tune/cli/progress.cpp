#include "cli/progress.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/seconds.hpp"
#include "base/visible_text.hpp"
#include "rows/row.hpp"
#include "system/environment.hpp"
#include "system/files.hpp"
#include "system/terminal.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainPause = std::chrono::seconds(30), kEventPause = std::chrono::seconds(1);
std::atomic<Progress *> on_terminal{nullptr}; // there is one terminal
constexpr const char *kRed = "\033[31m", *kGreen = "\033[32m";

std::string clock_text(double seconds) {
    char text[32];
    const auto s = static_cast<long>(seconds + 0.5);
    if (s >= 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
    return text;
}

double part_done(const StageProgress &p) {
    return p.frames > 0 ? std::min(1.0, double(p.frame) / double(p.frames)) : 0;
}

const char *stage_name(Stage stage) { return stage == Stage::encode ? "encode" : "score"; }

std::string probe_name(const std::string &label, const StageProgress &p) {
    std::string text = visible(label) + (std::isnan(p.q) ? "" : " " + number_text(p.q));
    if (p.samples > 1) text += " sample " + std::to_string(p.sample + 1) + "/" + std::to_string(p.samples);
    return text + " " + stage_name(p.stage);
}

} // namespace

std::string bar_text(const BarParts &parts, std::size_t columns) {
    constexpr std::size_t kLongest = 20, kShortest = 4, kFrame = 3; // kFrame: a space and brackets
    const auto after_bar = [&](bool with_speed) {
        std::string text = " " + fixed_text(100 * parts.done, 0) + "%";
        if (with_speed) text += " " + parts.speed;
        return parts.left.empty() ? text : text + " " + parts.left;
    };
    const auto room_for_bar = [&](const std::string &figures) {
        const std::size_t taken = parts.name.size() + figures.size() + kFrame;
        return taken < columns ? std::min(kLongest, columns - taken) : 0;
    };
    std::string figures = after_bar(true);
    if (room_for_bar(figures) < kShortest) figures = after_bar(false);
    const std::size_t width = room_for_bar(figures);
    if (width < kShortest) {
        figures = figures.substr(0, columns);
        return parts.name.substr(0, columns - figures.size()) + figures;
    }
    const auto filled = static_cast<std::size_t>(double(width) * parts.done);
    return parts.name + " [" + std::string(filled, '#') + std::string(width - filled, '-') + "]" + figures;
}

void StageTimes::add(Stage stage, std::int64_t frames, double seconds) {
    constexpr double kFade = 0.7;
    Sum &sum = sums_[static_cast<std::size_t>(stage)];
    sum.frames = sum.frames * kFade + double(frames);
    sum.seconds = sum.seconds * kFade + seconds;
    sum.stages = sum.stages * kFade + 1;
}

std::optional<double> StageTimes::seconds_for(Stage stage, std::int64_t frames) const {
    const Sum &sum = sums_[static_cast<std::size_t>(stage)];
    if (sum.frames <= 0) return std::nullopt;
    return sum.seconds / sum.frames * double(frames);
}

std::optional<double> StageTimes::seconds_of_probe() const {
    if (sums_[1].stages <= 0) return std::nullopt;
    const double encode = sums_[0].stages > 0 ? sums_[0].seconds / sums_[0].stages : 0;
    return encode + sums_[1].seconds / sums_[1].stages;
}

Progress::Progress(const RunningOptions &options)
    : mode_(Mode::none), verbosity_(options.verbose), quiet_(options.quiet),
      has_colours_(system::is_terminal(system::Stream::error) && !system::environment("NO_COLOR")),
      started_(Clock::now()), last_drawn_(started_), event_fd_(options.progress_fd) {
    if (options.progress == ProgressMode::json) mode_ = Mode::json;
    if (options.progress == ProgressMode::plain) mode_ = Mode::plain;
    if (options.progress == ProgressMode::bar) mode_ = Mode::bar;
    if (options.progress == ProgressMode::automatic && !quiet_)
        mode_ = system::is_terminal(system::Stream::error) ? Mode::bar : Mode::plain;
    if (!options.log.empty()) {
        try {
            log_.emplace(options.log, system::GrowingFile::Start::at_end);
        } catch (const Error &e) {
            throw Error(EIO, std::string("the log: ") + e.what());
        }
    }
    if (verbosity_ >= 2 || log_) observe();
    on_terminal = this;
    event({{"type", "start"}});
}

Progress::~Progress() {
    observe_children({});
    make_way();
    on_terminal = nullptr;
}

void Progress::make_way() {
    Progress *const progress = on_terminal;
    if (!progress) return;
    const std::lock_guard lock(progress->mutex_);
    progress->clear_bars();
    std::fflush(stderr);
}

// Command lines, and the output of programs.
void Progress::observe() {
    ChildObserver observer;
    observer.started = [this](const Arguments &arguments) {
        const std::string line = "+ " + shell_quoted(arguments);
        if (verbosity_ >= 2)
            say(line);
        else
            log(line);
    };
    observer.ended = [this](const Arguments &arguments, const ChildResult &outcome) {
        if (outcome.code != 0)
            log(arguments.at(0) + " ended with status " + std::to_string(outcome.code) + ":\n" + outcome.error_tail);
    };
    if (verbosity_ >= 3)
        observer.error_text = [this](std::string_view text) {
            const std::lock_guard lock(mutex_);
            clear_bars();
            std::string lines(text);
            std::replace(lines.begin(), lines.end(), '\r', '\n'); // FFmpeg's own progress line
            std::fputs(visible_lines(lines).c_str(), stderr);
        };
    observe_children(observer);
}

// The caller holds the mutex. Work continues if the log can no longer be written.
void Progress::write_log(const std::string &text) try {
    if (log_) log_->append(utc_timestamp() + " " + visible_lines(text) + "\n");
} catch (const Error &) {
    log_.reset();
}

void Progress::log(const std::string &text) {
    if (!log_) return;
    const std::lock_guard lock(mutex_);
    write_log(text);
}

std::string Progress::coloured(const std::string &text, const char *colour) const {
    return has_colours_ ? colour + text + "\033[0m" : text;
}

void Progress::clear_bars() {
    if (lines_shown_ == 0) return;
    std::string text = "\r\033[K";
    for (int i = 1; i < lines_shown_; i++) text += "\033[A\033[K";
    std::fputs(text.c_str(), stderr);
    lines_shown_ = 0;
}

std::optional<double> Progress::seconds_left(const Running &running) const {
    const StageProgress &p = running.now;
    const std::int64_t frames_left = p.frames - std::min(p.frame, p.frames);
    std::optional<double> left = times_.seconds_for(p.stage, frames_left);
    // A stage's speed is unreliable at its start.
    if (p.fps > 0 && p.frames > 0 && (!left || part_done(p) > 0.25)) left = double(frames_left) / p.fps;
    if (left && p.stage == Stage::encode) *left += times_.seconds_for(Stage::score, p.frames).value_or(0);
    return left;
}

std::string Progress::bar_line(const Running &running, std::size_t columns) const {
    const StageProgress &p = running.now;
    const std::optional<double> left = seconds_left(running);
    return bar_text({clock_text(seconds_since(started_)) + " " + probe_name(running.label, p),
                     fixed_text(p.fps, 0) + " fps", left ? "ETA " + clock_text(*left) : "", part_done(p)},
                    columns);
}

std::string Progress::overall_line(std::size_t columns) const {
    const std::size_t total = expected_ > 0 ? expected_ : std::max(search_probes_, finished_ + 1);
    constexpr std::size_t kWide = 40;
    std::string text = std::to_string(finished_) + "/" + (expected_ > 0 ? "" : "about ") + std::to_string(total) +
                       (columns < kWide ? "" : " probes");
    const std::optional<double> probe = times_.seconds_of_probe();
    if (!probe || total <= finished_) return text;
    const std::size_t waiting = total - finished_ - std::min(total - finished_, running_.size());
    double left = double(waiting) * *probe / double(std::max<std::size_t>(1, running_.size()));
    double longest = 0;
    for (const auto &[thread, running] : running_) longest = std::max(longest, seconds_left(running).value_or(*probe));
    return text + ", ETA " + clock_text(left + longest);
}

void Progress::draw_bars(Clock::time_point now) {
    if (now - last_drawn_ < kRedraw) return;
    last_drawn_ = now;
    clear_bars();
    const std::size_t columns = std::max(2u, system::terminal_columns()) - 1;
    std::string text;
    for (const auto &[thread, running] : running_) {
        text += bar_line(running, columns) + "\n";
        lines_shown_++;
    }
    text += overall_line(columns).substr(0, columns);
    lines_shown_++;
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

// For long stages in modes without bars.
void Progress::tell(Running &running, Clock::time_point now) {
    const StageProgress &p = running.now;
    if (p.frame == 0 || p.done) { // the interval starts with the stage
        running.told = now;
        return;
    }
    const std::optional<double> left = seconds_left(running);
    if (mode_ == Mode::plain && now - running.told >= kPlainPause) {
        running.told = now;
        std::fprintf(stderr, "%s %.0f%% %.0f fps%s\n", probe_name(running.label, p).c_str(), 100 * part_done(p), p.fps,
                     left ? (" ETA " + clock_text(*left)).c_str() : "");
    }
    if (mode_ == Mode::json && now - running.told >= kEventPause) {
        running.told = now;
        write_event({{"type", "progress"},
                     {"label", running.label},
                     {"stage", stage_name(p.stage)},
                     {"q", p.q},
                     {"sample", p.sample},
                     {"frame", p.frame},
                     {"frames", p.frames},
                     {"percent", std::round(1000 * part_done(p)) / 10},
                     {"fps", p.fps},
                     {"eta_s", left ? json(*left) : json(nullptr)}});
    }
}

void Progress::stage(const std::string &label, const StageProgress &p) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const auto [entry, is_new] = running_.try_emplace(std::this_thread::get_id());
    Running &running = entry->second;
    if (is_new) running.told = now;
    running.label = label;
    running.now = p;
    if (p.done) times_.add(p.stage, p.frames, p.seconds);
    if (mode_ == Mode::bar)
        draw_bars(now);
    else
        tell(running, now);
    if (p.done && p.stage == Stage::score) {
        running_.erase(std::this_thread::get_id());
        if (mode_ == Mode::json)
            write_event({{"type", "sample-done"}, {"q", p.q}, {"sample", p.sample}, {"samples", p.samples}});
    }
}

void Progress::probe_done(const std::string &label, const json &facts, const std::string &line) {
    {
        const std::lock_guard lock(mutex_);
        finished_++;
        running_.erase(std::this_thread::get_id());
        clear_bars();
        write_log(label + " " + line);
        std::string shown = visible(line);
        if (facts.value("exit_status", 0) != 0)
            shown = coloured(shown, kRed);
        else if (facts.contains("passes"))
            shown = coloured(shown, facts["passes"].get<bool>() ? kGreen : kRed);
        if (mode_ == Mode::bar || mode_ == Mode::plain)
            std::fprintf(stderr, "%s %s\n", visible(label).c_str(), shown.c_str());
    }
    json object = facts;
    object["type"] = "probe";
    event(object);
}

void Progress::write_event(json object) {
    object["ts"] = utc_timestamp();
    const std::string text = json_line(object) + "\n";
    system::write_text(event_fd_, text);
}

void Progress::event(const json &object) {
    if (mode_ != Mode::json) return;
    const std::lock_guard lock(mutex_);
    write_event(object);
}

void Progress::note(const std::string &text) {
    if (verbosity_ >= 1)
        say(text);
    else
        log(text);
}

void Progress::say(const std::string &text) {
    log(text);
    if (quiet_ || mode_ == Mode::json) return;
    const std::lock_guard lock(mutex_);
    clear_bars();
    std::fprintf(stderr, "%s\n", visible_sentence(text).c_str());
}

bool Progress::is_new(const std::string &text) {
    const std::lock_guard lock(mutex_);
    if (contains(warned_, text)) return false;
    warned_.push_back(text);
    return true;
}

void Progress::remark(const std::string &text) {
    if (is_new(text)) say(text);
}

void Progress::warn(const std::string &text) {
    if (!is_new(text)) return;
    event({{"type", "warning"}, {"message", text}});
    say("vmaf-tune: warning: " + text);
}

} // namespace vmaf::tune
