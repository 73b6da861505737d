// Child processes. None outlives its parent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vmaf::system {

using ProcessNumber = std::int64_t;
ProcessNumber own_process();

// Full path of a program: searches PATH for a bare name; a name with a separator is used unchanged.
std::optional<std::string> find_program(const std::string &name);

struct Launch {
    std::vector<std::string> words;                               // the program and its arguments
    int input = -1, output = -1, error = -1;                      // its streams; negative: empty or discarded
    std::vector<std::pair<std::string, std::string>> environment; // set or replaced
    std::vector<std::pair<int, int>> inherited; // our descriptor -> its number there; "/dev/fd/NUMBER" opens it
    std::vector<int> processors;                // to run on; empty: all that we may use
    bool is_last_call = false;                  // part of an orderly shutdown: interrupts do not kill it
    bool ends_with_input = false;               // it notices our end itself, so the thread that starts it may end first
};

class Process {
  public:
    explicit Process(const Launch &launch); // throws Error if the program cannot be started
    ~Process();                             // kills a running program
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    ProcessNumber number() const;
    int wait();           // exit status; 128 + n after signal n
    void kill() noexcept; // also kills its descendants

  private:
    class Running;
    std::unique_ptr<Running> running_;
};

// Hundredths of a second of processor time used so far.
std::int64_t processor_time(ProcessNumber process);

constexpr int kMostProcessors = 1024; // processor numbers are below this

// Counts requests to end this process; the second one kills all running programs. Ctrl-C counts as one. SIGTERM and
// SIGHUP count as two, since a service manager or `timeout` kills soon after, unless they are a scheduler's
// warning. Signals that the caller ignores stay ignored.
enum class Termination { now, is_warning };
void count_interruptions(const char *first_sentence, // for a terminal, at the first request; must stay valid
                         Termination termination = Termination::now);
int interruptions();
void add_interruption(); // as if a request had arrived
void forget_interruptions();

} // namespace vmaf::system
