// Threads that share work. They are joined whatever happens, and what one throws comes out of join().
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace vmaf {

class ThreadGroup {
  public:
    ThreadGroup() = default;
    ThreadGroup(const ThreadGroup &) = delete;
    ThreadGroup &operator=(const ThreadGroup &) = delete;
    ~ThreadGroup() { wait(); }

    // False: no thread is available; the caller can do the work alone.
    template <class Work> bool start(Work work) {
        try {
            threads_.reserve(threads_.size() + 1);
            threads_.emplace_back([this, work = std::move(work)]() mutable {
                try {
                    work();
                } catch (...) {
                    const std::lock_guard lock(mutex_);
                    if (!error_) error_ = std::current_exception();
                }
            });
            return true;
        } catch (const std::system_error &) {
            return false;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }

    // Waits for all; throws the first of what they threw.
    void join() {
        wait();
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

  private:
    void wait() noexcept {
        for (std::thread &thread : threads_) thread.join();
        threads_.clear();
    }

    std::mutex mutex_;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

} // namespace vmaf
