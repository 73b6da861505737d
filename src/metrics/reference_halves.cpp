#include "metrics/reference_halves.hpp"

#include <atomic>
#include <utility>

namespace vmaf {

namespace {

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace

std::unique_ptr<ReferenceHalf> HalfStore::take(const std::string &key, const Make &make) {
    {
        const std::lock_guard lock(mutex_);
        Shelf &shelf = shelves_[key];
        if (shelf.out == kMostKept) return nullptr;
        shelf.idle.reserve(kMostKept); // returning memory must not fail
        shelf.out++;
        if (!shelf.idle.empty()) {
            std::unique_ptr<ReferenceHalf> half = std::move(shelf.idle.back());
            shelf.idle.pop_back();
            return half;
        }
    }
    try {
        return make();
    } catch (const std::bad_alloc &) { // only speed suffers
        give_back(key, nullptr);
        return nullptr;
    }
}

void HalfStore::give_back(const std::string &key, std::unique_ptr<ReferenceHalf> half) {
    const std::lock_guard lock(mutex_);
    Shelf &shelf = shelves_.find(key)->second;
    shelf.out--;
    if (half) shelf.idle.push_back(std::move(half));
}

ReferenceHalves::ReferenceHalves(std::shared_ptr<HalfStore> store)
    : store_(std::move(store)), picture_(next_number()) {}

ReferenceHalves::~ReferenceHalves() {
    for (auto &[key, entry] : entries_)
        if (entry.half) store_->give_back(key, std::move(entry.half));
}

HalfClaim::HalfClaim(ReferenceHalves *halves, const std::string &key, const HalfStore::Make &make) : halves_(halves) {
    if (!halves) return;
    using State = ReferenceHalves::State;
    std::unique_lock lock(halves->mutex_);
    const auto [at, is_first] = halves->entries_.try_emplace(key);
    entry_ = &at->second;
    if (is_first) {
        lock.unlock();
        is_making_ = true;
        try {
            entry_->half = halves->store_->take(key, make);
        } catch (...) {
            settle(State::failed);
            throw;
        }
        if (!entry_->half) settle(State::failed);
    } else {
        halves->changed_.wait(lock, [&] { return entry_->state != State::in_work; });
        if (entry_->state == State::failed) entry_ = nullptr;
    }
}

HalfClaim::~HalfClaim() {
    if (is_making_) settle(ReferenceHalves::State::failed);
}

void HalfClaim::made() { settle(ReferenceHalves::State::made); }

void HalfClaim::settle(ReferenceHalves::State state) {
    {
        const std::lock_guard lock(halves_->mutex_);
        entry_->state = state;
    }
    halves_->changed_.notify_all();
    is_making_ = false;
    if (state == ReferenceHalves::State::failed) entry_ = nullptr;
}

} // namespace vmaf
