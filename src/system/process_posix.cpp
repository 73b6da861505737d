#include "system/process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "system/descriptor.hpp"
#include "system/environment.hpp"
#include "system/process_posix.hpp"
#include "system/terminal.hpp"

extern char **environ; // not declared by every libc

namespace vmaf::system {

namespace {

constexpr int kAboveInherited = 64; // keeps our descriptors out of the numbers that children use

// Process groups of running children, for the signal handler: plain atomics, no locks.
constexpr std::size_t kMaxChildren = 256;
std::array<std::atomic<pid_t>, kMaxChildren> running_groups;
std::atomic<int> signals_seen{0};
constexpr int kUrgent = 2; // requests that kill running programs
int termination_counts = kUrgent;
const char *sentence_at_first = nullptr; // printed on a terminal

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

extern "C" void on_signal(int number) {
    if ((signals_seen += number == SIGINT ? 1 : termination_counts) < kUrgent) {
        if (sentence_at_first) (void)!::write(STDERR_FILENO, sentence_at_first, std::strlen(sentence_at_first));
        return;
    }
    for (auto &slot : running_groups)
        if (const pid_t pid = slot.load(); pid > 0) ::kill(-pid, SIGKILL);
}

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

std::vector<char *> pointers(const std::vector<std::string> &texts) {
    std::vector<char *> all;
    for (const std::string &text : texts) all.push_back(const_cast<char *>(text.c_str()));
    all.push_back(nullptr);
    return all;
}

Error cannot_start(const std::string &program, int code) {
    const bool is_limit = code == EAGAIN || code == ENOMEM;
    return Error(
        code, "cannot start '" + program + "': " + std::strerror(code) +
                  (is_limit ? "; end other programs or raise the limits on processes and memory (ulimit -u, ulimit -v)"
                            : ""));
}

void reap(pid_t pid, int *status) {
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
}

pid_t spawn(const Launch &launch) {
    const std::vector<std::string> environment = merged_environment(launch.environment);
    const std::vector<char *> argv = pointers(launch.words), envp = pointers(environment);
    const std::string &program = launch.words.at(0);
    const ProcessorSet processors(launch.processors);

    const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const int in = launch.input >= 0 ? launch.input : null.get();
    const int out = launch.output >= 0 ? launch.output : null.get();
    const int err = launch.error >= 0 ? launch.error : null.get();
    std::vector<std::pair<Descriptor, int>> inherited;
    for (const auto &[ours, theirs] : launch.inherited)
        inherited.emplace_back(fcntl(ours, F_DUPFD_CLOEXEC, kAboveInherited), theirs);
    Pipe failure = make_pipe(); // carries errno if the program cannot be started; closed by a successful exec
    failure.write.reset(fcntl(failure.write.get(), F_DUPFD_CLOEXEC, kAboveInherited));

    // fork rather than posix_spawn: only between fork and exec can a child ask to die with its parent, even after kill
    // -9.
    // Only async-signal-safe calls happen there.
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (!launch.ends_with_input) die_with_parent();
        if (getppid() != parent) _exit(127); // the parent died before we could ask
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaction(number, &standard, nullptr);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        processors.apply();
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        for (const auto &[ours, theirs] : inherited) dup2(ours.get(), theirs);
        execute(argv.data(), envp.data());
        const int error = errno;
        (void)!::write(failure.write.get(), &error, sizeof error);
        _exit(127);
    }
    const int fork_error = errno;
    if (pid < 0) throw cannot_start(program, fork_error);
    setpgid(pid, pid); // parent and child both do it, in either order
    failure.write.reset();
    int error = 0;
    if (read_full(failure.read.get(), std::as_writable_bytes(std::span(&error, 1))) == sizeof error) {
        reap(pid, nullptr);
        throw cannot_start(program, error);
    }
    if (launch.is_last_call) return pid;
    remember_group(pid);
    if (interruptions() >= kUrgent) ::kill(-pid, SIGKILL); // the handler may have run before we registered the child
    return pid;
}

} // namespace

class Process::Running {
  public:
    explicit Running(const Launch &launch) : pid_(spawn(launch)) {}
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
    ~Running() {
        if (has_ended_) return;
        kill();
        wait();
    }

    pid_t pid() const { return pid_; }
    int wait() {
        if (has_ended_) return code_;
        int status = 0;
        reap(pid_, &status);
        forget_group(pid_);
        has_ended_ = true;
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 255;
        return code_;
    }
    void kill() noexcept {
        if (!has_ended_) ::kill(-pid_, SIGKILL);
    }

  private:
    pid_t pid_;
    bool has_ended_ = false;
    int code_ = 0;
};

ProcessNumber own_process() { return getpid(); }

std::optional<std::string> find_program(const std::string &name) {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
    const std::string path = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

void count_interruptions(const char *first_sentence, Termination termination) {
    termination_counts = termination == Termination::now ? kUrgent : 1;
    if (is_terminal(Stream::error)) sentence_at_first = first_sentence;
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr); // `nohup` expects this
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a file size limit becomes an error, also of the programs that we start
}

int interruptions() { return signals_seen.load(); }
void add_interruption() { ++signals_seen; }
void forget_interruptions() { signals_seen = 0; }

} // namespace vmaf::system

#include "system/process-inl.hpp"
