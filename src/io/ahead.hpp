// Makes items in background threads, a few ahead of the consumer, who takes them in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/thread_group.hpp"

namespace vmaf {

template <class Item> class Ahead {
  public:
    using Lock = std::unique_lock<std::mutex>;
    // Makes the next item; an empty one is the end. Called in order, with the lock held; unlocks once the order no
    // longer matters.
    using Make = std::function<Item(Lock &)>;
    struct Source {
        std::string name;             // of the source, for messages
        std::function<Make()> begin;  // called by each thread
        std::function<void()> cancel; // interrupts a waiting Make
    };

    // Keeps at most `ahead` finished items. Without threads the consumer makes them.
    Ahead(Source source, std::uint64_t ahead, unsigned threads)
        : source_(std::move(source)), ahead_(std::max<std::uint64_t>(1, ahead)) {
        if (threads == 0) own_make_ = source_.begin();
        try {
            while (threads_.size() < threads) threads_.require("read " + source_.name, [this] { work(); });
        } catch (...) { // the running threads do all the work
            if (threads_.size() == 0) throw;
        }
    }
    ~Ahead() {
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = true;
            changed_.notify_all();
        }
        source_.cancel();
    }
    Ahead(const Ahead &) = delete;
    Ahead &operator=(const Ahead &) = delete;

    // The next item; empty at the end. Rethrows what Make threw.
    Item next() {
        Lock lock(mutex_);
        if (own_make_ && claimed_ < end_) make_one(lock, own_make_);
        changed_.wait(lock, [&] { return taken_ == end_ || ready_.contains(taken_); });
        if (taken_ == end_) {
            if (error_) std::rethrow_exception(error_);
            return {};
        }
        auto item = ready_.extract(taken_);
        taken_++;
        changed_.notify_all();
        return std::move(item.mapped());
    }

  private:
    void work() {
        try {
            const Make make = source_.begin();
            Lock lock(mutex_);
            for (;;) {
                changed_.wait(lock, [&] { return is_stopping_ || claimed_ >= end_ || claimed_ < taken_ + ahead_; });
                if (is_stopping_ || claimed_ >= end_) return;
                make_one(lock, make);
            }
        } catch (...) { // no memory for a thread's state
            const std::lock_guard lock(mutex_);
            end_at(claimed_, std::current_exception());
        }
    }

    void make_one(Lock &lock, const Make &make) {
        const std::uint64_t number = claimed_++;
        std::exception_ptr error;
        bool is_there = false;
        try {
            Item item = make(lock);
            if (!lock.owns_lock()) lock.lock();
            is_there = bool(item);
            if (is_there) ready_.emplace(number, std::move(item));
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            error = std::current_exception();
        }
        if (is_there && !error)
            changed_.notify_all();
        else
            end_at(number, error);
    }

    void end_at(std::uint64_t number, std::exception_ptr error) {
        if (number >= end_) return; // items past the end do not matter
        end_ = number;
        error_ = std::move(error);
        changed_.notify_all();
    }

    const Source source_;
    const std::uint64_t ahead_;
    Make own_make_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t claimed_ = 0, taken_ = 0;                         // items started by threads; items handed out
    std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max(); // the first item known to be missing
    std::exception_ptr error_;                                      // why, unless the items simply end
    std::map<std::uint64_t, Item> ready_;
    bool is_stopping_ = false;
    ThreadGroup threads_; // last: uses everything above
};

} // namespace vmaf
