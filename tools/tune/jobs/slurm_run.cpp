#include "jobs/slurm_run.hpp"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/visible_text.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/slurm.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "system/output_file.hpp"
#include "system/program.hpp"
#include "system/terminal.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

constexpr int kMostVainSubmissions = 2; // consecutive arrays that did not finish a single unit
constexpr int kPatience = 120;          // checks at the end of an array, 5 s apart
constexpr auto kPause = std::chrono::milliseconds(1000);
const char *const kResult = "/result.txt"; // what would have gone to standard output

std::string job_name(const Manifest &manifest) { return "vmaf-tune-" + manifest.id; }

struct Counts {
    std::size_t units = 0, done = 0, failed = 0, running = 0, waiting = 0;
    bool is_known = true; // whether Slurm responded
    std::string reason;   // why nothing runs
    std::vector<LostNode> lost_nodes;
};

std::string text_of(const LostNode &node) {
    const bool is_silent = node.state.ends_with("*");
    return "node " + node.name + (is_silent ? " does not respond" : " is " + node.state) +
           (node.reason.empty() ? "" : " (" + node.reason + ")");
}

// Removes what a process that only plans or answers does not need.
ProbeRequest settled_here(ProbeRequest o) {
    o.score_backend = BackendWish::cpu;
    o.sample_at.clear();
    o.store.clear();
    return o;
}

// A run and its cluster.
class SlurmRun {
  public:
    SlurmRun(const JobCommand &command, RunFolder run)
        : command_(command), run_(std::move(run)), slurm_(*command.cluster) {}

    RunFolder &folder() { return run_; }

    void submit_first() {
        RunFolder::Lock lock(run_);
        json state = {{"version", 1}, {"created", utc_timestamp()}, {"jobs", json::array()}, {"vain", 0}};
        submit(lock, state);
    }

    Counts counts() {
        run_.read_phases();
        Counts c;
        c.units = run_.manifest().units.size();
        for (const auto &[unit, outcome] : run_.outcomes()) {
            c.done++;
            c.failed += outcome.has_failed;
        }
        const auto queued = slurm_.queued(job_name(run_.manifest()));
        c.is_known = queued.has_value();
        for (const QueuedTask &task : queued.value_or(std::vector<QueuedTask>{})) {
            if (task.state == "RUNNING" || task.state == "COMPLETING")
                c.running++;
            else
                c.waiting++;
            if (task.state == "PENDING" && task.reason != "Dependency") c.reason = task.reason;
        }
        if (c.done < c.units) c.lost_nodes = slurm_.lost(run_.nodes());
        return c;
    }

    bool is_finished() const { return run_.state().contains("exit_code"); }

    // Advances the run if possible: answers, starts the next phase, or resubmits what was lost. `own_jobs`: how many
    // queued jobs are the caller itself. Returns whether it did anything.
    bool settle(std::size_t own_jobs) {
        RunFolder::Lock lock(run_);
        run_.read_phases();
        json state = run_.state();
        if (state.contains("exit_code")) return true;
        if (run_.outcomes().size() == run_.manifest().units.size()) return go_on(lock, state), true;
        const auto queued = slurm_.queued(job_name(run_.manifest()));
        if (!queued || queued->size() > own_jobs) return false; // a task works, or the state is unknown
        // Nothing runs, but units are missing: tasks ended before their work did.
        const std::size_t done = run_.outcomes().size();
        const bool is_vain = done == state.value("done_before", std::size_t(0));
        state["vain"] = is_vain ? state.value("vain", 0) + 1 : 0;
        if (state["vain"].get<int>() >= kMostVainSubmissions) return give_up(lock, state, why_vain(state)), true;
        const std::vector<bool> claimed = run_.claimed();
        for (std::size_t unit = 0; unit < claimed.size(); unit++)
            if (claimed[unit] && !run_.outcomes().contains(unit)) run_.release(unit);
        submit(lock, state);
        return true;
    }

