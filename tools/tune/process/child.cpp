#include "process/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <sched.h>
#include <sstream>
#include <sys/wait.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/thread.hpp"
#include "system/environment.hpp"

extern char **environ;

namespace vmaf::tune {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kTailBytes = 32 * 1024;
constexpr int kPipeBytes = 1 << 20;

// Process groups of running children, for the signal handler: plain atomics, no locks.
constexpr std::size_t kMaxChildren = 256;
std::array<std::atomic<pid_t>, kMaxChildren> running_groups;
std::atomic<int> signals_seen{0};
thread_local std::vector<int> pinned_processors;
std::mutex observer_mutex;
ChildObserver observer;

ChildObserver current_observer() {
    const std::lock_guard lock(observer_mutex);
    return observer;
}

void tell_error_text(std::string_view text) {
    if (const ChildObserver o = current_observer(); o.error_text) o.error_text(text);
}

void remember_group(pid_t pid) {
    for (auto &slot : running_groups) {
        pid_t expected = 0;
        if (slot.compare_exchange_strong(expected, pid)) return;
    }
}

void forget_group(pid_t pid) {
    for (auto &slot : running_groups) {
        pid_t expected = pid;
        if (slot.compare_exchange_strong(expected, 0)) return;
    }
}

bool tells_interruptions = false; // on a terminal

void on_signal(int) {
    if (++signals_seen < 2) {
        constexpr std::string_view kSentence = "\nvmaf-tune: what runs now is finished first; again: it ends at once\n";
        if (tells_interruptions) (void)!::write(STDERR_FILENO, kSentence.data(), kSentence.size());
        return;
    }
    for (auto &slot : running_groups)
        if (const pid_t pid = slot.load(); pid > 0) ::kill(-pid, SIGKILL);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int exit_code(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 255;
}

int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    forget_group(pid);
    return exit_code(status);
}

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(errno, std::string("no pipe: ") + std::strerror(errno));
        read = ends[0];
        write = ends[1];
    }
    ~Pipe() {
        close_end(read);
        close_end(write);
    }
    static void close_end(int &end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
};

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>> &changes) {
    std::vector<std::string> result;
    for (char **entry = environ; *entry; entry++) {
        const std::string_view text = *entry;
        const auto name = text.substr(0, text.find('='));
        if (std::none_of(changes.begin(), changes.end(), [&](const auto &c) { return c.first == name; }))
            result.emplace_back(text);
    }
    for (const auto &[name, value] : changes) result.push_back(name + "=" + value);
    return result;
}

pid_t spawn(const Arguments &arguments, int out, int err,
            const std::vector<std::pair<std::string, std::string>> &changes = {},
            const std::vector<std::pair<int, int>> &inherited = {}) {
    if (const ChildObserver o = current_observer(); o.started) o.started(arguments);
    std::vector<char *> argv;
    for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    const std::vector<std::string> environment = merged_environment(changes);
    std::vector<char *> envp;
    for (const std::string &e : environment) envp.push_back(const_cast<char *>(e.c_str()));
    envp.push_back(nullptr);

    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (const int number : pinned_processors) CPU_SET(static_cast<std::size_t>(number), &processors);
    const bool is_pinned = !pinned_processors.empty();

    // fork rather than posix_spawn: only between fork and exec can a child ask to die with us (kill -9 leaves nothing
    // running). Nothing but async-signal-safe calls happens there.
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    Pipe failure; // carries errno if the program cannot be started; closed by a successful exec
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
#if defined(__linux__)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (getppid() != parent) _exit(127); // it died before we could ask
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaction(number, &standard, nullptr);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        if (is_pinned) sched_setaffinity(0, sizeof processors, &processors);
        dup2(null, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        for (const auto &[ours, theirs] : inherited) dup2(ours, theirs);
        execvpe(argv[0], argv.data(), envp.data());
        const int error = errno;
        (void)!::write(failure.write, &error, sizeof error);
        _exit(127);
    }
    const int fork_error = errno;
    if (null >= 0) ::close(null);
    if (pid < 0) throw Error(fork_error, "cannot start '" + arguments.at(0) + "': " + std::strerror(fork_error));
    setpgid(pid, pid); // both sides do it: whoever comes first
    Pipe::close_end(failure.write);
    int error = 0;
    if (::read(failure.read, &error, sizeof error) == sizeof error) {
        while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        throw Error(error, "cannot start '" + arguments.at(0) + "': " + std::strerror(error));
    }
    remember_group(pid);
    if (interruption::urgent()) ::kill(-pid, SIGKILL); // the handler may have looked before we remembered
    return pid;
}

