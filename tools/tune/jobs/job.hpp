// A command's work in units, which run in sequence on this machine or in parallel on others.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/lists.hpp"
#include "cli/run.hpp"

namespace vmaf::tune {

// The result of a unit. Units and rows are JSON, since they travel between machines.
class UnitRows {
  public:
    UnitRows(nlohmann::json unit, std::vector<nlohmann::json> rows);
    const nlohmann::json &unit() const { return *unit_; }
    std::vector<nlohmann::json> rows;
    std::string failure; // why it was abandoned; empty: done

  private:
    std::shared_ptr<const nlohmann::json> unit_;
};
using JobRows = std::vector<UnitRows>; // in the order in which `next` named the units
using UseOfUnit = std::function<void(UnitRows &)>;

// Units of a job with several steps; each names its own under "step".
std::vector<const UnitRows *> of_step(const JobRows &rows, const char *step);

struct Answer {
    ExitCode exit_code = kExitOk;
    std::string text;    // for standard output; empty: written to a file
    std::string summary; // for users, in lines; may be empty
    void say(const std::string &line) { add_item(summary, line, "\n"); }
};

class Job {
  public:
    virtual ~Job() = default;
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    virtual void check_outputs() {}    // before the first unit: throws CommandError if the answer cannot be written
    virtual void print_commands() = 0; // --dry-run

    // Units that can run now that the others returned `so_far`; empty: no work is left.
    virtual std::vector<nlohmann::json> next(const JobRows &so_far) = 0;
    // Runs a unit. A failed encode is a row; a problem with this machine is a CommandError.
    virtual std::vector<nlohmann::json> run(const nlohmann::json &unit, const JobRows &so_far) = 0;
    // The answer for all rows; encodes nothing.
    virtual Answer result(const JobRows &rows) = 0;

    // Receives rows as they arrive, if this machine makes all of them; what is written immediately need not stay in
    // memory.
    virtual void keep(UnitRows &) {}
    struct Parallel {
        unsigned count = 1; // concurrent units; with one, each sees the rows of all earlier ones
        bool keeps_order = true;
    };
    virtual Parallel parallel(const nlohmann::json &) { return {}; } // for units like this

    // For jobs with independent units: the answer uses whatever rows exist, unit by unit, and can be requested several
    // times.
    virtual bool answers_in_part() const { return false; }
    virtual Answer merge(const std::function<void(const UseOfUnit &)> &) { return {}; }

    Progress &progress() { return run_.progress(); }

  protected:
    explicit Job(const ProbeRequest &request) : run_(request, true) {}
    Run run_;
};

// A command line that requests a job. Executors handle differences between machines: caches, backends, outputs.
struct JobCommand {
    std::string name;
    std::shared_ptr<const ProbeRequest> request;
    std::shared_ptr<const ClusterOptions> cluster; // null: it runs only on this machine
    std::function<std::unique_ptr<Job>(const ProbeRequest &settled)> make;
};

} // namespace vmaf::tune
