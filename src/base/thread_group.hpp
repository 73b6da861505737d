// Threads that share work, and results computed in the background.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/thread.hpp"

namespace vmaf {

// All threads are joined on every path; join() rethrows their first exception.
class ThreadGroup {
  public:
    ThreadGroup() = default;
    ThreadGroup(const ThreadGroup &) = delete;
    ThreadGroup &operator=(const ThreadGroup &) = delete;
    ~ThreadGroup() { wait(); }

    // Returns false if no thread is available; the caller can do the work alone.
    template <class Work> bool start(Work work) {
        try {
            require("work", std::move(work));
            return true;
        } catch (const Error &) {
            return false;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }

    // As start(), but throws Error; `purpose` completes "cannot start a thread to ...".
    template <class Work> void require(const std::string &purpose, Work work) {
        threads_.reserve(threads_.size() + 1);
        threads_.push_back(start_thread(purpose, [this, work = std::move(work)]() mutable {
            try {
                work();
            } catch (...) {
                const std::lock_guard lock(mutex_);
                if (!error_) error_ = std::current_exception();
            }
        }));
    }
    std::size_t size() const { return threads_.size(); } // started and not yet joined

    // Waits for all threads; rethrows the first exception.
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

// A result that a second thread computes; if it cannot start, the first caller of get() computes it.
template <class Result> class Later {
  public:
    explicit Later(std::function<Result()> make) : make_(std::move(make)) {
        thread_.start([this] { wait(); });
    }
    void wait() {
        std::call_once(once_, [this] {
            try {
                result_.emplace(make_());
            } catch (...) {
                error_ = std::current_exception();
            }
        });
    }
    // Rethrows what the computation threw.
    Result &get() {
        wait();
        if (error_) std::rethrow_exception(error_);
        return *result_;
    }

  private:
    const std::function<Result()> make_;
    std::once_flag once_;
    std::optional<Result> result_;
    std::exception_ptr error_;
    ThreadGroup thread_; // last: it uses all of the above
};
template <class Work> Later(Work) -> Later<std::invoke_result_t<Work>>;

} // namespace vmaf
