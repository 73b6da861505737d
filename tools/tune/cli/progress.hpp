// Progress for users and machines (tune.md 14). Results go to standard output, this to stderr.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>

#include "cli/options.hpp"
#include "stages/probe.hpp"
#include "system/files.hpp"

namespace vmaf::tune {

// Durations of stages, from those that ran; cached ones do not count.
class StageTimes {
  public:
    void add(Stage stage, std::int64_t frames, double seconds);
    // The expected duration; empty until the first of its kind has ended.
    std::optional<double> seconds_for(Stage stage, std::int64_t frames) const;
    std::optional<double> seconds_of_probe() const; // encode and score, all samples

  private:
    struct Sum {
        double frames = 0, seconds = 0, stages = 0;
    };
    std::array<Sum, 2> sums_; // recent stages weigh more
};

// A bar for a terminal of any width: percent and time left stay, the bar shrinks, then speed, bar and end of the name
// go.
struct BarParts {
    std::string name, speed, left; // left: "ETA 0:05", or empty
    double done = 0;               // 0 to 1
};
std::string bar_text(const BarParts &parts, std::size_t columns);

class Progress {
  public:
    enum class Mode { bar, plain, json, none };
    explicit Progress(const RunningOptions &options);
    ~Progress();

    void expect(std::size_t probes) { expected_ = probes; }
    void expect_searches_of(std::size_t probes) { search_probes_ = probes; } // then one more
    void stage(const std::string &label, const StageProgress &progress);
    // `facts` may contain `passes`: whether the probe is acceptable.
    void probe_done(const std::string &label, const nlohmann::json &facts, const std::string &line);
    void note(const std::string &text);       // only with -v
    void say(const std::string &text);        // unless quiet
    void remark(const std::string &text);     // the same, once per text
    void warn(const std::string &text);       // once per text
    void event(const nlohmann::json &object); // json mode only

    int verbosity() const { return verbosity_; }

    // Removes the bars from the terminal, which answers share with them; call it before printing anything else.
    static void make_way();

  private:
    using Clock = std::chrono::steady_clock;
    struct Running {
        std::string label;
        StageProgress now{};
        Clock::time_point told{}; // in plain and json mode
    };

    void clear_bars();
    void draw_bars(Clock::time_point now);
    std::string bar_line(const Running &running, std::size_t columns) const;
    std::string overall_line(std::size_t columns) const;
    std::optional<double> seconds_left(const Running &running) const;
    void tell(Running &running, Clock::time_point now);
    void write_event(nlohmann::json object);
    void write_log(const std::string &text);
    void log(const std::string &text); // adds a time stamp, if a log is kept
    void observe();
    bool is_new(const std::string &text);
    std::string coloured(const std::string &text, const char *colour) const;

    Mode mode_;
    int verbosity_;
    bool quiet_, has_colours_;
    std::size_t expected_ = 0, finished_ = 0;
    int lines_shown_ = 0;
    std::mutex mutex_;
    Clock::time_point started_, last_drawn_;
    std::map<std::thread::id, Running> running_; // a thread runs one probe at a time
    StageTimes times_;
    std::vector<std::string> warned_;
    std::size_t search_probes_ = 4; // expected for a search
    int event_fd_;
    std::optional<system::GrowingFile> log_;
};

} // namespace vmaf::tune
