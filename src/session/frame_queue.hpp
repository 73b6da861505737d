// Frames in flight: measured in any order, on several threads and a device; emitted in the order they were given.
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

// What is done with frames. Called from any thread, but for emit(); all may throw, which costs the frame its scores.
class FrameWork {
  public:
    virtual ~FrameWork() = default;
    virtual void measure(Frame &frame, const Frame::Part &part) = 0;
    virtual void measure_areas(Frame &frame) = 0; // once all parts are measured
    virtual void emit(Frame &frame) = 0;          // one frame at a time, in the order given
};

class FrameQueue final : public DevicePipeline::Receiver {
  public:
    // `threads` that measure; 0: everything happens in the thread that gives frames. Throws Error(ENOMEM).
    FrameQueue(unsigned threads, FrameWork &work);

    std::unique_ptr<Frame> fresh_frame();
    // A frame is given in steps. make_room() waits for a free place and may throw; after it enter() cannot fail. Then
    // either all is measured by now, and finish() emits it, or submit() hands out its parts, and the device's part
    // is handed out by the caller. The frame may be gone when the last of them is.
    void make_room(std::size_t parts);
    Frame &enter(std::unique_ptr<Frame> frame, std::size_t results_to_come) noexcept;
    void finish(Frame &frame) noexcept;
    void submit(Frame &frame) noexcept;

    void allow_in_flight(std::size_t frames) { max_in_flight_ = std::max(max_in_flight_, frames); }
    // Waits until every frame given so far has been emitted; not for those that another thread gives meanwhile.
    void drain();

    void fail(std::exception_ptr error) noexcept;
    // The first error since the last report, once. A device that has failed stays so.
    void report_errors();

    WorkerPool &workers() { return pool_; }
    // Who copies pictures for the device.
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
    void emit(Frame &frame) noexcept;
    void refuse(Frame &frame, std::exception_ptr error) noexcept;

    FrameWork &work_;
    const unsigned threads_;
    std::size_t max_in_flight_;

    std::mutex mutex_;
    std::condition_variable frame_done_;
    Ring<std::unique_ptr<Frame>> in_flight_; // in the order given
    std::vector<std::unique_ptr<Frame>> idle_frames_;
    std::uint64_t frames_given_ = 0, frames_emitted_ = 0;
    bool emitting_ = false; // some thread does
    std::exception_ptr error_;
    std::atomic<bool> device_failed_{false};
    WorkerPool pool_;
    std::unique_ptr<WorkerPool> copiers_; // made with the first pictures that need it
};

} // namespace vmaf
