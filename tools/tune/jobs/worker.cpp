#include "jobs/worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/seconds.hpp"
#include "base/visible_text.hpp"
#include "jobs/local.hpp"
#include "process/child.hpp"
#include "system/environment.hpp"
#include "system/host.hpp"

namespace vmaf::tune {

namespace {

constexpr double kSecondsAtOnce = 20;    // work that a task claims at a time, if there is enough for all
constexpr std::size_t kMostAttempts = 5; // of a unit whose tasks were lost

std::string host_name() { return system::environment("SLURMD_NODENAME").value_or(system::host_name()); }

// Releases unfinished claims when the task ends.
class Claims {
  public:
    Claims(RunFolder &run, std::vector<std::size_t> units) : run_(run), units_(std::move(units)) {}
    ~Claims() {
        for (const std::size_t unit : units_) run_.release(unit);
    }
    Claims(const Claims &) = delete;
    Claims &operator=(const Claims &) = delete;
    const std::vector<std::size_t> &units() const { return units_; }
    void done(std::size_t unit) { std::erase(units_, unit); }

  private:
    RunFolder &run_;
    std::vector<std::size_t> units_;
};

class Worker {
  public:
    Worker(const JobCommand &command, const TaskOfRun &task)
        : command_(command), phase_(task.phase), workers_(task.workers), run_(task.folder), host_(host_name()) {
        const std::string array = system::environment("SLURM_ARRAY_JOB_ID").value_or("0");
        index_ = std::strtoull(system::environment("SLURM_ARRAY_TASK_ID").value_or("0").c_str(), nullptr, 10);
        task_ = array + "_" + std::to_string(index_);
        who_ = task_ + "." + system::environment("SLURM_RESTART_COUNT").value_or("0");
    }

    int run() {
        const Manifest &manifest = run_.manifest();
        if (phase_ >= manifest.phases.size()) throw usage_error("the run has no phase " + std::to_string(phase_));
        run_.note_node(host_);
        so_far_ = run_.rows(manifest.phases[phase_]);
        UnitChooser chooser(manifest.phases[phase_], manifest.phase_end(phase_), index_, workers_);
        take_over();
        chooser.set_taken(run_.claimed());
        while (!interruption::requested()) {
            const std::vector<std::size_t> wanted = chooser.next();
            if (wanted.empty()) break;
            run_.note_claims(task_, wanted);
            std::vector<std::size_t> got;
            for (const std::size_t unit : wanted) {
                if (run_.claim(unit, who_)) got.push_back(unit);
                chooser.take(unit);
            }
            if (got.size() < wanted.size()) chooser.set_taken(run_.claimed()); // other tasks are in this range
            if (got.empty()) continue;
            const auto begin = std::chrono::steady_clock::now();
            const std::size_t count = work(got);
            const double seconds = seconds_since(begin);
            units_ += count;
            busy_ += seconds;
            if (count < got.size()) break;
            chooser.measured(count, seconds);
        }
        const double all = seconds_since(started_);
        std::fprintf(stderr, "task %s on %s: %zu units in %.2f s, %.2f s around them\n", who_.c_str(), host_.c_str(),
                     units_, busy_, all - busy_);
        return interruption::requested() ? kExitInterrupted : failed_;
    }

  private:
    ProbeRequest settled(ProbeRequest o) const {
        if (command_.cluster->gres.starts_with("gpu") && o.score_backend == BackendWish::automatic)
            o.score_backend = BackendWish::cuda; // a requested GPU is used, or the unit fails
        o.store = run_.manifest().store;
        o.run_folder = run_.path();
        // A database is local to a machine; shared results go to the shared folder. The home folder may be shared.
        o.cache_dir =
            system::environment("TMPDIR").value_or("/tmp") + "/vmaf-tune-cache-" + std::to_string(system::own_user());
        if (o.no_cache) o.cache_dir += "-" + run_.manifest().id; // nothing of other runs
        o.no_cache = false;
        o.progress = ProgressMode::plain;
        o.log.clear();
        return o;
    }

