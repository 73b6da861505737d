// Frames on their way through a device: uploaded once, several in flight, results read back behind the kernels. The
// host waits for nothing but a free place; results come from a thread of the pipeline, in the order of the frames.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "metrics/device_scorer.hpp"
#include "picture/picture.hpp"

namespace vmaf {

class DevicePipeline {
  public:
    // Where results go. Called from the pipeline's thread, and from submit() once the pipeline has failed.
    class Receiver {
      public:
        virtual ~Receiver() = default;
        virtual FrameResult &result_of(void *frame, std::size_t scorer) = 0;
        virtual void measured(void *frame) = 0; // all results of a frame are there, or fail() was called
        virtual void failed(std::exception_ptr error) = 0;
    };

    struct Config {
        unsigned lanes = 0;           // batches that have memory on the device; two of them only keep earlier pictures
        unsigned batch = 0;           // frames in a batch. 0, both: by size of the pictures
        std::vector<bool> wait_after; // by scorer: the host waits for its kernels ("serial" dispatch)
    };

    // Throws Error(ENOMEM) when the device has too little memory.
    DevicePipeline(std::shared_ptr<Device> device, const PictureFormat &format,
                   std::vector<std::unique_ptr<DeviceScorer>> scorers, const Config &config, Receiver &receiver);
    ~DevicePipeline(); // waits for all frames
    DevicePipeline(const DevicePipeline &) = delete;
    DevicePipeline &operator=(const DevicePipeline &) = delete;

    // Pictures are in host memory, page-locked memory or on this device. `scorers`: one bit for each that runs on this
    // frame. Pictures in pageable memory are copied before submit() returns, with the help of `parallel`.
    void submit(void *frame, unsigned index, const Picture &ref, const Picture &dist, std::uint32_t scorers,
                Parallel &parallel);

    unsigned planes() const; // one bit for each that some scorer reads

    // Sensible numbers for such pictures.
    static unsigned batch_for(const PictureFormat &format);
    static unsigned lanes_for(const PictureFormat &format);

  private:
    struct Entry; // a frame in a lane
    struct Lane;
    // Planes of a picture in device memory, and what keeps them there.
    struct Resident {
        std::array<const std::byte *, 3> plane{};
        Picture keep; // a picture that was on the device before
    };

    void allocate(unsigned lanes);
    void fill(Lane &lane, Entry &entry, const Picture &ref, const Picture &dist, Parallel &parallel);
    Resident bring(Lane &lane, std::size_t slot, const Picture &picture, unsigned planes, Parallel &parallel);
    const std::byte *staged(Lane &lane, std::size_t slot, const Picture &picture, unsigned plane, Parallel &parallel);
    void start();
    void fail(std::exception_ptr error);
    void enqueue(Lane &lane);
    void collect();
    bool has_open_frames(); // in a batch that was not started
    void deliver(Lane &lane, bool with_results);
    Lane &lane_of(std::uint64_t batch) { return *lanes_[batch % lanes_.size()]; }

    std::shared_ptr<Device> device_;
    PictureFormat format_;
    HostLayout layout_;
    std::vector<std::unique_ptr<DeviceScorer>> scorers_;
    Config config_;
    Receiver &receiver_;
    std::vector<std::size_t> scratch_offset_, sums_offset_; // by scorer, in a lane
    std::size_t scratch_bytes_ = 0, sums_count_ = 0, picture_bytes_ = 0;

    std::unique_ptr<Queue> upload_queue_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::array<Resident, 2> earlier_ref_;

    std::mutex mutex_; // of what follows, and of starting a batch
    std::condition_variable changed_;
    std::uint64_t opened_ = 0, started_ = 0, collected_ = 0; // batches so far; at most one is open and not started
    bool filling_ = false;                                   // submit() is at the open batch
    bool closing_ = false, failed_ = false;
    std::thread collector_;
};

} // namespace vmaf
