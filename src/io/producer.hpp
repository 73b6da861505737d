// Makes items on a thread of its own, a few ahead of the consumer.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/thread.hpp"

namespace vmaf {

template <class Item> class Producer {
  public:
    // `make` returns nothing at the end; `cancel` ends a make() that waits. At most `ahead` items wait to be taken.
    // `name` says what items are made from.
    Producer(const std::string &name, std::function<std::optional<Item>()> make, std::function<void()> cancel,
             std::size_t ahead)
        : make_(std::move(make)), cancel_(std::move(cancel)), ahead_(ahead),
          thread_(start_thread("read " + name, [this] { work(); })) {}

    ~Producer() {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        cancel_();
        thread_.join();
    }

    // The next item; nothing at the end. Throws what making it threw.
    std::optional<Item> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !ready_.empty() || ended_; });
        if (!ready_.empty()) {
            std::optional<Item> item = std::move(ready_.front());
            ready_.pop_front();
            changed_.notify_all();
            return item;
        }
        if (error_) std::rethrow_exception(error_);
        return std::nullopt;
    }

  private:
    void work() {
        std::unique_lock lock(mutex_);
        try {
            while (!stopping_ && !ended_) {
                lock.unlock();
                std::optional<Item> item = make_();
                lock.lock();
                if (item)
                    ready_.push_back(std::move(*item));
                else
                    ended_ = true;
                changed_.notify_all();
                changed_.wait(lock, [&] { return stopping_ || ended_ || ready_.size() < ahead_; });
            }
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            error_ = std::current_exception();
            ended_ = true;
            changed_.notify_all();
        }
    }

    std::function<std::optional<Item>()> make_;
    std::function<void()> cancel_;
    const std::size_t ahead_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> ready_;
    bool ended_ = false, stopping_ = false;
    std::exception_ptr error_;
    std::thread thread_; // last: it uses all of the above
};

} // namespace vmaf
