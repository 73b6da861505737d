// What the subcommands share: programs, cache, scratch folder, backend, progress; and the exit codes (tune.md 15).
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "backend/score_backend.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "stages/probe.hpp"

namespace vmaf::tune {

enum ExitCode {
    kExitOk = 0,
    kExitUnmet = 1,
    kExitUsage = 2,
    kExitUntrusted = 3,
    kExitFailed = 4,
    kExitSomeFailed = 5,
    kExitOutput = 6,
    kExitBackend = 7,
    kExitInternal = 70,
    kExitInterrupted = 130,
};

// Ends the command with a code and a sentence.
class CommandError : public std::runtime_error {
  public:
    CommandError(int code, const std::string &sentence) : std::runtime_error(sentence), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};
inline CommandError usage_error(const std::string &sentence) { return {kExitUsage, sentence}; }

// A scratch folder that goes when the process ends, or when the next run finds that its owner was killed.
class WorkFolder {
  public:
    WorkFolder(const std::string &wish, bool keep);
    ~WorkFolder();
    WorkFolder(const WorkFolder &) = delete;
    WorkFolder &operator=(const WorkFolder &) = delete;
    const std::string &path() const { return path_; }

  private:
    std::string path_;
    bool keep_;
    int lock_ = -1;
};

class Run {
  public:
    // Finds the programs and settles the backend before anything is encoded. Throws CommandError.
    Run(const Options &options, bool scores);

    Source open_source(const std::string &path);
    const Adapter &adapter(const std::string &name); // known and working in this FFmpeg, else CommandError

    // Samples are cut once per source and shared.
    ProbeSetup setup(const Source &source, const Adapter &adapter, const std::string &preset, bool automatic_sampling);

    const Options &options() const { return options_; }
    Progress &progress() { return progress_; }
    const Programs &programs() const { return programs_; }
    const std::string &backend() const { return backend_; }
    const std::string &work_folder() const { return work_folder_->path(); }
    Cache *cache() { return cache_.get(); }
    ScoreSettings score_settings() const;
    unsigned parallel_searches() const;

    void check_interrupted() const; // throws CommandError(130)

  private:
    Options options_;
    Programs programs_;
    Progress progress_;
    std::unique_ptr<Cache> cache_;
    std::unique_ptr<WorkFolder> work_folder_;
    std::string backend_ = "cpu";
    std::map<std::string, Adapter> generic_;
    std::map<std::string, std::pair<std::vector<Sample>, std::string>> samples_;
    std::unique_ptr<Slots> slots_;
};

Arguments scorer_program(const Options &options); // what is asked for its capabilities

} // namespace vmaf::tune
