// Makes items on threads of its own, a few ahead of the consumer, who takes them in order.
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
    // Makes the next item; an empty one is the end. Called in turn, with the lock held; it unlocks where the order does
    // not matter any more.
    using Make = std::function<Item(Lock &)>;
    struct Source {
        std::string name;             // of what is read
        std::function<Make()> begin;  // called by each thread
        std::function<void()> cancel; // ends a call of Make that waits
    };

    // At most `ahead` items are made and not taken. Without threads the consumer makes them.
    Ahead(Source source, std::uint64_t ahead, unsigned threads)
        : source_(std::move(source)), ahead_(std::max<std::uint64_t>(1, ahead)) {
        if (threads == 0) own_make_ = source_.begin();
        try {
            while (threads_.size() < threads) threads_.require("read " + source_.name, [this] { work(); });
        } catch (...) { // those that run do the work of all
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

    // The next item; an empty one at the end. Throws what making it threw.
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
        } catch (...) { // no memory for what a thread needs
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
        if (number >= end_) return; // what lies past the end does not matter
        end_ = number;
        error_ = std::move(error);
        changed_.notify_all();
    }

    const Source source_;
    const std::uint64_t ahead_;
    Make own_make_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t claimed_ = 0, taken_ = 0; // items that a thread is at or has made; that were handed out
    std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max(); // the first item known not to be there
    std::exception_ptr error_;                                      // why, if the items do not simply end
    std::map<std::uint64_t, Item> ready_;
    bool is_stopping_ = false;
    ThreadGroup threads_; // last: they use all of the above
};

} // namespace vmaf
