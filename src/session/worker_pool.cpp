#include "session/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>

#include "base/error.hpp"

namespace vmaf {

// Work inside one frame: parts are drawn by whoever is free, the owner included.
struct WorkerPool::Split {
    const std::function<void(unsigned)> *task; // valid until all parts are done; nobody draws a part after that
    unsigned count;
    std::atomic<unsigned> next{0};
    std::atomic<unsigned> done{0};
    std::mutex mutex;
    std::condition_variable finished;
    std::exception_ptr error;

    void help() {
        for (unsigned part = next++; part < count; part = next++) {
            try {
                (*task)(part);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
            }
            if (++done == count) {
                std::lock_guard lock(mutex);
                finished.notify_all();
            }
        }
    }
};

WorkerPool::WorkerPool(unsigned threads) {
    workers_.reserve(threads);
    try {
        for (unsigned i = 0; i < threads; i++) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error &e) { // threads that run already must end before the pool does
        stop();
        throw Error(ENOMEM,
                    "cannot start " + std::to_string(threads) + " threads: " + e.code().message() + "; use fewer");
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
            const std::shared_ptr<Split> split = std::move(splits_.front());
            splits_.pop_front();
            lock.unlock();
            split->help();
            lock.lock();
        } else if (!jobs_.empty()) {
            const Job job = jobs_.front();
            jobs_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        } else {
            return; // stopped and nothing left to do
        }
    }
}

unsigned WorkerPool::lanes() const {
    std::lock_guard lock(mutex_);
    return idle_ > jobs_.size() ? 1 + idle_ - static_cast<unsigned>(jobs_.size()) : 1;
}

void WorkerPool::run(unsigned count, const std::function<void(unsigned)> &task) {
    const unsigned helpers = std::min(lanes(), count) - (count ? 1 : 0);
    if (helpers == 0) {
        for (unsigned part = 0; part < count; part++) task(part);
        return;
    }
    const auto split = std::make_shared<Split>();
    split->task = &task;
    split->count = count;
    {
        std::lock_guard lock(mutex_);
        for (unsigned i = 0; i < helpers; i++) splits_.push_back(split);
    }
    wake_.notify_all();
    split->help();
    std::unique_lock lock(split->mutex);
    split->finished.wait(lock, [&] { return split->done == count; });
    if (split->error) std::rethrow_exception(split->error);
}

} // namespace vmaf
