// Threads that run jobs in queue order and help a job that splits its frame.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "metrics/metric.hpp"
#include "session/ring.hpp"

namespace vmaf {

class WorkerPool final : public Parallel {
  public:
    explicit WorkerPool(unsigned threads); // 0: jobs run inside submit(); throws Error(ENOMEM)
    ~WorkerPool() override;                // finishes queued jobs

    // A plain call that must not throw. Queueing it never allocates, so it cannot fail.
    struct Job {
        void (*call)(void *owner, void *item, std::size_t part);
        void *owner, *item;
        std::size_t part;
        void operator()() const { call(owner, item, part); }
    };
    void reserve(std::size_t jobs); // reserves room for this many more; throws std::bad_alloc
    void submit(const Job &job);    // needs reserved room

    // Parallel: how many threads could work on one frame now, given the queue.
    unsigned threads() const override;
    void run(unsigned count, const std::function<void(unsigned)> &task) override;

  private:
    struct Split;
    void work();
    void stop();

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    Ring<Job> jobs_;
    std::vector<Split *> splits_; // each on the stack of a waiting thread; served before jobs
    unsigned idle_ = 0;
    bool stop_ = false;
    std::vector<std::thread> workers_;
};

} // namespace vmaf
