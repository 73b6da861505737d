#include "process/child.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/seconds.hpp"
#include "base/thread_group.hpp"

namespace vmaf::tune {

using system::Descriptor;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kTailBytes = 32 * 1024;
constexpr std::size_t kPipeBytes = 1 << 20;    // frames are large
constexpr std::size_t kMostOutput = 64u << 20; // that is captured

thread_local std::vector<int> pinned_processors;
std::mutex observer_mutex;
ChildObserver observer;

ChildObserver current_observer() {
    const std::lock_guard lock(observer_mutex);
    return observer;
}

std::unique_ptr<system::Process> start(const Arguments &arguments, system::Launch launch) {
    tell_start(arguments);
    launch.words = arguments;
    launch.processors = pinned_processors;
    return std::make_unique<system::Process>(launch);
}

// Splits incoming data into lines.
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

} // namespace

bool read_text(int descriptor, const std::function<void(std::string_view)> &take) {
    std::array<char, 65536> buffer;
    const std::size_t count = system::read_some(descriptor, std::as_writable_bytes(std::span(buffer)));
    if (count > 0) take({buffer.data(), count});
    return count > 0;
}

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
    return joined(arguments, " ", [](const std::string &word) { return shell_quoted(word); });
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

std::string last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of("\n ") + 1);
    return std::string(text.substr(text.rfind('\n') + 1));
}

int Patience::wait() const {
    if (options_.timeout.count() <= 0) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(since_ + options_.timeout - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
}

bool Patience::is_over(bool has_output) {
    if (options_.timeout.count() <= 0) return false;
    const auto now = Clock::now();
    if (!options_.progress_marker) {
        if (has_output) since_ = now;
    } else if (now - since_ >= options_.timeout || has_output) {
        const std::int64_t marker = options_.progress_marker(process_);
        if (marker != std::exchange(marker_, marker)) since_ = now;
    }
    return now - since_ >= options_.timeout;
}

ChildResult run_child(const Arguments &arguments, const RunOptions &options) {
    system::Pipe out = system::make_pipe(), err = system::make_pipe();
    system::Launch launch;
    launch.output = out.write.get();
    launch.error = err.write.get();
    launch.environment = options.environment;
    launch.inherited = options.inherited;
    launch.is_last_call = options.is_last_call;
    const Clock::time_point begin = Clock::now();
    const std::unique_ptr<system::Process> process = start(arguments, launch);
    for (Descriptor *end : {&out.write, &err.write}) end->reset();

    ChildResult outcome;
    StderrTail tail;
    LineReader lines(options.on_output_line ? options.on_output_line : [](std::string_view) {});
    std::array<system::Waited, 2> streams = {{{out.read.get()}, {err.read.get()}}};
    Patience patience(options, process->number());
    bool killed = false;
    // A second Ctrl-C kills the child, which ends its streams, so polling is unnecessary.
    while (streams[0].descriptor >= 0 || streams[1].descriptor >= 0) {
        const bool is_ready = system::wait_for_input(streams, killed ? -1 : patience.wait());
        if (!killed && patience.is_over(is_ready)) {
            process->kill();
            killed = outcome.timed_out = true;
        }
        if (!is_ready) continue;
        if (streams[0].is_ready && !read_text(out.read.get(), [&](std::string_view text) {
                if (options.on_output_line)
                    lines.add(text);
                else if (outcome.out.size() < kMostOutput)
                    outcome.out.append(text);
            }))
            streams[0].descriptor = -1;
        if (streams[1].is_ready && !read_text(err.read.get(), [&](std::string_view text) {
                tail.add(text);
                tell_error_text(text);
            }))
            streams[1].descriptor = -1;
    }
    outcome.code = process->wait();
    outcome.interrupted = interruption::urgent() && outcome.code != 0;
    outcome.seconds = seconds_since(begin);
    outcome.error_tail = tail.text();
    tell_end(arguments, outcome);
    return outcome;
}

void tell_start(const Arguments &arguments) {
    if (const ChildObserver o = current_observer(); o.started) o.started(arguments);
}

void tell_end(const Arguments &arguments, const ChildResult &outcome) {
    if (const ChildObserver o = current_observer(); o.ended) o.ended(arguments, outcome);
}

void tell_error_text(std::string_view text) {
    if (const ChildObserver o = current_observer(); o.error_text) o.error_text(text);
}

void observe_children(const ChildObserver &wanted) {
    const std::lock_guard lock(observer_mutex);
    observer = wanted;
}

Pinned::Pinned(std::vector<int> processors) : before_(pinned_processors) {
    if (!processors.empty()) pinned_processors = std::move(processors);
}

const std::vector<int> &Pinned::processors() { return pinned_processors; }
Pinned::~Pinned() { pinned_processors = before_; }

std::vector<int> parse_processors(const std::string &list) {
    std::vector<int> numbers;
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');) {
        int first = 0, last = 0, used = 0;
        const int count = std::sscanf(item.c_str(), "%d%n-%d%n", &first, &used, &last, &used);
        if (count == 1) last = first;
        if (count < 1 || static_cast<std::size_t>(used) != item.size() || first < 0 || last < first ||
            last >= system::kMostProcessors)
            throw invalid("'" + list + "' is not a list of processors such as 0-3,8");
        for (int i = first; i <= last; i++) numbers.push_back(i);
    }
    if (numbers.empty()) throw invalid("the list of processors is empty");
    return numbers;
}

struct PipedChild::Drain {
    Descriptor error;
    StderrTail tail;
    ThreadGroup thread; // last: uses the others
};

PipedChild::PipedChild(const Arguments &arguments)
    : started_(Clock::now()), arguments_(arguments), drain_(std::make_unique<Drain>()) {
    system::Pipe out = system::make_pipe(kPipeBytes), err = system::make_pipe();
    system::Launch launch;
    launch.output = out.write.get();
    launch.error = err.write.get();
    process_ = start(arguments, launch); // ends with this object, even if the rest fails
    output_ = std::move(out.read);
    drain_->error = std::move(err.read);
    drain_->thread.require("read what " + arguments.at(0) + " says", [drain = drain_.get()] {
        while (read_text(drain->error.get(), [&](std::string_view text) {
            drain->tail.add(text);
            tell_error_text(text);
        })) {
        }
    });
}

PipedChild::~PipedChild() {
    if (outcome_) return;
    kill();
    wait();
}

void PipedChild::kill() {
    if (!outcome_) process_->kill();
}

ChildResult PipedChild::wait() {
    if (outcome_) return *outcome_;
    output_.reset(); // a child that still writes must not wait for us
    ChildResult outcome;
    outcome.code = process_->wait();
    drain_->thread.join();
    outcome.seconds = seconds_since(started_);
    outcome.error_tail = drain_->tail.text();
    outcome.interrupted = interruption::urgent();
    tell_end(arguments_, outcome);
    outcome_ = outcome;
    return outcome;
}

namespace interruption {

void install_handlers(bool is_cluster_task) {
    system::count_interruptions("\nvmaf-tune: finishing the current step; press Ctrl-C again to stop now\n",
                                is_cluster_task ? system::Termination::is_warning : system::Termination::now);
}
bool requested() { return system::interruptions() > 0; }
bool urgent() { return system::interruptions() > 1; }
void request() { system::add_interruption(); }
void clear() { system::forget_interruptions(); }

} // namespace interruption

} // namespace vmaf::tune
