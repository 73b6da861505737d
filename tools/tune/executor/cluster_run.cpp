#include "executor/cluster_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "base/error.hpp"
#include "base/visible_text.hpp"
#include "cli/command_error.hpp"
#include "executor/slurm.hpp"
#include "executor/worker.hpp"
#include "rows/row.hpp"
#include "system/filesystem.hpp"
#include "system/program.hpp"
#include "system/terminal.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

constexpr int kMostVainSubmissions = 2; // arrays in a row that did not finish a single unit
constexpr int kPatience = 120;          // times that the end of an array looks, 5 s apart
constexpr auto kPause = std::chrono::milliseconds(1000);
const char *const kResult = "/result.txt"; // what would have gone to standard output

std::string job_name(const Manifest &manifest) { return "vmaf-tune-" + manifest.id; }

struct Counts {
    std::size_t units = 0, done = 0, failed = 0, running = 0, waiting = 0;
    bool is_known = true; // whether Slurm answered
    std::string reason;   // why nothing runs
};

// A run with the cluster it runs on.
class ClusterRun {
  public:
    ClusterRun(const ClusterRequest &options, RunFolder run, const ClusterCommand &command)
        : options_(options), command_(command), run_(std::move(run)), slurm_(options_.cluster) {}

    RunFolder &folder() { return run_; }

    void submit_first() {
        RunFolder::Lock lock(run_);
        json state = {{"version", 1}, {"created", utc_timestamp()}, {"jobs", json::array()}, {"vain", 0}};
        submit(lock, state);
    }

