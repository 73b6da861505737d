#include "io/shared_clip.hpp"

#include <algorithm>
#include <utility>

namespace vmaf {

class SharedClip::Reader final : public VideoClip {
  public:
    explicit Reader(std::shared_ptr<SharedClip> clip) : clip_(std::move(clip)) {
        clip_->positions_.push_back(&position_); // under the lock of join()
    }
    ~Reader() override { clip_->end(position_); }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;
    std::optional<TimedFrame> next() override { return clip_->next(position_); }

  private:
    std::shared_ptr<SharedClip> clip_;
    std::uint64_t position_ = 0;
};

ClipTicket::~ClipTicket() {
    if (clip_) clip_->leave();
}

std::unique_ptr<VideoClip> ClipTicket::join(const std::string &key,
                                            const std::function<std::unique_ptr<VideoClip>()> &make) {
    const std::shared_ptr<SharedClip> clip = std::move(clip_);
    const std::lock_guard lock(clip->mutex_);
    clip->expected_--;
    clip->changed_.notify_all();
    if (clip->is_begun_ && clip->key_ != key) {
        clip->drop_what_all_have();
        return nullptr;
    }
    if (!clip->is_begun_) {
        clip->source_ = make();
        clip->key_ = key;
        clip->is_begun_ = true;
    }
    return std::make_unique<SharedClip::Reader>(clip);
}

void SharedClip::expect_another() {
    const std::lock_guard lock(mutex_);
    expected_++;
}

bool SharedClip::is_whole() {
    const std::lock_guard lock(mutex_);
    return keeps_all_ && has_ended_ && !error_;
}

void SharedClip::stop_keeping() {
    const std::lock_guard lock(mutex_);
    keeps_all_ = false;
    drop_what_all_have();
}

void SharedClip::leave() {
    const std::lock_guard lock(mutex_);
    expected_--;
    drop_what_all_have();
}

void SharedClip::end(std::uint64_t &position) {
    const std::lock_guard lock(mutex_);
    positions_.erase(std::find(positions_.begin(), positions_.end(), &position));
    drop_what_all_have();
}

std::optional<TimedFrame> SharedClip::next(std::uint64_t &position) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (position < first_ + frames_.size()) {
            TimedFrame frame = frames_[static_cast<std::size_t>(position - first_)];
            position++;
            drop_what_all_have();
            return frame;
        }
        if (error_) std::rethrow_exception(error_);
        if (has_ended_) return std::nullopt;
        if (is_making_ || (frames_.size() >= kKept && !keeps_all_)) {
            changed_.wait(lock);
            continue;
        }
        is_making_ = true;
        lock.unlock();
        std::optional<TimedFrame> frame;
        std::exception_ptr error;
        try {
            frame = source_->next();
        } catch (...) {
            error = std::current_exception();
        }
        if (!frame) source_.reset(); // with its decoders
        lock.lock();
        is_making_ = false;
        error_ = error;
        has_ended_ = !frame;
        if (frame) {
            if (positions_.size() + expected_ > 1) frame->halves = std::make_shared<ReferenceHalves>(halves_);
            frames_.push_back(std::move(*frame));
        }
        changed_.notify_all();
    }
}

// Keeps frames until all pairs that may want them have them.
void SharedClip::drop_what_all_have() {
    if (keeps_all_) return changed_.notify_all();
    std::uint64_t needed = expected_ > 0 ? 0 : first_ + frames_.size();
    for (const std::uint64_t *position : positions_) needed = std::min(needed, *position);
    for (; first_ < needed && !frames_.empty(); first_++) frames_.pop_front();
    changed_.notify_all();
}

} // namespace vmaf
