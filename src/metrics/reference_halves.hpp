// What metrics compute from a reference picture alone (filtered means, wavelets), kept for all its encodes: the first
// scorer that needs such a half makes it, the others use it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "system/large_pages.hpp"

namespace vmaf {

class ReferenceHalf {
  public:
    virtual ~ReferenceHalf() = default;

    // Encodes read a whole half, tens of megabytes, sequentially: large pages save faults and translations.
    template <class T> static AlignedArray<T> memory(std::size_t count) {
        AlignedArray<T> array(count);
        system::prefer_large_pages(array.data(), count * sizeof(T));
        return array;
    }
};

// Memory for halves, reused from picture to picture.
class HalfStore {
  public:
    // Per key, at once: encodes that lag further measure alone.
    static constexpr std::size_t kMostKept = 8;
    using Make = std::function<std::unique_ptr<ReferenceHalf>()>;

    std::unique_ptr<ReferenceHalf> take(const std::string &key, const Make &make); // null at the limit
    void give_back(const std::string &key, std::unique_ptr<ReferenceHalf> half);

  private:
    struct Shelf {
        std::size_t out = 0;
        std::vector<std::unique_ptr<ReferenceHalf>> idle;
    };
    std::mutex mutex_;
    std::map<std::string, Shelf> shelves_;
};

// The halves of a picture.
class ReferenceHalves {
  public:
    explicit ReferenceHalves(std::shared_ptr<HalfStore> store);
    ~ReferenceHalves();
    ReferenceHalves(const ReferenceHalves &) = delete;
    ReferenceHalves &operator=(const ReferenceHalves &) = delete;

    std::uint64_t picture() const { return picture_; } // unique to the picture; never 0

  private:
    friend class HalfClaim;
    enum class State { in_work, made, failed };
    struct Entry {
        State state = State::in_work;
        std::unique_ptr<ReferenceHalf> half;
    };

    const std::shared_ptr<HalfStore> store_;
    const std::uint64_t picture_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Entry> entries_; // stable addresses
};

// A scorer's claim on a half while it measures a frame.
class HalfClaim {
  public:
    // `halves`: null if nothing is kept. Halves of one key are equal. Waits if another scorer is making it.
    HalfClaim(ReferenceHalves *halves, const std::string &key, const HalfStore::Make &make);
    ~HalfClaim(); // if not made(), the half is lost: the others measure alone
    HalfClaim(const HalfClaim &) = delete;
    HalfClaim &operator=(const HalfClaim &) = delete;

    // Null: nothing is kept.
    template <class Half> Half *half() const { return static_cast<Half *>(entry_ ? entry_->half.get() : nullptr); }
    bool is_ready() const { return entry_ && !is_making_; } // ready to read; otherwise the caller must make it
    void made();

  private:
    void settle(ReferenceHalves::State state);

    ReferenceHalves *halves_;
    ReferenceHalves::Entry *entry_ = nullptr; // null: nothing is kept
    bool is_making_ = false;
};

// The reference of a frame, for scorers that keep halves.
struct ReferenceUse {
    ReferenceHalves *halves = nullptr;      // null: not shared with other encodes
    std::array<std::uint64_t, 2> earlier{}; // numbers of the previous pictures (ReferenceHalves::picture); 0: unknown
};
class SharesReference {
  public:
    virtual ~SharesReference() = default;
    void share(const ReferenceUse &use) { shared_ = use; } // call it before every frame

  protected:
    ReferenceUse shared_;
};

} // namespace vmaf