    Counts counts() {
        Counts c;
        c.units = run_.manifest().units.size();
        for (const auto &[unit, result] : run_.results()) {
            c.done++;
            bool failed = !result.failure.empty();
            for (const json &row : result.rows)
                failed = failed || (row.is_object() && row.value("exit_status", 0) != 0);
            c.failed += failed;
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
        return c;
    }

    bool is_finished() const { return run_.state().contains("exit_code"); }

    // Brings the run nearer to its end, as far as that is possible now: finishes it, or submits again what was lost.
    // `own_jobs`: how many of the queued jobs are the caller itself. Whether anything was done.
    bool settle(std::size_t own_jobs, bool may_finish) {
        RunFolder::Lock lock(run_);
        json state = run_.state();
        if (state.contains("exit_code")) return true;
        const bool is_all_done = run_.results().size() == run_.manifest().units.size();
        if (is_all_done && may_finish) return finish(lock, state, ""), true;
        const auto queued = slurm_.queued(job_name(run_.manifest()));
        if (!queued || queued->size() > own_jobs) return false; // somebody works, or nobody knows
        if (is_all_done) return finish(lock, state, ""), true;
        // Nothing runs, and something is missing: tasks ended before their work did.
        const std::size_t done = run_.results().size();
        const bool is_vain = done == state.value("done_before", std::size_t(0));
        state["vain"] = is_vain ? state.value("vain", 0) + 1 : 0;
        if (state["vain"].get<int>() >= kMostVainSubmissions) return finish(lock, state, why_vain(state)), true;
        const std::vector<bool> claimed = run_.claimed();
        for (std::size_t unit = 0; unit < claimed.size(); unit++)
            if (claimed[unit] && !run_.results().contains(unit)) run_.release(unit);
        submit(lock, state);
        return true;
    }

    void cancel() {
        slurm_.cancel(job_name(run_.manifest()));
        for (int i = 0; i < 30 && !interruption::urgent(); i++) { // what runs may need a moment to end
            const auto queued = slurm_.queued(job_name(run_.manifest()));
            if (queued && queued->empty()) break;
            std::this_thread::sleep_for(kPause);
        }
        RunFolder::Lock lock(run_);
        json state = run_.state();
        if (state.contains("exit_code")) return;
        state["cancelled"] = true;
        finish(lock, state, "");
    }

    std::string line(const Counts &c) const {
        std::string text = std::to_string(c.done) + " of " + std::to_string(c.units) + " done";
        if (c.failed) text += ", " + std::to_string(c.failed) + " failed";
        text += ", " + std::to_string(c.running) + " running, " + std::to_string(c.waiting) + " waiting";
        if (!c.is_known) text += " (Slurm does not answer)";
        if (c.running == 0 && !c.reason.empty() && c.reason != "None") text += " (" + visible(c.reason) + ")";
        return text;
    }

    // Until the run has ended. False: interrupted before that.
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
            settle(0, command_.is_finish_light);
            for (int i = 0; i < 10 && !interruption::requested(); i++) std::this_thread::sleep_for(kPause / 10);
        }
        if (is_terminal && !is_quiet) std::fprintf(stderr, "\r\033[K");
        return true;
    }

    // What the finished run has to say. Returns its exit code.
    int tell() {
        const json state = run_.state();
        fs::ifstream text(run_.path() + kResult);
        if (text) std::fputs(std::string(std::istreambuf_iterator<char>(text), {}).c_str(), stdout);
        std::fflush(stdout);
        if (!options_.quiet && !state.value("summary", "").empty()) // a node may have ended the run
            std::fprintf(stderr, "%s\n", visible(state.value("summary", "")).c_str());
        if (!options_.quiet && !state.value("message", "").empty())
            std::fprintf(stderr, "vmaf-tune: %s\n", visible(state.value("message", "")).c_str());
        return state.value("exit_code", int(kExitInternal));
    }

  private:
    void submit(RunFolder::Lock &lock, json &state) {
        const Manifest &manifest = run_.manifest();
        std::string after;
        const std::string serial = std::to_string(state["jobs"].size());
        for (std::size_t phase = 0; phase < manifest.phases.size(); phase++) {
            const std::size_t left = run_.left(phase);
            if (left == 0) continue;
            Slurm::Job job;
            job.name = job_name(manifest);
            job.folder = manifest.working_folder;
            job.log = run_.path() + "/logs/tasks" + serial + "-" + std::to_string(phase);
            job.tasks = slurm_.most_tasks(left);
            job.after = after;
            job.command = {system::program_path(), "__task", run_.path(), std::to_string(phase),
                           std::to_string(job.tasks)};
            after = slurm_.submit(job);
            state["jobs"].push_back(after);
        }
        Slurm::Job end;
        end.name = job_name(manifest);
        end.folder = manifest.working_folder;
        end.log = run_.path() + "/logs/end" + serial;
        end.after = after;
        end.is_light = command_.is_finish_light;
        end.command = {system::program_path(), "__settle", run_.path()};
        slurm_.submit(end);
        state["done_before"] = run_.results().size();
        lock.write(state);
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

    void finish(RunFolder::Lock &lock, json &state, const std::string &trouble) {
        const std::size_t units = run_.manifest().units.size(), done = run_.results().size();
        ClusterRequest own = options_;
        own.cluster.executor = ExecutorKind::local;
        own.store = run_.manifest().store;
        own.run_folder = run_.path();
        own.no_cache = false; // what this run made is in its own store
        own.cluster.on_summary = [&](const std::string &sentence) { state["summary"] = sentence; };
        const bool to_stdout = own.output.empty() || own.output == "-";
        if (to_stdout && command_.name != "corpus") {
            own.output = run_.path() + kResult;
            own.overwrite = true;
        }
        int code = kExitInternal;
        std::string message = trouble;
        if (state.value("cancelled", false))
            message = "cancelled: " + std::to_string(done) + " of " + std::to_string(units) + " were done";
        else if (done < units && trouble.empty())
            message = std::to_string(units - done) + " of " + std::to_string(units) + " failed";
        try {
            const bool is_whole = done == units;
            code = is_whole || command_.name == "corpus" ? command_.finish(own, run_.manifest(), run_.results())
                                                         : kExitFailed;
            if (!is_whole && trouble.empty() && code == kExitOk) code = kExitSomeFailed;
            if (!trouble.empty()) {
                code = kExitFailed;
                for (const TaskError &e : run_.errors()) code = e.exit_code;
                if (done > 0 && code == kExitFailed) code = kExitSomeFailed;
                message += "; " + std::to_string(done) + " of " + std::to_string(units) + " were done";
            }
        } catch (const CommandError &e) {
            code = e.code();
            message = e.what();
        } catch (const Error &e) {
            code = kExitOutput;
            message = e.what();
        }
        if (state.value("cancelled", false)) code = kExitInterrupted;
        state["exit_code"] = code;
        state["message"] = message;
        state["ended"] = utc_timestamp();
        std::error_code ignored;
        if (!options_.keep) fs::remove_all(run_.path() + "/encodes", ignored);
        lock.write(state);
        if (done == units) return;
        slurm_.cancel(job_name(run_.manifest()));
    }

    ClusterRequest options_;
    const ClusterCommand &command_;
    RunFolder run_;
    Slurm slurm_;
};