    void cancel() {
        slurm_.cancel(job_name(run_.manifest()));
        for (int i = 0; i < 30 && !interruption::urgent(); i++) { // running tasks may need a moment to end
            const auto queued = slurm_.queued(job_name(run_.manifest()));
            if (queued && queued->empty()) break;
            std::this_thread::sleep_for(kPause);
        }
        RunFolder::Lock lock(run_);
        json state = run_.state();
        if (state.contains("exit_code")) return;
        state["cancelled"] = true;
        give_up(lock, state, "");
    }

    std::string line(const Counts &c) const {
        std::string text = std::to_string(c.done) + " of " + std::to_string(c.units) + " done";
        if (c.failed) text += ", " + std::to_string(c.failed) + " failed";
        text += ", " + std::to_string(c.running) + " running, " + std::to_string(c.waiting) + " waiting";
        if (!c.is_known) text += " (Slurm does not answer)";
        if (c.running == 0 && !c.reason.empty() && c.reason != "None") text += " (" + visible(c.reason) + ")";
        if (!c.lost_nodes.empty()) text += ", " + std::to_string(c.lost_nodes.size()) + " of the nodes lost";
        return text;
    }

    // Until the run has ended. False: interrupted earlier.
    bool watch(bool is_quiet) {
        std::string last;
        auto told = std::chrono::steady_clock::time_point{};
        const bool is_terminal = system::is_terminal(system::Stream::error);
        while (!is_finished()) {
            if (interruption::requested()) return false;
            const Counts now = counts();
            const std::string text = line(now);
            const auto time = std::chrono::steady_clock::now();
            if (!is_quiet && text != last && (is_terminal || time - told > std::chrono::seconds(5))) {
                std::fprintf(stderr, is_terminal ? "\r\033[K%s" : "%s\n", text.c_str());
                last = text;
                told = time;
            }
            settle(0);
            for (int i = 0; i < 10 && !interruption::requested(); i++) std::this_thread::sleep_for(kPause / 10);
        }
        if (is_terminal && !is_quiet) std::fprintf(stderr, "\r\033[K");
        return true;
    }

    // Prints the finished run's messages. Returns its exit code.
    int tell() {
        const json state = run_.state();
        fs::ifstream text(run_.path() + kResult);
        if (text) std::fputs(std::string(std::istreambuf_iterator<char>(text), {}).c_str(), stdout);
        std::fflush(stdout);
        if (!command_.request->quiet && !state.value("summary", "").empty()) // a node may have ended the run
            std::fprintf(stderr, "%s\n", visible(state.value("summary", "")).c_str());
        if (!command_.request->quiet && !state.value("message", "").empty())
            std::fprintf(stderr, "vmaf-tune: %s\n", visible(state.value("message", "")).c_str());
        return state.value("exit_code", int(kExitInternal));
    }

  private:
    // The newest phase, and the job that settles the run after it.
    void submit(RunFolder::Lock &lock, json &state) {
        const Manifest &manifest = run_.manifest();
        const std::size_t phase = manifest.phases.size() - 1;
        const std::string serial = std::to_string(state["jobs"].size());
        Slurm::Job tasks;
        tasks.name = job_name(manifest);
        tasks.folder = manifest.working_folder;
        tasks.log = run_.path() + "/logs/tasks" + serial + "-" + std::to_string(phase);
        tasks.tasks = slurm_.most_tasks(run_.left(phase));
        tasks.command = {system::program_path(), "__task", run_.path(), std::to_string(phase),
                         std::to_string(tasks.tasks)};
        state["jobs"].push_back(slurm_.submit(tasks));
        Slurm::Job end;
        end.name = job_name(manifest);
        end.folder = manifest.working_folder;
        end.log = run_.path() + "/logs/end" + serial;
        end.after = state["jobs"].back();
        end.command = {system::program_path(), "__settle", run_.path(), std::to_string(phase)};
        slurm_.submit(end);
        state["done_before"] = run_.outcomes().size();
        lock.write(state);
    }

    // All requested work is done: the next phase, or the answer.
    void go_on(RunFolder::Lock &lock, json &state) {
        const bool can_go_on = !first_failure();
        try {
            const std::vector<json> units = can_go_on && !job().answers_in_part()
                                                ? job().next(run_.rows(run_.manifest().units.size()))
                                                : std::vector<json>{};
            if (units.empty()) return finish(lock, state, "");
            run_.add_phase(units);
            state["vain"] = 0;
            submit(lock, state);
        } catch (const CommandError &e) {
            end(lock, state, e.code(), e.what());
        } catch (const Error &e) {
            end(lock, state, kExitOutput, e.what());
        }
    }

