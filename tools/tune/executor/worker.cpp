#include "executor/worker.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/error.hpp"
#include "base/visible_text.hpp"
#include "cli/command_error.hpp"
#include "process/child.hpp"
#include "system/environment.hpp"
#include "system/host.hpp"

namespace vmaf::tune {

namespace {

constexpr double kSecondsAtOnce = 20;    // what a task takes at a time, if there is enough for all
constexpr std::size_t kMostAttempts = 5; // of a unit whose tasks were lost

std::string host_name() { return system::environment("SLURMD_NODENAME").value_or(system::host_name()); }

// Released when the task ends without having done them.
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
    Worker(const ClusterRequest &options, const ClusterCommand &command)
        : options_(options), command_(command), run_(options.cluster.task_folder), host_(host_name()) {
        const std::string job = system::environment("SLURM_ARRAY_JOB_ID").value_or("0");
        index_ = std::strtoull(system::environment("SLURM_ARRAY_TASK_ID").value_or("0").c_str(), nullptr, 10);
        task_ = job + "_" + std::to_string(index_);
        who_ = task_ + "." + system::environment("SLURM_RESTART_COUNT").value_or("0");
    }

    int run() {
        const std::size_t phase = options_.cluster.phase;
        const Manifest &manifest = run_.manifest();
        if (phase >= manifest.phases.size()) throw usage_error("the run has no phase " + std::to_string(phase));
        UnitChooser chooser(manifest.phases[phase], manifest.phase_end(phase), index_, options_.cluster.workers);
        take_over();
        chooser.set_taken(run_.claimed());
        const auto are_alike = [&](std::size_t a, std::size_t b) {
            return manifest.units[a].value("group", "") == manifest.units[b].value("group", "");
        };
        while (!interruption::requested()) {
            const std::vector<std::size_t> wanted = chooser.next(are_alike);
            if (wanted.empty()) break;
            run_.note_claims(task_, wanted);
            std::vector<std::size_t> got;
            for (const std::size_t unit : wanted) {
                if (run_.claim(unit, who_)) got.push_back(unit);
                chooser.take(unit);
            }
            if (got.size() < wanted.size()) chooser.set_taken(run_.claimed()); // others are here
            if (got.empty()) continue;
            const auto begin = std::chrono::steady_clock::now();
            const std::size_t count = work(got);
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            units_ += count;
            busy_ += seconds;
            if (count < got.size()) break;
            chooser.measured(count, seconds);
        }
        const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
        std::fprintf(stderr, "task %s on %s: %zu units in %.2f s, %.2f s around them\n", who_.c_str(), host_.c_str(),
                     units_, busy_, all - busy_);
        return interruption::requested() ? int(kExitInterrupted) : failed_;
    }

  private:
    // What an earlier attempt of this task claimed and did not finish: its node is lost, or it was stopped.
    void take_over() {
        const auto &results = run_.results();
        for (const std::size_t unit : run_.claims_of_task(task_)) {
            const std::vector<std::string> attempts = run_.attempts(unit);
            if (results.contains(unit) || attempts.empty() || !attempts.back().starts_with(task_ + ".")) continue;
            if (interruption::requested()) return;
            if (run_.add_attempt(unit, who_) > kMostAttempts) {
                run_.add_result(who_, unit,
                                {{}, "its task was lost " + std::to_string(kMostAttempts) + " times", kExitFailed});
                continue;
            }
            work({unit});
        }
    }

    // How many were done.
    std::size_t work(const std::vector<std::size_t> &units) {
        Claims claims(run_, units);
        std::vector<nlohmann::json> what;
        for (const std::size_t unit : units) what.push_back(run_.manifest().units[unit]);
        try {
            command_.work(options_, what, [&](std::size_t i, const UnitResult &result) {
                run_.add_result(who_, units.at(i), result);
                claims.done(units.at(i));
            });
        } catch (const CommandError &e) {
            if (e.code() == kExitInterrupted) return units.size() - claims.units().size();
            std::fprintf(stderr, "vmaf-tune: %s: %s\n", host_.c_str(), visible(e.what()).c_str());
            run_.add_error({who_, host_, e.what(), e.code()});
            failed_ = e.code(); // other nodes may be able to do it
        }
        return units.size() - claims.units().size();
    }

    const ClusterRequest &options_;
    const ClusterCommand &command_;
    RunFolder run_;
    std::string host_, task_, who_;
    std::size_t index_ = 0, units_ = 0;
    double busy_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    int failed_ = 0;
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
    if (units_done_ == 0) return 1; // not known yet
    const auto left =
        static_cast<std::size_t>(std::count(taken_.begin() + std::ptrdiff_t(first_), taken_.end(), false));
    const auto by_time = static_cast<std::size_t>(kSecondsAtOnce * units_done_ / std::max(seconds_, 1e-3));
    return std::max<std::size_t>(1, std::min(by_time, left / (2 * workers_))); // less and less towards the end
}

std::vector<std::size_t> UnitChooser::next(const std::function<bool(std::size_t, std::size_t)> &are_alike) const {
    std::vector<std::size_t> units;
    const std::size_t most = most_at_once(), count = last_ - first_;
    for (std::size_t i = 0; i < count && units.size() < most; i++) {
        const std::size_t unit = first_ + (cursor_ - first_ + i) % count;
        if (taken_[unit]) {
            if (!units.empty()) break;
            continue;
        }
        if (!units.empty() && (unit != units.back() + 1 || !are_alike(units.front(), unit))) break;
        units.push_back(unit);
    }
    return units;
}

int work_as_task(const ClusterRequest &given, const ClusterCommand &command) {
    ClusterRequest options = given;
    options.cluster.executor = ExecutorKind::local;
    const RunFolder run(given.cluster.task_folder);
    options.store = run.manifest().store;
    options.run_folder = run.path();
    options.cluster.extra = run.manifest().extra;
    // A database is for one machine; what others need goes to the shared folder. The home folder may be shared.
    const std::string scratch = system::environment("TMPDIR").value_or("/tmp");
    options.cache_dir = scratch + "/vmaf-tune-cache-" + std::to_string(system::own_user());
    if (given.no_cache) options.cache_dir += "-" + run.manifest().id; // nothing of other runs
    options.no_cache = false;
    options.progress = ProgressMode::plain;
    options.log.clear();
    return Worker(options, command).run();
}

} // namespace vmaf::tune