// Splits what arrives into lines.
class LineReader {
  public:
    explicit LineReader(std::function<void(std::string_view)> on_line) : on_line_(std::move(on_line)) {}
    void add(std::string_view text) {
        pending_.append(text);
        std::size_t start = 0;
        for (std::size_t end = 0; (end = pending_.find('\n', start)) != std::string::npos; start = end + 1)
            on_line_(std::string_view(pending_).substr(start, end - start));
        pending_.erase(0, start);
    }

  private:
    std::function<void(std::string_view)> on_line_;
    std::string pending_;
};

// Reads what is there; false at the end of the stream.
bool read_some(int fd, const std::function<void(std::string_view)> &take) {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count > 0) take({buffer.data(), static_cast<std::size_t>(count)});
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

} // namespace

std::string shell_quoted(std::string_view word) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string shell_quoted(const Arguments &arguments) {
    std::string line;
    for (const std::string &a : arguments) line += (line.empty() ? "" : " ") + shell_quoted(a);
    return line;
}

std::optional<std::string> find_program(const std::string &name) {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
    const std::string path = system::environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

void StderrTail::add(std::string_view text) {
    for (const char c : text) {
        if (c == '\r') {
            overwrite_ = true;
            continue;
        }
        if (overwrite_ && c != '\n') text_.resize(line_start_);
        overwrite_ = false;
        text_ += c;
        if (c == '\n') line_start_ = text_.size();
    }
    if (text_.size() <= 2 * kTailBytes) return;
    const std::size_t cut = text_.size() - kTailBytes;
    text_.erase(0, cut);
    line_start_ -= std::min(line_start_, cut);
}

std::string StderrTail::last_lines(std::size_t count) const {
    std::size_t end = text_.find_last_not_of("\n ");
    if (end == std::string::npos) return {};
    std::size_t start = end + 1;
    while (count-- > 0 && start > 0) {
        start = text_.rfind('\n', start - 1);
        if (start == std::string::npos) {
            start = 0;
            break;
        }
    }
    if (start > 0) start++;
    return text_.substr(start, end + 1 - start);
}

namespace {

// When a child that is silent is ended: a marker that has not moved since the last look.
class Patience {
  public:
    Patience(const RunOptions &options, pid_t pid) : options_(options), pid_(pid), since_(Clock::now()) {}

    // Milliseconds until the next look; -1: there is no limit.
    int wait() const {
        if (options_.timeout.count() <= 0) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(since_ + options_.timeout - Clock::now());
        return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
    }
    bool is_over(bool has_output) {
        if (options_.timeout.count() <= 0) return false;
        const auto now = Clock::now();
        if (!options_.progress_marker) {
            if (has_output) since_ = now;
        } else if (now - since_ >= options_.timeout || has_output) {
            const std::int64_t marker = options_.progress_marker(pid_);
            if (marker != std::exchange(marker_, marker)) since_ = now;
        }
        return now - since_ >= options_.timeout;
    }

  private:
    const RunOptions &options_;
    pid_t pid_;
    Clock::time_point since_;
    std::int64_t marker_ = 0;
};

} // namespace

Outcome run_child(const Arguments &arguments, const RunOptions &options) {
    Pipe out, err;
    std::optional<Pipe> report;
    std::vector<std::pair<int, int>> inherited = options.inherited;
    if (options.report_descriptor >= 0) {
        report.emplace();
        inherited.emplace_back(report->write, options.report_descriptor);
    }
    const Clock::time_point start = Clock::now();
    const pid_t pid = spawn(arguments, out.write, err.write, options.environment, inherited);
    Pipe::close_end(out.write);
    Pipe::close_end(err.write);
    if (report) Pipe::close_end(report->write);

    Outcome outcome;
    StderrTail tail;
    LineReader lines(options.on_output_line ? options.on_output_line : [](std::string_view) {});
    LineReader reports(options.on_report_line ? options.on_report_line : [](std::string_view) {});
    std::array<pollfd, 3> fds = {
        {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {report ? report->read : -1, POLLIN, 0}}};
    Patience patience(options, pid);
    bool killed = false;
    // A second Ctrl-C kills the child, which ends its streams: nothing has to be looked at from time to time.
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        const int ready = ::poll(fds.data(), fds.size(), killed ? -1 : patience.wait());
        if (!killed && patience.is_over(ready > 0)) {
            ::kill(-pid, SIGKILL);
            killed = outcome.timed_out = true;
        }
        if (ready <= 0) continue;
        if (fds[0].revents && !read_some(out.read, [&](std::string_view text) {
                if (options.on_output_line)
                    lines.add(text);
                else if (outcome.out.size() < options.capture_limit)
                    outcome.out.append(text);
            }))
            fds[0].fd = -1;
        if (fds[1].revents && !read_some(err.read, [&](std::string_view text) {
                tail.add(text);
                if (options.on_error_text) options.on_error_text(text);
                tell_error_text(text);
            }))
            fds[1].fd = -1;
        if (fds[2].revents && !read_some(report->read, [&](std::string_view text) { reports.add(text); }))
            fds[2].fd = -1;
    }
    outcome.code = wait_for(pid);
    outcome.interrupted = interruption::urgent() && outcome.code != 0;
    outcome.seconds = seconds_since(start);
    outcome.error_tail = tail.text();
    if (const ChildObserver o = current_observer(); o.ended) o.ended(arguments, outcome);
    return outcome;
}

