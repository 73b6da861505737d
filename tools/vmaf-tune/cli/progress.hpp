// What people and machines see while work goes on (tune.md 14). Results go to standard output, this to stderr.
#pragma once

#include <chrono>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/options.hpp"
#include "stages/probe.hpp"

namespace vmaf::tune {

class Progress {
  public:
    enum class Mode { bar, plain, json, none };
    explicit Progress(const Options &options);
    ~Progress();

    void expect(std::size_t probes) { expected_ = probes; }
    void stage(const std::string &label, const StageProgress &progress);
    void probe_done(const std::string &label, const nlohmann::json &facts, const std::string &line);
    void note(const std::string &text);       // only with -v
    void say(const std::string &text);        // unless quiet
    void warn(const std::string &text);       // once per text
    void event(const nlohmann::json &object); // json mode only

    int verbosity() const { return verbosity_; }

  private:
    void clear_line();
    void log(const std::string &text); // with a time stamp, if a log is kept
    void command(const Arguments &arguments);
    void ended(const Arguments &arguments, const Outcome &outcome);

    Mode mode_;
    int verbosity_;
    bool quiet_;
    std::size_t expected_ = 0, finished_ = 0;
    bool line_shown_ = false;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point started_, last_drawn_;
    std::vector<std::string> warned_;
    int event_fd_;
    std::ofstream log_;
};

} // namespace vmaf::tune
