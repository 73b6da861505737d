#include "jobs/local.hpp"

#include <mutex>
#include <nlohmann/json.hpp>

#include "base/thread_group.hpp"
#include "cli/outputs.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

class UnitThreads {
  public:
    using Done = std::function<void(std::size_t, std::vector<json>)>;
    UnitThreads(Job &job, const std::vector<json> &units, const JobRows &so_far, bool keeps_order, const Done &done)
        : job_(job), units_(units), so_far_(so_far), keeps_order_(keeps_order), done_(done), rows_(units.size()) {}

    void run() {
        ThreadGroup threads;
        for (unsigned i = 1; i < job_.parallel(units_.front()).count && threads.start([this] { work(); }); i++) {
        }
        work();
        threads.join();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    std::optional<std::size_t> take() {
        const std::lock_guard lock(mutex_);
        if (next_ == units_.size() || failure_) return std::nullopt;
        if (interruption::requested()) failure_ = std::make_exception_ptr(interrupted());
        return failure_ ? std::nullopt : std::optional(next_++);
    }

    void work() {
        while (const auto number = take()) {
            try {
                std::vector<json> rows = job_.run(units_[*number], so_far_);
                const std::lock_guard lock(mutex_);
                hand_on(*number, std::move(rows));
            } catch (...) {
                const std::lock_guard lock(mutex_);
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }

    void hand_on(std::size_t number, std::vector<json> rows) {
        if (!keeps_order_) return done_(number, std::move(rows));
        rows_[number] = std::move(rows);
        for (; told_ < rows_.size() && rows_[told_]; told_++) {
            done_(told_, std::move(*rows_[told_]));
            rows_[told_]->clear();
        }
    }

    Job &job_;
    const std::vector<json> &units_;
    const JobRows &so_far_;
    const bool keeps_order_;
    const Done &done_;
    std::mutex mutex_;
    std::vector<std::optional<std::vector<json>>> rows_; // waiting for earlier ones
    std::size_t next_ = 0, told_ = 0;
    std::exception_ptr failure_;
};

// The units of one phase.
void run_phase(Job &job, const std::vector<json> &units, JobRows &rows) {
    const Job::Parallel parallel = job.parallel(units.front());
    JobRows beside; // a copy, since others read the original
    JobRows &into = parallel.count > 1 ? beside : rows;
    const auto append = [&] { std::move(beside.begin(), beside.end(), std::back_inserter(rows)); };
    try {
        run_units(job, units, rows, parallel.keeps_order, [&](std::size_t number, std::vector<json> made) {
            into.emplace_back(units[number], std::move(made));
            job.keep(into.back());
        });
    } catch (...) {
        append();
        throw;
    }
    append();
}

} // namespace

UnitRows::UnitRows(json unit, std::vector<json> made)
    : rows(std::move(made)), unit_(std::make_shared<const json>(std::move(unit))) {}

std::vector<const UnitRows *> of_step(const JobRows &rows, const char *step) {
    std::vector<const UnitRows *> found;
    for (const UnitRows &unit : rows)
        if (unit.unit().at("step") == step) found.push_back(&unit);
    return found;
}

void run_units(Job &job, const std::vector<json> &units, const JobRows &so_far, bool keeps_order,
               const std::function<void(std::size_t, std::vector<json>)> &done) {
    UnitThreads(job, units, so_far, keeps_order, done).run();
}

int run_here(const JobCommand &command) {
    const std::unique_ptr<Job> job = command.make(*command.request);
    if (command.request->dry_run) {
        job->print_commands();
        return kExitOk;
    }
    job->check_outputs();
    JobRows rows;
    bool is_interrupted = false;
    try {
        for (auto units = job->next(rows); !units.empty(); units = job->next(rows)) run_phase(*job, units, rows);
        is_interrupted = interruption::requested() && job->answers_in_part();
    } catch (const CommandError &e) {
        if (e.code() != kExitInterrupted || !job->answers_in_part()) throw;
        is_interrupted = true;
    }
    const Answer answer = job->result(rows);
    if (!answer.text.empty()) print_answer(answer.text);
    if (!answer.summary.empty()) job->progress().say(answer.summary);
    if (is_interrupted) throw interrupted();
    return answer.exit_code;
}

} // namespace vmaf::tune
