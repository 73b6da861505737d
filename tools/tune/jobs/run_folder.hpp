// The folder of a run on several machines. All writes work without locks between machines:
// a unit of work is claimed by creating a file exclusively, each task appends to its own file, and replacements are
// renamed into place.
//
//   run.json       the job, and its first phase; never changes
//   phases/N       units of a later phase, written when those before it are done
//   claims/N       who is doing unit N; one line per attempt
//   rows/WHO.jsonl results of the task WHO: {"unit":N,"failed":false,"rows":[...]}, in this order
//   tasks/WHO      the units that WHO claimed
//   nodes/NAME     a task ran on the node NAME
//   errors/WHO     why WHO gave up
//   encodes/       encodes by their keys
//   logs/          output of tasks
//   state.json     jobs and outcome; changed under `lock`
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "jobs/job.hpp"
#include "system/file_lock.hpp"

namespace vmaf::tune {

struct Manifest {
    std::string id, command, working_folder, store;
    std::vector<std::string> arguments; // complete command line of vmaf-tune
    std::vector<nlohmann::json> units;  // of all phases so far
    std::vector<std::size_t> phases{0}; // start of each in `units`
    std::size_t phase_end(std::size_t phase) const {
        return phase + 1 < phases.size() ? phases[phase + 1] : units.size();
    }
};

struct UnitResult {
    std::vector<nlohmann::json> rows;
    std::string failure;          // why the unit could not be done; empty: it was
    ExitCode exit_code = kExitOk; // with a failure
};

// The same without rows, which stay in their file: there may be 100 000.
struct UnitOutcome {
    bool has_failed = false; // it, or one of its rows
    std::string failure;
    ExitCode exit_code = kExitOk;
    std::size_t file = 0; // of rows; and the line there
    std::uint64_t from = 0, bytes = 0;
};

struct TaskError {
    std::string who, node, message;
    ExitCode exit_code = kExitOk;
};

class RunFolder {
  public:
    static RunFolder create(const std::string &shared, Manifest manifest); // throws Error
    explicit RunFolder(const std::string &path);                           // throws Error if there is none

    const Manifest &manifest() const { return manifest_; }
    const std::string &path() const { return path_; }
    void add_phase(const std::vector<nlohmann::json> &units); // needs the lock
    void read_phases();                                       // added by others

    // Claims. `who` names a task and its attempt.
    bool claim(std::size_t unit, const std::string &who);
    std::size_t add_attempt(std::size_t unit, const std::string &who); // to an existing claim; returns their number
    std::vector<std::string> attempts(std::size_t unit) const;         // empty: not claimed
    void release(std::size_t unit);
    std::vector<bool> claimed() const;

    // Claims of this task's earlier attempts.
    std::vector<std::size_t> claims_of_task(const std::string &task) const;
    void note_claims(const std::string &task, const std::vector<std::size_t> &units);

    void add_result(const std::string &who, std::size_t unit, const UnitResult &result);
    void note_node(const std::string &name);
    std::vector<std::string> nodes() const;

    void add_error(const TaskError &error);
    std::vector<TaskError> errors() const;

    // Reads what was added since the last call. The first result of a unit counts.
    const std::map<std::size_t, UnitOutcome> &outcomes();
    std::size_t left(std::size_t phase);
    // Finished rows of the first `units`: all at once, or unit by unit. Throws Error.
    JobRows rows(std::size_t units);
    void each_unit(std::size_t units, const UseOfUnit &use);

    // The state, accessed by one process at a time.
    nlohmann::json state() const;
    class Lock {
      public:
        explicit Lock(RunFolder &run);
        Lock(const Lock &) = delete;
        Lock &operator=(const Lock &) = delete;
        void write(const nlohmann::json &state);

      private:
        RunFolder &run_;
        system::FileLock lock_;
    };

  private:
    RunFolder() = default;
    std::string claim_path(std::size_t unit) const;
    std::string phase_path(std::size_t phase) const { return path_ + "/phases/" + std::to_string(phase); }
    void make_claim_folders(std::size_t units) const;

    std::string path_;
    Manifest manifest_;
    void read_lines(std::size_t file);

    struct RowFile {
        std::string name;
        std::uint64_t bytes_read = 0;
    };
    std::vector<RowFile> files_;
    std::map<std::size_t, UnitOutcome> outcomes_;
};

// Folders of runs below `shared`, newest last.
std::vector<std::string> runs_in(const std::string &shared);

} // namespace vmaf::tune