void observe_children(const ChildObserver &wanted) {
    const std::lock_guard lock(observer_mutex);
    observer = wanted;
}

std::int64_t processor_time(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    text.erase(0, text.rfind(')') + 1); // the name may hold anything
    std::istringstream fields(text);
    std::string skipped;
    for (int i = 0; i < 11; i++) fields >> skipped;
    std::int64_t user = 0, system = 0;
    fields >> user >> system;
    return user + system;
}

Pinned::Pinned(std::vector<int> processors) : before_(pinned_processors) {
    if (!processors.empty()) pinned_processors = std::move(processors);
}

Pinned::~Pinned() { pinned_processors = before_; }

std::vector<int> parse_processors(const std::string &list) {
    std::vector<int> numbers;
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');) {
        int first = 0, last = 0, used = 0;
        const int count = std::sscanf(item.c_str(), "%d%n-%d%n", &first, &used, &last, &used);
        if (count == 1) last = first;
        if (count < 1 || static_cast<std::size_t>(used) != item.size() || first < 0 || last < first ||
            last >= CPU_SETSIZE)
            throw invalid("'" + list + "' is not a list of processors such as 0-3,8");
        for (int i = first; i <= last; i++) numbers.push_back(i);
    }
    if (numbers.empty()) throw invalid("the list of processors is empty");
    return numbers;
}

struct PipedChild::Drain {
    Pipe err;
    StderrTail tail;
    std::thread thread;
};

PipedChild::PipedChild(const Arguments &arguments)
    : started_(Clock::now()), arguments_(arguments), drain_(std::make_unique<Drain>()) {
    Pipe out;
    fcntl(out.write, F_SETPIPE_SZ, kPipeBytes); // frames are large; the default does as well
    pid_ = spawn(arguments, out.write, drain_->err.write);
    Pipe::close_end(drain_->err.write);
    output_ = std::exchange(out.read, -1);
    try {
        drain_->thread = start_thread("read what " + arguments.at(0) + " says", [drain = drain_.get()] {
            while (read_some(drain->err.read, [&](std::string_view text) {
                drain->tail.add(text);
                tell_error_text(text);
            })) {
            }
        });
    } catch (...) { // no thread to be had: the child must not stay
        kill();
        ::waitpid(pid_, nullptr, 0);
        Pipe::close_end(output_);
        throw;
    }
}

PipedChild::~PipedChild() {
    if (!outcome_) {
        kill();
        wait();
    }
    Pipe::close_end(output_);
}

int PipedChild::release_output() { return std::exchange(output_, -1); }

void PipedChild::kill() {
    if (!outcome_) ::kill(-pid_, SIGKILL);
}

Outcome PipedChild::wait() {
    if (outcome_) return *outcome_;
    Pipe::close_end(output_); // a child that still writes must not wait for us
    Outcome outcome;
    outcome.code = wait_for(pid_);
    drain_->thread.join();
    outcome.seconds = seconds_since(started_);
    outcome.error_tail = drain_->tail.text();
    outcome.interrupted = interruption::urgent();
    if (const ChildObserver o = current_observer(); o.ended) o.ended(arguments_, outcome);
    outcome_ = outcome;
    return outcome;
}

namespace interruption {

void install_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    tells_interruptions = isatty(STDERR_FILENO) == 1;
    for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaction(s, &action, nullptr);
    signal(SIGPIPE, SIG_IGN);
}

bool requested() { return signals_seen.load() > 0; }
bool urgent() { return signals_seen.load() > 1; }
void request() { ++signals_seen; }
void clear() { signals_seen = 0; }

} // namespace interruption

} // namespace vmaf::tune