    // For work without units.
    Job &job() {
        if (!job_) job_ = command_.make(settled_here(*command_.request));
        return *job_;
    }

    const UnitOutcome *first_failure() {
        for (const auto &[unit, outcome] : run_.outcomes())
            if (!outcome.failure.empty()) return &outcome;
        return nullptr;
    }

    std::string why_vain(const json &state) {
        const std::vector<TaskError> errors = run_.errors();
        if (!errors.empty()) return "node " + errors.back().node + ": " + errors.back().message;
        std::string text = "tasks end without doing anything; see " + run_.path() + "/logs";
        std::string how;
        for (const auto &[name, count] : slurm_.ended(state["jobs"].get<std::vector<std::string>>()))
            how += (how.empty() ? " (" : ", ") + std::to_string(count) + " " + name;
        return text + (how.empty() ? "" : how + ")");
    }

    void give_up(RunFolder::Lock &lock, json &state, const std::string &trouble) {
        try {
            finish(lock, state, trouble);
        } catch (const CommandError &e) {
            end(lock, state, e.code(), e.what());
        } catch (const Error &e) {
            end(lock, state, kExitOutput, e.what());
        }
    }

    void finish(RunFolder::Lock &lock, json &state, const std::string &trouble) {
        const std::size_t units = run_.manifest().units.size(), done = run_.outcomes().size();
        const bool is_cancelled = state.value("cancelled", false);
        const std::string so_many = std::to_string(done) + " of " + std::to_string(units) + " were done";
        ExitCode code = kExitFailed;
        std::string message = is_cancelled ? "cancelled: " + so_many : trouble.empty() ? "" : trouble + "; " + so_many;
        const UnitOutcome *failure = first_failure();
        if (job().answers_in_part() || (done == units && !failure)) {
            const Answer answer = job().answers_in_part()
                                      ? job().merge([&](const UseOfUnit &use) { run_.each_unit(units, use); })
                                      : job().result(run_.rows(units));
            code = done < units && answer.exit_code == kExitOk ? kExitSomeFailed : answer.exit_code;
            state["summary"] = answer.summary;
            if (!answer.text.empty())
                system::write_output_file(run_.path() + kResult, [&](const auto &out) { out(answer.text); });
        } else if (failure && message.empty()) {
            code = failure->exit_code;
            message = failure->failure;
        }
        if (!trouble.empty()) {
            code = kExitFailed;
            for (const TaskError &e : run_.errors()) code = e.exit_code;
            if (done > 0 && code == kExitFailed) code = kExitSomeFailed;
        }
        end(lock, state, code, message);
        if (done < units) slurm_.cancel(job_name(run_.manifest()));
    }

    void end(RunFolder::Lock &lock, json &state, ExitCode code, const std::string &message) {
        state["exit_code"] = state.value("cancelled", false) ? kExitInterrupted : code;
        state["message"] = message;
        state["ended"] = utc_timestamp();
        std::error_code ignored;
        if (!command_.request->keep) fs::remove_all(run_.path() + "/encodes", ignored);
        lock.write(state);
    }

    const JobCommand &command_;
    RunFolder run_;
    Slurm slurm_;
    std::unique_ptr<Job> job_;
};

void check_wishes(const ProbeRequest &o, const ClusterOptions &cluster) {
    if (cluster.shared.empty())
        throw usage_error("--executor slurm needs --shared FOLDER, a folder that all nodes see under the same name");
    if (fs::absolute(cluster.shared).string().find('\\') != std::string::npos) // has a special meaning there
        throw usage_error("--shared: Slurm cannot write logs below a folder with a backslash in its name");
    if (o.hash == SourceHash::none)
        throw usage_error("--executor slurm identifies results by the source's hash; leave out --no-source-hash");
    if (cluster.gres.starts_with("gpu") && o.score_backend == BackendWish::cpu)
        throw usage_error("--gres " + cluster.gres + " asks for a GPU and --score-backend cpu does not use it");
}

} // namespace

