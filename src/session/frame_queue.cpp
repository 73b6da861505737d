#include "session/frame_queue.hpp"

#include <algorithm>
#include <utility>

#include "system/program.hpp"

namespace vmaf {

namespace {

constexpr unsigned kFewestCopiers = 2, kMostCopiers = 4; // threads that copy pictures to a device

} // namespace

FrameQueue::FrameQueue(unsigned threads, FrameWork &work)
    : work_(work), threads_(threads), max_in_flight_(threads + (threads > 1 ? 2 : 1)), // one being started, one waiting
      pool_(system::has_threads() ? threads : 0) {}

std::unique_ptr<Frame> FrameQueue::fresh_frame() {
    std::lock_guard lock(mutex_);
    if (idle_frames_.empty()) return std::make_unique<Frame>();
    std::unique_ptr<Frame> frame = std::move(idle_frames_.back());
    idle_frames_.pop_back();
    return frame;
}

void FrameQueue::use_finishers(unsigned threads) {
    finishers_ = std::make_unique<WorkerPool>(threads);
    max_in_flight_ += 2 * std::size_t{threads};
}

void FrameQueue::make_room(std::size_t parts) {
    pool_.reserve(parts);
    if (finishers_) finishers_->reserve(max_in_flight_);
    std::unique_lock lock(mutex_);
    frame_done_.wait(lock, [&] { return in_flight_.size() < max_in_flight_; });
    in_flight_.reserve(max_in_flight_);
    idle_frames_.reserve(max_in_flight_ + 1);
}

Frame &FrameQueue::enter(std::unique_ptr<Frame> owned, std::size_t results_to_come) noexcept {
    Frame &frame = *owned;
    frame.failed = false;
    frame.measured = false;
    frame.unmeasured = results_to_come;
    const std::lock_guard lock(mutex_);
    in_flight_.push_back(std::move(owned));
    frames_given_++;
    return frame;
}

void FrameQueue::submit(Frame &frame) noexcept {
    const std::size_t parts = frame.parts.size();
    for (std::size_t part = 0; part < parts; part++)
        pool_.submit({[](void *self, void *item, std::size_t i) {
                          static_cast<FrameQueue *>(self)->measure(*static_cast<Frame *>(item), i);
                      },
                      this, &frame, part});
}

// One thread cannot keep up with a device.
WorkerPool &FrameQueue::copiers(Memory memory) {
    if (threads_ >= kFewestCopiers || memory != Memory::host) return pool_;
    if (!copiers_)
        copiers_ =
            std::make_unique<WorkerPool>(std::clamp(system::usable_processors() / 4, kFewestCopiers, kMostCopiers));
    return *copiers_;
}

void FrameQueue::drain() {
    std::unique_lock lock(mutex_);
    frame_done_.wait(lock, [&, given = frames_given_] { return frames_emitted_ >= given; });
}

void FrameQueue::measure(Frame &frame, std::size_t part) noexcept {
    if (!is_lost(frame)) {
        try {
            work_.measure(frame, frame.parts[part]);
        } catch (...) {
            refuse(frame, std::current_exception());
        }
    }
    one_result_less(frame);
}

void FrameQueue::one_result_less(Frame &frame) noexcept {
    if (--frame.unmeasured > 0) return;
    if (!finishers_) return finish(frame);
    frame.release_pictures();
    finishers_->submit({[](void *self, void *item, std::size_t) {
                            static_cast<FrameQueue *>(self)->finish(*static_cast<Frame *>(item));
                        },
                        this, &frame, 0});
}

// All metrics of a frame are done: emits it, and later frames that waited for it.
void FrameQueue::finish(Frame &frame) noexcept {
    frame.release_pictures();
    try {
        if (!is_lost(frame)) work_.measure_areas(frame);
    } catch (...) {
        refuse(frame, std::current_exception());
    }
    std::unique_lock lock(mutex_);
    frame.measured = true;
    if (emitting_) return; // another thread is emitting and will see this frame
    emitting_ = true;
    while (const std::size_t emitted = emit_measured(lock)) {
        for (std::size_t i = 0; i < emitted; i++)
            idle_frames_.push_back(in_flight_.pop_front()); // make_room() reserved space
        frames_emitted_ += emitted;
        frame_done_.notify_all();
    }
    emitting_ = false;
}

// Emits the first frames in flight as far as they are measured, and hands them out together. Returns their number.
std::size_t FrameQueue::emit_measured(std::unique_lock<std::mutex> &lock) noexcept {
    std::size_t count = 0;
    for (; count < in_flight_.size() && in_flight_.at(count)->measured; count++) {
        Frame &next = *in_flight_.at(count);
        lock.unlock();
        if (!is_lost(next)) attempt([&] { work_.emit(next); });
        lock.lock();
    }
    if (count == 0) return 0;
    lock.unlock();
    attempt([&] { work_.hand_out(); });
    lock.lock();
    return count;
}

template <class Call> void FrameQueue::attempt(const Call &call) noexcept {
    try {
        call();
    } catch (...) {
        fail(std::current_exception());
    }
}

void FrameQueue::refuse(Frame &frame, std::exception_ptr error) noexcept {
    if (!frame.failed.exchange(true)) fail(std::move(error));
}

void FrameQueue::fail(std::exception_ptr error) noexcept {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
}

void FrameQueue::report_errors() {
    std::lock_guard lock(mutex_);
    if (!error_) return;
    const std::exception_ptr error = error_;
    if (!device_failed_) error_ = nullptr;
    std::rethrow_exception(error);
}

std::span<FrameResult> FrameQueue::results_of(Frame &frame, std::size_t scorer) {
    const Frame::ScorerResults &of = frame.results_of_scorer[scorer];
    return std::span(frame.results).subspan(of.first, of.count);
}

void FrameQueue::failed(std::exception_ptr error) {
    fail(std::move(error));
    device_failed_ = true;
}

} // namespace vmaf
