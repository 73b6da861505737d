#include "process/scorers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "system/channel.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;
using system::Descriptor;

namespace {

constexpr int kProtocol = 1;
constexpr int kGreetingMilliseconds = 60'000; // for a real scorer on the slowest disk

// Descriptors in a request are referred to by their index.
Arguments words_for_server(const Arguments &command, const std::vector<std::pair<int, int>> &inherited) {
    Arguments words(command.begin() + 1, command.end());
    for (std::string &word : words)
        for (std::size_t i = 0; i < inherited.size(); i++)
            if (word == "/dev/fd/" + std::to_string(inherited[i].second)) word = "descriptor:" + std::to_string(i);
    return words;
}

} // namespace

// A process and its channel.
class Scorers::Served {
  public:
    Served(const std::string &program, const Environment &wanted)
        : environment(wanted), processors(Pinned::processors()), channel_(Descriptor(), Descriptor()) {
        const Arguments command = {program, "--serve"};
        system::Pipe err = system::make_pipe(), to, from;
        std::optional<system::SocketPair> both = system::make_socket_pair();
        takes_descriptors = both.has_value();
        system::Launch launch;
        if (both) {
            launch.input = launch.output = both->theirs.get();
        } else {
            to = system::make_pipe();
            from = system::make_pipe();
            launch.input = to.read.get();
            launch.output = from.write.get();
        }
        launch.error = err.write.get();
        launch.environment = environment;
        launch.ends_with_input = true;
        launch.words = command;
        launch.processors = processors;
        tell_start(command);
        process_ = std::make_unique<system::Process>(launch);
        channel_ = both ? system::Channel(std::move(both->ours), Descriptor())
                        : system::Channel(std::move(from.read), std::move(to.write));
        errors_ = std::move(err.read);
    }

    // Whether the process waits for requests: an idle one sends nothing unless it ends.
    bool waits() const {
        std::array<system::Waited, 1> answer = {{{channel_.descriptor()}}};
        return !system::wait_for_input(answer, 0);
    }

    // Version and build. Throws Error if this is no server.
    std::string greeting(const std::string &program) {
        const auto refuse = [&](const std::string &why) {
            return invalid("'" + program + "' does not serve scores: " + why +
                           "; give a vmaf of this version with --vmaf-bin, or use --scorer binary");
        };
        std::array<system::Waited, 1> answer = {{{channel_.descriptor()}}};
        if (!system::wait_for_input(answer, kGreetingMilliseconds)) throw refuse("it does not respond");
        std::optional<json> hello;
        try {
            hello = receive();
        } catch (const Error &) { // malformed data
        }
        if (!hello || hello->value("type", "") != "hello") throw refuse("it does not support --serve");
        if (hello->value("protocol", 0) != kProtocol) throw refuse("it speaks another protocol");
        return hello->value("version", "unknown") + " " + hello->value("build", "");
    }

    // Sends a request and receives everything up to its result.
    Scored ask(json request, std::span<const int> descriptors, const RunOptions &options,
               const std::function<void(std::int64_t)> &on_frames) {
        begin(std::move(request), descriptors);
        return finish(options, on_frames);
    }
    void begin(json request, std::span<const int> descriptors) {
        request["id"] = ++requests_;
        is_busy = channel_.send(json_line(request), descriptors);
    }
    Scored finish(const RunOptions &options, const std::function<void(std::int64_t)> &on_frames) {
        Scored outcome;
        StderrTail tail;
        const auto start = std::chrono::steady_clock::now();
        Patience patience(options, process_->number());
        bool is_answered = false;
        outcome.has_died = !is_busy;
        is_busy = false;
        while (!is_answered && !outcome.has_died) {
            std::array<system::Waited, 2> streams = {{{channel_.descriptor()}, {errors_.get()}}};
            const bool is_ready = system::wait_for_input(streams, patience.wait());
            if (patience.is_over(is_ready)) {
                outcome.timed_out = true;
                break;
            }
            if (streams[1].is_ready) read_errors(tail);
            if (!streams[0].is_ready) continue;
            const std::optional<json> message = receive();
            if (!message || message->value("id", std::int64_t{-1}) != requests_) {
                outcome.has_died = true;
            } else if (message->value("type", "") == "frames") {
                if (on_frames) on_frames(message->value("frames", std::int64_t{0}));
            } else {
                is_answered = true;
                outcome.code = message->value("exit_code", 1); // missing if it was refused
                outcome.sentence = message->value("error", "");
                if (message->value("type", "") == "refused") tail.add(outcome.sentence + "\n");
            }
        }
        if (!is_answered) process_->kill();
        // Its messages are in the pipe before the answer arrives.
        std::array<system::Waited, 1> rest = {{{errors_.get()}}};
        while (errors_.is_open() && system::wait_for_input(rest, 0)) read_errors(tail);
        if (!is_answered) outcome.code = process_->wait();
        outcome.interrupted = interruption::urgent() && outcome.code != 0;
        outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        outcome.error_tail = tail.text();
        return outcome;
    }

