// Programs that are started. None of them outlives the process that started it.
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

// Full path of a program: a bare name is looked for in PATH, a name with a separator is taken as it is.
std::optional<std::string> find_program(const std::string &name);

struct Launch {
    std::vector<std::string> words;                               // the program and its arguments
    int input = -1, output = -1, error = -1;                      // its streams; negative: nothing comes, nothing goes
    std::vector<std::pair<std::string, std::string>> environment; // set or replaced
    std::vector<std::pair<int, int>> inherited; // our descriptor -> its number there; "/dev/fd/NUMBER" opens it
    std::vector<int> processors;                // that it may run on; empty: all that we may
    bool is_last_call = false;                  // part of an orderly end: interruptions do not kill it
    bool ends_with_input = false; // it sees by itself that we are gone, so the thread that starts it may end first
};

class Process {
  public:
    explicit Process(const Launch &launch); // throws Error if the program cannot be started
    ~Process();                             // kills what still runs
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    ProcessNumber number() const;
    int wait();           // exit status; 128 + n after signal n
    void kill() noexcept; // with everything that it has started

  private:
    class Running;
    std::unique_ptr<Running> running_;
};

// Hundredths of a second that a process has worked so far.
std::int64_t processor_time(ProcessNumber process);

constexpr int kMostProcessors = 1024; // numbers of processors are below this

// Requests to end this process: they are counted, and with the second one all running programs are killed. Ctrl-C is
// one. A signal to terminate or to hang up is two, as a service manager or `timeout` kills soon after it, unless it is
// a scheduler's warning. What the caller ignores stays ignored.
enum class Termination { now, is_warning };
void count_interruptions(const char *first_sentence, // which a terminal shows with the first; must stay
                         Termination termination = Termination::now);
int interruptions();
void add_interruption(); // as if one had come
void forget_interruptions();

} // namespace vmaf::system