void check_wishes(const ClusterRequest &o) {
    if (o.cluster.shared.empty())
        throw usage_error("--executor slurm needs --shared FOLDER, a folder that all nodes see under the same name");
    if (fs::absolute(o.cluster.shared).string().find('\\') != std::string::npos) // has a meaning of its own there
        throw usage_error("--shared: Slurm cannot write logs below a folder with a backslash in its name");
    if (o.source_hash == SourceHash::none)
        throw usage_error("--executor slurm identifies results by the source's hash; leave out --no-source-hash");
    if (o.cluster.gres.starts_with("gpu") && o.score_backend == BackendWish::cpu)
        throw usage_error("--gres " + o.cluster.gres + " asks for a GPU and --score-backend cpu does not use it");
}

} // namespace

std::optional<int> run_on_cluster(const ClusterRequest &given, const ClusterCommand &command) {
    ClusterRequest options = given;
    // A GPU that was asked for is used, or the cell fails.
    if (options.cluster.gres.starts_with("gpu") && options.score_backend == BackendWish::automatic)
        options.score_backend = BackendWish::cuda;
    if (!options.cluster.run.empty()) return show_status(options, RunFolder(options.cluster.run), command);
    if (!options.cluster.task_folder.empty()) {
        if (options.cluster.workers > 0) return work_as_task(options, command);
        RunFolder run(options.cluster.task_folder); // the end of an array
        if (fs::current_path() != run.manifest().working_folder)
            return kExitOk; // not seen here: whoever watches ends it
        ClusterRun cluster(options, std::move(run), command);
        // Tasks on a lost node may be listed for a while.
        for (int i = 0; i < kPatience && !cluster.settle(1, true) && !interruption::requested(); i++)
            std::this_thread::sleep_for(5 * kPause);
        return kExitOk;
    }
    if (options.cluster.executor != ExecutorKind::slurm || options.dry_run) return std::nullopt;
    check_wishes(options);
    { const Slurm is_there(options.cluster); }
    Manifest manifest;
    manifest.command = command.name;
    manifest.working_folder = fs::current_path().string();
    manifest.arguments = options.cluster.command_line;
    if (!options.no_cache)
        manifest.store = fs::absolute(options.cluster.shared).lexically_normal().string() + "/results";
    command.plan(options, manifest);
    if (manifest.phases.empty()) manifest.phases = {0};
    ClusterRun run(options, RunFolder::create(options.cluster.shared, std::move(manifest)), command);
    run.submit_first();
    if (!options.quiet)
        std::fprintf(stderr, "vmaf-tune: run %s in %s\n", run.folder().manifest().id.c_str(),
                     visible(run.folder().path()).c_str());
    if (options.cluster.detach) {
        std::printf("%s\n", run.folder().path().c_str());
        return kExitOk;
    }
    if (!run.watch(options.quiet)) {
        if (!options.quiet) std::fprintf(stderr, "vmaf-tune: cancelling the tasks\n");
        run.cancel();
    }
    return run.tell();
}

int show_status(const ClusterRequest &options, const RunFolder &folder, const ClusterCommand &command) {
    ClusterRun run(options, folder, command);
    if (options.cluster.cancel) {
        run.cancel();
        return run.tell();
    }
    if (options.cluster.attach || options.cluster.wait) {
        if (!run.watch(options.cluster.wait && !options.cluster.attach)) return kExitInterrupted; // the run goes on
        return run.tell();
    }
    const Counts c = run.counts();
    const json state = folder.state();
    if (options.cluster.as_json) {
        json answer = {{"run", folder.path()},       {"command", folder.manifest().command},
                       {"units", c.units},           {"done", c.done},
                       {"failed", c.failed},         {"running", c.running},
                       {"waiting", c.waiting},       {"finished", state.contains("exit_code")},
                       {"slurm_answers", c.is_known}};
        if (state.contains("exit_code")) answer["exit_code"] = state["exit_code"];
        std::printf("%s\n", row_text(answer).c_str());
        return kExitOk;
    }
    std::printf("%s  %s  %s\n", folder.manifest().id.c_str(), folder.manifest().command.c_str(),
                state.contains("exit_code")
                    ? ("ended, exit code " + std::to_string(state.value("exit_code", 0)) + ", " +
                       std::to_string(c.done) + " of " + std::to_string(c.units) + " done")
                          .c_str()
                    : run.line(c).c_str());
    for (const TaskError &e : folder.errors())
        std::printf("  task %s on %s: %s\n", visible(e.who).c_str(), visible(e.node).c_str(),
                    visible(e.message).c_str());
    return kExitOk;
}

} // namespace vmaf::tune
