// Child processes: started with an argument vector in their own process group, with closed standard input and both
// outputs drained (tune.md 1.2, 15.6).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/descriptor.hpp"
#include "system/process.hpp"

namespace vmaf::tune {

using Arguments = std::vector<std::string>;
inline void append(Arguments &to, const Arguments &more) { to.insert(to.end(), more.begin(), more.end()); }

std::string shell_quoted(std::string_view word);
std::string shell_quoted(const Arguments &arguments); // one line that can be pasted into a shell

using system::find_program;
using system::ProcessNumber;
using system::processor_time;

// Keeps the last 32 KiB of a stream. Lines overwritten by carriage returns count as one.
class StderrTail {
  public:
    void add(std::string_view text);
    const std::string &text() const { return text_; }

  private:
    std::string text_;
    std::size_t line_start_ = 0; // of the incomplete line
    bool overwrite_ = false;
};

std::string last_line(std::string_view text); // that is not blank

struct ChildResult {
    int code = 0; // exit status; 128 + n after signal n
    bool timed_out = false;
    bool interrupted = false;
    double seconds = 0;
    std::string out; // standard output, if captured
    std::string error_tail;
    bool ok() const { return code == 0 && !timed_out && !interrupted; }
};

struct RunOptions {
    std::function<void(std::string_view line)> on_output_line;  // instead of capturing standard output
    std::chrono::milliseconds timeout{0};                       // kills it after this long without progress; 0: never
    std::function<std::int64_t(ProcessNumber)> progress_marker; // changes with progress; without it any output counts
    bool is_last_call = false; // part of an orderly shutdown: interrupts do not kill it; `timeout` does
    std::vector<std::pair<std::string, std::string>> environment; // set or replaced
    std::vector<std::pair<int, int>> inherited;                   // our descriptor -> its number in the child
};

// Processors for children of this thread, while it exists; an empty list changes nothing.
class Pinned {
  public:
    explicit Pinned(std::vector<int> processors);
    ~Pinned();
    static const std::vector<int> &processors(); // of this thread now
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;

  private:
    std::vector<int> before_;
};
std::vector<int> parse_processors(const std::string &list); // "0-3,8"; throws Error

// Runs to the end. Throws Error(ENOENT) if the program cannot be started.
ChildResult run_child(const Arguments &arguments, const RunOptions &options = {});

// A progress marker for silent programs: processor time used so far, in steps of five seconds. A hanging program takes
// hours for a step, a working one seconds.
inline std::int64_t work_done(ProcessNumber process) { return processor_time(process) / 500; }

// When to end a silent child: if its marker has not changed since the last check.
class Patience {
  public:
    Patience(const RunOptions &options, ProcessNumber process)
        : options_(options), process_(process), since_(std::chrono::steady_clock::now()) {}
    int wait() const;              // milliseconds until the next check; -1: no limit
    bool is_over(bool has_output); // silent for too long

  private:
    const RunOptions &options_;
    ProcessNumber process_;
    std::chrono::steady_clock::time_point since_;
    std::int64_t marker_ = 0;
};

// Reads available data; false at the end of the stream.
bool read_text(int descriptor, const std::function<void(std::string_view)> &take);

// Called for every child: before its start, and after its end. Empty functions remove the observer.
struct ChildObserver {
    std::function<void(const Arguments &)> started;
    std::function<void(const Arguments &, const ChildResult &)> ended;
    std::function<void(std::string_view)> error_text; // live
};
void observe_children(const ChildObserver &observer);
void tell_start(const Arguments &arguments); // notifies the observer
void tell_end(const Arguments &arguments, const ChildResult &outcome);
void tell_error_text(std::string_view text);

// A child whose standard output another process reads through a pipe.
class PipedChild {
  public:
    explicit PipedChild(const Arguments &arguments);
    ~PipedChild(); // kills and reaps a running child

    PipedChild(const PipedChild &) = delete;
    PipedChild &operator=(const PipedChild &) = delete;

    int output() const { return output_.get(); } // read end; the caller may read it to the end
    ProcessNumber number() const { return process_->number(); }
    ChildResult wait(); // call it after reading the output
    void kill();
    system::Descriptor take_output() { return std::move(output_); }

  private:
    struct Drain;
    std::unique_ptr<system::Process> process_;
    system::Descriptor output_;
    std::chrono::steady_clock::time_point started_;
    Arguments arguments_;
    std::unique_ptr<Drain> drain_;
    std::optional<ChildResult> outcome_;
};

// First Ctrl-C: finish running work, start nothing new. Second, SIGTERM or SIGHUP: kill the children. For cluster tasks
// SIGTERM is a warning and counts as the first.
namespace interruption {
void install_handlers(bool is_cluster_task);
bool requested();
bool urgent();
void request(); // as if a signal had arrived; for tests
void clear();
} // namespace interruption

} // namespace vmaf::tune
