// A command's work in units, which run one by one on this machine or side by side on others.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run.hpp"

namespace vmaf::tune {

// What a unit gave. Units and rows are JSON, because they travel between machines.
struct UnitRows {
    nlohmann::json unit;
    std::vector<nlohmann::json> rows;
    std::string failure; // why it was given up; empty: it was done
};
using JobRows = std::vector<UnitRows>; // in the order in which `next` named the units
using UseOfUnit = std::function<void(UnitRows &)>;

// Units of a job that takes several steps; each names its own under "step".
std::vector<const UnitRows *> of_step(const JobRows &rows, const char *step);

struct Answer {
    ExitCode exit_code = kExitOk;
    std::string text;    // for standard output; empty: it is in a file
    std::string summary; // for people, in lines; empty: nothing
    void say(const std::string &line) { summary += (summary.empty() ? "" : "\n") + line; }
};

class Job {
  public:
    virtual ~Job() = default;
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    virtual void check_outputs() {}    // before the first unit: throws CommandError where the answer cannot be written
    virtual void print_commands() = 0; // --dry-run

    // Units that can run now that the others gave `so_far`; empty: nothing is left to do.
    virtual std::vector<nlohmann::json> next(const JobRows &so_far) = 0;
    // What one unit gives. An encode that fails is a row; what keeps this machine from working is a CommandError.
    virtual std::vector<nlohmann::json> run(const nlohmann::json &unit, const JobRows &so_far) = 0;
    // The answer to all rows; nothing is encoded for it.
    virtual Answer result(const JobRows &rows) = 0;

    // Rows as they come, where this machine makes all of them; what is written at once need not stay in memory.
    virtual void keep(UnitRows &) {}
    struct Parallel {
        unsigned count = 1; // units at once; with one, each sees the rows of all before it
        bool keeps_order = true;
    };
    virtual Parallel parallel(const nlohmann::json &) { return {}; } // for units like this

    // Of a job whose units do not depend on each other: its answer is made of whatever is there, one unit after the
    // other, and can be asked for several times.
    virtual bool answers_in_part() const { return false; }
    virtual Answer merge(const std::function<void(const UseOfUnit &)> &) { return {}; }

    Progress &progress() { return run_.progress(); }

  protected:
    explicit Job(const ProbeRequest &request) : run_(request, true) {}
    Run run_;
};

// A command line that asks for a job. Executors settle what differs between machines: caches, backends, outputs.
struct JobCommand {
    std::string name;
    std::shared_ptr<const ProbeRequest> request;
    std::shared_ptr<const ClusterOptions> cluster; // null: it runs on this machine only
    std::function<std::unique_ptr<Job>(const ProbeRequest &settled)> make;
};

} // namespace vmaf::tune
