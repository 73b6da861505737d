#include "session/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>

#include "base/error.hpp"

namespace vmaf {

// Work inside one frame: any free thread, including the owner, takes parts.
struct WorkerPool::Split {
    const std::function<void(unsigned)> &task;
    unsigned count;
    std::atomic<unsigned> next{0};
    // Guarded by the pool's mutex:
    unsigned wanted;     // helpers that may still join
    unsigned inside = 0; // helpers at work
    std::condition_variable left;
    std::exception_ptr error;

    void help(std::mutex &mutex) {
        for (unsigned part = next++; part < count; part = next++) {
            try {
                task(part);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
            }
        }
    }
};

WorkerPool::WorkerPool(unsigned threads) {
    workers_.reserve(threads);
    splits_.reserve(threads + 1); // each worker, and the session's caller, waits for one split at a time
    try {
        for (unsigned i = 0; i < threads; i++) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error &e) { // running threads must end before the pool does
        stop();
        throw Error(ENOMEM,
                    "cannot start " + std::to_string(threads) + " threads: " + e.code().message() + "; use fewer");
    } catch (...) {
        stop();
        throw;
    }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread &worker : workers_) worker.join();
}

void WorkerPool::reserve(std::size_t jobs) {
    if (workers_.empty()) return;
    std::lock_guard lock(mutex_);
    jobs_.reserve(jobs_.size() + jobs);
}

void WorkerPool::submit(const Job &job) {
    if (workers_.empty()) {
        job();
        return;
    }
    {
        std::lock_guard lock(mutex_);
        jobs_.push_back(job);
    }
    wake_.notify_one();
}

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        idle_++;
        wake_.wait(lock, [&] { return stop_ || !jobs_.empty() || !splits_.empty(); });
        idle_--;
        if (!splits_.empty()) {
            Split &split = *splits_.front();
            split.inside++;
            if (--split.wanted == 0) splits_.erase(splits_.begin());
            lock.unlock();
            split.help(mutex_);
            lock.lock();
            if (--split.inside == 0) split.left.notify_all(); // the owner continues once we release the mutex
        } else if (!jobs_.empty()) {
            const Job job = jobs_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        } else {
            return; // stopped and no work left
        }
    }
}

unsigned WorkerPool::threads() const {
    std::lock_guard lock(mutex_);
    return idle_ > jobs_.size() ? 1 + idle_ - static_cast<unsigned>(jobs_.size()) : 1;
}

void WorkerPool::run(unsigned count, const std::function<void(unsigned)> &task) {
    // Threads that are busy now help later, if parts are left then.
    const unsigned helpers = std::min(unsigned(workers_.size()), count ? count - 1 : 0);
    if (helpers == 0) {
        for (unsigned part = 0; part < count; part++) task(part);
        return;
    }
    Split split{.task = task, .count = count, .wanted = helpers, .left = {}, .error = nullptr};
    {
        std::lock_guard lock(mutex_);
        splits_.push_back(&split);
    }
    wake_.notify_all();
    split.help(mutex_);
    // No parts left, so no more threads join; wait for those at work.
    std::unique_lock lock(mutex_);
    std::erase(splits_, &split);
    split.left.wait(lock, [&] { return split.inside == 0; });
    if (split.error) std::rethrow_exception(split.error);
}

} // namespace vmaf
