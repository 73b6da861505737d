// The backend that scores in this run, and its replacement if it fails (tune.md 7.6).
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace vmaf::tune {

class BackendInUse {
  public:
    // In order of preference; the last always works. A single name has no replacement.
    explicit BackendInUse(std::vector<std::string> names) : names_(std::move(names)) {}

    std::string name() const {
        const std::lock_guard lock(mutex_);
        return names_.front();
    }

    // `failed` was lost while scoring. Returns whether another backend can continue.
    bool replace(const std::string &failed) {
        const std::lock_guard lock(mutex_);
        if (names_.front() != failed) return true; // another thread noticed first
        if (names_.size() == 1) return false;
        names_.erase(names_.begin());
        return true;
    }

    // Whether the scorer's documents name one backend for all features.
    bool names_one_backend() const {
        const std::lock_guard lock(mutex_);
        return names_one_backend_;
    }
    void set_names_one_backend() {
        const std::lock_guard lock(mutex_);
        names_one_backend_ = true;
    }

  private:
    mutable std::mutex mutex_;
    bool names_one_backend_ = false;
    std::vector<std::string> names_;
};

} // namespace vmaf::tune
