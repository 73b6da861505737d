// Frames in flight: measured in any order, on threads and a device; emitted in the order read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "session/device_pipeline.hpp"
#include "session/frame.hpp"
#include "session/ring.hpp"
#include "session/worker_pool.hpp"

namespace vmaf {

// Work on frames. Called from any thread, except emit(); all may throw, which costs the frame its scores.
class FrameWork {
  public:
    virtual ~FrameWork() = default;
    virtual void measure(Frame &frame, const Frame::Part &part) = 0;
    virtual void measure_areas(Frame &frame) = 0; // once all parts are measured
    virtual void emit(Frame &frame) = 0;          // one frame at a time, in order
    virtual void hand_out() = 0;                  // after some frames, before they count as emitted
};

class FrameQueue final : public DevicePipeline::Receiver {
  public:
    // `threads` measure; 0: the reading thread does everything. Throws Error(ENOMEM).
    FrameQueue(unsigned threads, FrameWork &work);

    std::unique_ptr<Frame> fresh_frame();
    // Reading takes several steps. make_room() waits for a free slot and may throw; after that enter() cannot fail.
    // Then either the frame is already measured and finish() emits it, or submit() queues its CPU parts and the caller
    // submits the device's part. The last part may release the frame.
    void make_room(std::size_t parts);
    Frame &enter(std::unique_ptr<Frame> frame, std::size_t results_to_come) noexcept;
    void finish(Frame &frame) noexcept;
    void submit(Frame &frame) noexcept;

    // What follows the measuring of a frame runs on threads of its own: results of a device all come from one thread.
    void use_finishers(unsigned threads);
    // Threads that may help with hand_out().
    WorkerPool &finishers() { return finishers_ ? *finishers_ : pool_; }
    void allow_in_flight(std::size_t frames) { max_in_flight_ = std::max(max_in_flight_, frames); }
    // Waits until all frames read so far are emitted, but not for frames that another thread adds in the meantime.
    void drain();

    void fail(std::exception_ptr error) noexcept;
    // Throws the first error since the last report, once. A failed device keeps failing.
    void report_errors();

    WorkerPool &workers() { return pool_; }
    // The threads that copy pictures for the device.
    WorkerPool &copiers(Memory memory);

    // Receiver
    std::span<FrameResult> results_of(Frame &frame, std::size_t scorer) override;
    void refused(Frame &frame, std::exception_ptr error) override { refuse(frame, std::move(error)); }
    void measured(Frame &frame) override { one_result_less(frame); }
    void failed(std::exception_ptr error) override;

  private:
    bool is_lost(const Frame &frame) const { return frame.failed || device_failed_; }
    void measure(Frame &frame, std::size_t part) noexcept;
    void one_result_less(Frame &frame) noexcept;
    std::size_t emit_measured(std::unique_lock<std::mutex> &lock) noexcept;
    template <class Call> void attempt(const Call &call) noexcept;
    void refuse(Frame &frame, std::exception_ptr error) noexcept;

    FrameWork &work_;
    const unsigned threads_;
    std::size_t max_in_flight_;

    std::mutex mutex_;
    std::condition_variable frame_done_;
    Ring<std::unique_ptr<Frame>> in_flight_; // in the order read
    std::vector<std::unique_ptr<Frame>> idle_frames_;
    std::uint64_t frames_given_ = 0, frames_emitted_ = 0;
    bool emitting_ = false; // some thread is emitting
    std::exception_ptr error_;
    std::atomic<bool> device_failed_{false};
    WorkerPool pool_;
    std::unique_ptr<WorkerPool> copiers_; // created with the first pictures that need it
    std::unique_ptr<WorkerPool> finishers_;
};

} // namespace vmaf