    const Environment environment;
    const std::vector<int> processors;
    bool takes_descriptors = false, is_busy = false; // with a request
    std::set<std::string> references;                // that its device has

  private:
    // Empty if it has ended or its answer is invalid.
    std::optional<json> receive() try {
        const std::optional<system::Frame> frame = channel_.receive();
        if (!frame) return std::nullopt;
        json message = json::parse(frame->text, nullptr, false);
        return message.is_object() ? std::optional(std::move(message)) : std::nullopt;
    } catch (const Error &) {
        return std::nullopt;
    }

    void read_errors(StderrTail &tail) {
        const bool goes_on = read_text(errors_.get(), [&](std::string_view text) {
            tail.add(text);
            tell_error_text(text);
        });
        if (!goes_on) errors_.reset();
    }

    std::unique_ptr<system::Process> process_;
    system::Channel channel_;
    Descriptor errors_;
    std::int64_t requests_ = 0;
};

Scorers::Scorers(std::string program)
    : program_(std::move(program)), identity_([this] {
          auto first = std::make_unique<Served>(program_, Environment());
          std::string identity = first->greeting(program_);
          give_back(std::move(first));
          return identity;
      }) {}

Scorers::~Scorers() = default;

const std::string &Scorers::identity() { return identity_.get(); }

void Scorers::give_back(std::unique_ptr<Served> served) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(served));
}

// One that has the reference, else one that waits, and of several the last used. The caller holds the mutex.
Scorers::Idle::iterator Scorers::find_idle(const Environment &environment, const std::string &reference) {
    std::erase_if(idle_, [](const auto &served) { return !served->is_busy && !served->waits(); });
    const auto rank = [&](const auto &served) {
        return (served->references.contains(reference) ? 2 : 0) + (served->is_busy ? 0 : 1);
    };
    auto found = idle_.end();
    for (auto served = idle_.begin(); served != idle_.end(); ++served)
        if ((*served)->environment == environment && (*served)->processors == Pinned::processors() &&
            (found == idle_.end() || rank(*served) >= rank(*found)))
            found = served;
    return found;
}

std::unique_ptr<Scorers::Served> Scorers::take(const RunOptions &options, const std::string &reference) {
    const Environment &environment = options.environment;
    const std::string &wanted = identity();
    for (;;) {
        std::unique_ptr<Served> served;
        {
            const std::lock_guard lock(mutex_);
            const auto found = find_idle(environment, reference);
            if (found == idle_.end()) break;
            served = std::move(*found);
            idle_.erase(found);
        }
        if (!served->is_busy || served->finish(options, {}).ok()) return served;
    }
    auto served = std::make_unique<Served>(program_, environment);
    if (served->greeting(program_) != wanted)
        throw invalid("'" + program_ + "' was replaced by another version meanwhile; start the command again");
    return served;
}

std::string Scorers::problem_of_model(const std::string &model) {
    std::unique_ptr<Served> served = take({}, {});
    const Scored answer = served->ask({{"type", "models"}, {"models", {model}}}, {}, {}, {});
    if (answer.has_died) throw invalid(program_ + " ended while it loaded the model " + model);
    give_back(std::move(served));
    return answer.sentence;
}

void Scorers::prepare(const Arguments &command, const RunOptions &options, const std::string &reference) {
    identity(); // once the first process is idle
    const std::lock_guard lock(mutex_);
    const auto found = find_idle(options.environment, reference);
    if (found == idle_.end() || (*found)->is_busy || (*found)->references.contains(reference) ||
        !prepared_.insert(reference).second)
        return;
    tell_start(command);
    (*found)->references.insert(reference);
    (*found)->begin({{"type", "score"}, {"keep_reference", true}, {"arguments", words_for_server(command, {})}}, {});
}

Scorers::Scored Scorers::score(const Arguments &command, const RunOptions &options, const std::string &reference,
                               const std::function<void(std::int64_t)> &on_frames) {
    std::unique_ptr<Served> served = take(options, reference);
    if (!served->takes_descriptors && !options.inherited.empty()) { // they go to a separate process
        give_back(std::move(served));
        return {run_child(command, options), false};
    }
    tell_start(command);
    std::vector<int> descriptors;
    for (const auto &[ours, theirs] : options.inherited) descriptors.push_back(ours);
    json request = {{"type", "score"}, {"arguments", words_for_server(command, options.inherited)}};
    if (!reference.empty()) request["keep_reference"] = true;
    Scored outcome = served->ask(request, descriptors, options, on_frames);
    tell_end(command, outcome);
    if (!reference.empty()) served->references.insert(reference);
    if (outcome.ok()) give_back(std::move(served)); // a device that failed may fail again in that process
    return outcome;
}

} // namespace vmaf::tune