int run_on_slurm(const JobCommand &command, const std::vector<std::string> &command_line) {
    const ProbeRequest &o = *command.request;
    const ClusterOptions &cluster = *command.cluster;
    check_wishes(o, cluster);
    { const Slurm is_there(cluster); }
    Manifest manifest;
    manifest.command = command.name;
    manifest.working_folder = fs::current_path().string();
    manifest.arguments = command_line;
    if (!o.no_cache) manifest.store = fs::absolute(cluster.shared).lexically_normal().string() + "/results";
    {
        const std::unique_ptr<Job> job = command.make(settled_here(o));
        job->check_outputs();
        manifest.units = job->next({});
        if (manifest.units.empty()) {
            if (!job->answers_in_part()) throw usage_error("no work is left for other machines");
            job->progress().say("nothing is left to do");
            return kExitOk;
        }
    }
    SlurmRun run(command, RunFolder::create(cluster.shared, std::move(manifest)));
    run.submit_first();
    if (!o.quiet)
        std::fprintf(stderr, "vmaf-tune: run %s in %s\n", run.folder().manifest().id.c_str(),
                     visible(run.folder().path()).c_str());
    if (cluster.detach) {
        std::printf("%s\n", run.folder().path().c_str());
        return kExitOk;
    }
    if (!run.watch(o.quiet)) {
        if (!o.quiet) std::fprintf(stderr, "vmaf-tune: cancelling the tasks\n");
        run.cancel();
    }
    return run.tell();
}

int settle_run(const JobCommand &command, const std::string &folder, std::size_t phase) {
    RunFolder run(folder);
    if (fs::current_path() != run.manifest().working_folder) return kExitOk; // not visible here: the watcher ends it
    if (run.manifest().phases.size() > phase + 1) return kExitOk;            // the watcher was faster
    SlurmRun cluster(command, std::move(run));
    // Tasks on a lost node may stay listed for a while.
    for (int i = 0; i < kPatience && !cluster.settle(1) && !interruption::requested(); i++) {
        std::this_thread::sleep_for(5 * kPause);
        if (cluster.folder().manifest().phases.size() > phase + 1) break;
    }
    return kExitOk;
}

int show_status(const JobCommand &command, const std::string &path, const StatusWish &wish) {
    SlurmRun run(command, RunFolder(path));
    if (wish.cancel) {
        run.cancel();
        return run.tell();
    }
    if (wish.attach || wish.wait) {
        if (!run.watch(wish.wait && !wish.attach)) return kExitInterrupted; // the run continues
        return run.tell();
    }
    const RunFolder &folder = run.folder();
    const Counts c = run.counts();
    const json state = folder.state();
    if (wish.as_json) {
        json answer = {{"run", folder.path()},       {"command", folder.manifest().command},
                       {"units", c.units},           {"done", c.done},
                       {"failed", c.failed},         {"running", c.running},
                       {"waiting", c.waiting},       {"finished", state.contains("exit_code")},
                       {"slurm_answers", c.is_known}};
        if (state.contains("exit_code")) answer["exit_code"] = state["exit_code"];
        answer["lost_nodes"] = json::array();
        for (const LostNode &node : c.lost_nodes)
            answer["lost_nodes"].push_back({{"node", node.name}, {"state", node.state}, {"reason", node.reason}});
        std::printf("%s\n", json_line(answer).c_str());
        return kExitOk;
    }
    std::printf("%s  %s  %s\n", folder.manifest().id.c_str(), folder.manifest().command.c_str(),
                state.contains("exit_code")
                    ? ("ended, exit code " + std::to_string(state.value("exit_code", 0)) + ", " +
                       std::to_string(c.done) + " of " + std::to_string(c.units) + " done")
                          .c_str()
                    : run.line(c).c_str());
    for (const LostNode &node : c.lost_nodes) std::printf("  %s\n", visible(text_of(node)).c_str());
    for (const TaskError &e : folder.errors())
        std::printf("  task %s on %s: %s\n", visible(e.who).c_str(), visible(e.node).c_str(),
                    visible(e.message).c_str());
    return kExitOk;
}

} // namespace vmaf::tune