    // Units that an earlier attempt of this task claimed but did not finish: its node is lost, or it was stopped.
    void take_over() {
        const std::vector<std::size_t> claimed = run_.claims_of_task(task_);
        if (claimed.empty()) return;
        const auto &outcomes = run_.outcomes();
        for (const std::size_t unit : claimed) {
            const std::vector<std::string> attempts = run_.attempts(unit);
            if (outcomes.contains(unit) || attempts.empty() || !attempts.back().starts_with(task_ + ".")) continue;
            if (interruption::requested()) return;
            if (run_.add_attempt(unit, who_) > kMostAttempts) {
                run_.add_result(who_, unit,
                                {{}, "its task was lost " + std::to_string(kMostAttempts) + " times", kExitFailed});
                continue;
            }
            work({unit});
        }
    }

    // Returns how many were done.
    std::size_t work(const std::vector<std::size_t> &numbers) {
        Claims claims(run_, numbers);
        std::vector<nlohmann::json> units;
        for (const std::size_t number : numbers) units.push_back(run_.manifest().units[number]);
        const auto give_up = [&](ExitCode code, const std::string &sentence) {
            std::fprintf(stderr, "vmaf-tune: %s: %s\n", host_.c_str(), visible(sentence).c_str());
            run_.add_error({who_, host_, sentence, code});
            failed_ = code; // other nodes may succeed
        };
        try {
            if (!job_) job_ = command_.make(settled(*command_.request));
            run_units(*job_, units, so_far_, false, [&](std::size_t i, std::vector<nlohmann::json> rows) {
                run_.add_result(who_, numbers[i], {std::move(rows), ""});
                claims.done(numbers[i]);
            });
        } catch (const CommandError &e) {
            if (e.code() != kExitInterrupted) give_up(e.code(), e.what());
        } catch (const Error &e) {
            give_up(kExitFailed, e.what());
        }
        return numbers.size() - claims.units().size();
    }

    const JobCommand &command_;
    std::size_t phase_, workers_;
    RunFolder run_;
    std::string host_, task_, who_;
    std::unique_ptr<Job> job_; // from the first unit on
    JobRows so_far_;           // of earlier phases
    std::size_t index_ = 0, units_ = 0;
    double busy_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    ExitCode failed_ = kExitOk;
};

} // namespace

UnitChooser::UnitChooser(std::size_t first, std::size_t last, std::size_t worker, std::size_t workers)
    : first_(first), last_(last), workers_(std::max<std::size_t>(1, workers)),
      cursor_(first + (last - first) * std::min(worker, workers_ - 1) / workers_), taken_(last, false) {}

void UnitChooser::set_taken(const std::vector<bool> &taken) {
    for (std::size_t i = first_; i < last_; i++) taken_[i] = taken[i];
}

void UnitChooser::measured(std::size_t units, double seconds) {
    units_done_ = units_done_ / 2 + double(units);
    seconds_ = seconds_ / 2 + seconds;
}

std::size_t UnitChooser::most_at_once() const {
    if (units_done_ == 0) return 1; // still unknown
    const auto left =
        static_cast<std::size_t>(std::count(taken_.begin() + std::ptrdiff_t(first_), taken_.end(), false));
    const auto by_time = static_cast<std::size_t>(kSecondsAtOnce * units_done_ / std::max(seconds_, 1e-3));
    return std::max<std::size_t>(1, std::min(by_time, left / (2 * workers_))); // smaller towards the end
}

std::vector<std::size_t> UnitChooser::next() const {
    std::vector<std::size_t> units;
    const std::size_t most = most_at_once(), count = last_ - first_;
    for (std::size_t i = 0; i < count && units.size() < most; i++) {
        const std::size_t unit = first_ + (cursor_ - first_ + i) % count;
        if (taken_[unit]) {
            if (!units.empty()) break;
            continue;
        }
        if (!units.empty() && unit != units.back() + 1) break;
        units.push_back(unit);
    }
    return units;
}

int work_as_task(const JobCommand &command, const TaskOfRun &task) { return Worker(command, task).run(); }

} // namespace vmaf::tune
