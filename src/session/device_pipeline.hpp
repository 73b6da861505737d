// Moves frames through a device: uploaded once, several in flight, several per launch, results read back
// after the kernels. The host waits only for a free slot; a thread of the pipeline delivers results in frame
// order.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "metrics/device_scorer.hpp"
#include "picture/picture.hpp"
#include "session/ring.hpp"
#include "session/worker_pool.hpp"

namespace vmaf {

struct Frame;

// How many preallocated pictures a client gets.
struct PictureRing {
    unsigned first = 0; // allocated at once; a client may hold this many
    unsigned limit = 0; // grows up to this while all are in use

    static PictureRing for_pictures(const PictureFormat &format);
};

class DevicePipeline {
  public:
    // Receives results, on the pipeline's thread, or in submit() once the pipeline has failed.
    class Receiver {
      public:
        virtual ~Receiver() = default;
        // One per member of the family that the scorer serves.
        virtual std::span<FrameResult> results_of(Frame &frame, std::size_t scorer) = 0;
        virtual void refused(Frame &frame, std::exception_ptr error) = 0; // no results; measured() follows
        virtual void measured(Frame &frame) = 0; // all results of a frame have arrived, or failed() was called
        virtual void failed(std::exception_ptr error) = 0;
    };

    struct Config {
        unsigned batches_at_once = 0;       // batches the device works on at once
        unsigned batch = 0;                 // most frames per batch; if both are 0: by picture size
        std::vector<bool> wait_after;       // per scorer: the host waits for its kernels ("serial" dispatch)
        std::vector<unsigned> looks_back{}; // per scorer: number of frames
    };

    // Throws Error(ENOMEM) if the device has too little memory.
    DevicePipeline(std::shared_ptr<Device> device, const PictureFormat &format,
                   std::vector<std::unique_ptr<DeviceScorer>> scorers, const Config &config, Receiver &receiver);
    ~DevicePipeline(); // waits for all frames
    DevicePipeline(const DevicePipeline &) = delete;
    DevicePipeline &operator=(const DevicePipeline &) = delete;

    // Pictures may be in host memory, page-locked memory or on this device. `scorers`: a bit per scorer that runs on
    // the frame. A job of `pool`, which must have room, copies pageable pictures; they are released then.
    void submit(Frame &frame, const Picture &ref, const Picture &dist, std::uint32_t scorers, WorkerPool &pool);

    // Copies of pictures that the caller will change (ForeignBuffer): waits for them, or makes a caller's queue wait.
    // Call it on the submitting thread.
    void wait_for_copies();
    void hold_queue(void *callers);

    unsigned planes() const; // a bit per plane that a scorer reads

    // Good values for such pictures, and how many frames a pipeline then accepts.
    static unsigned batch_for(const PictureFormat &format);
    static unsigned batches_at_once_for(bool long_chains);
    static unsigned frames_in_flight(unsigned batches_at_once, unsigned batch);

  private:
    static constexpr unsigned kHistory = 2; // most pictures that a frame looks back at

    // Planes of a picture in device memory, and what keeps them alive.
    struct Resident {
        std::array<const std::byte *, 3> plane{};
        Picture keep; // a picture that was already on the device
    };
    // A frame in flight.
    struct Entry {
        Frame *frame = nullptr;
        unsigned index = 0;
        std::uint64_t scorers = 0;
        Picture ref, dist;      // kept while they are read
        bool is_staged = false; // passes through staging memory
        bool is_ready = false;  // can be uploaded, or is
        Resident ref_at, dist_at;
        std::array<Resident, kHistory> earlier_ref, earlier_dist;
    };
    // The memory of a batch at work.
    struct Workspace {
        std::byte *scratch = nullptr;
        std::byte *results = nullptr;      // on the device
        std::byte *host_results = nullptr; // copied to the host
        std::unique_ptr<Queue> queue;
        std::unique_ptr<Event> uploaded, done;
    };
    struct Batch {
        std::uint64_t first = 0;
        unsigned count = 0;
        Workspace *workspace = nullptr;
    };

    void allocate(unsigned batches_at_once, unsigned batch);
    void fill(Entry &entry, const Picture &ref, const Picture &dist);
    Resident bring(unsigned role, const Picture &picture, unsigned planes);
    bool is_laid_out(const Picture &picture, unsigned planes) const;
    Resident place(std::size_t slot, unsigned role, unsigned planes) const;
    Resident place_staged(std::size_t slot, unsigned role, unsigned planes);
    void stage(std::size_t slot, unsigned role, const Picture &picture, const Resident &at) const;
    void stage_frame(std::size_t slot) noexcept;
    void arrived(Entry &entry) noexcept;
    void upload_staged();
    void await_callers(const Batch &batch);
    void await(const Picture &picture);
    void start();
    bool may_start() const;
    void enqueue(Workspace &workspace, std::uint64_t first, unsigned count);
    void fail(std::exception_ptr error);
    void collect();
    void finish_batch(std::unique_lock<std::mutex> &lock);
    void deliver(const Batch &batch, bool with_results);
    void collect_results(const Entry &entry, const Workspace &workspace);
    void check_samples(const Entry &entry, const DeviceResult &result);
    DeviceResult next_result(const Entry &entry, std::size_t scorer, const Workspace &workspace);

    std::size_t slot_of(std::uint64_t number) const { return static_cast<std::size_t>(number % entries_.size()); }
    std::byte *device_picture(std::size_t slot, unsigned role) const {
        return memory_->data() + (2 * slot + role) * picture_bytes_;
    }
    std::byte *staged_picture(std::size_t slot, unsigned role) const {
        return staging_[slot / config_.batch]->data() + (2 * (slot % config_.batch) + role) * picture_bytes_;
    }
    unsigned open_frames() const { return static_cast<unsigned>(ready_ - begun_); }

    std::shared_ptr<Device> device_;
    PictureFormat format_;
    HostLayout layout_;
    std::vector<std::unique_ptr<DeviceScorer>> scorers_; // the caller's, then the sample check if any
    std::size_t callers_;                                // how many are the caller's
    Config config_;
    Receiver &receiver_;
    std::vector<std::size_t> scratch_offset_, results_offset_; // per scorer, within a workspace
    std::vector<std::size_t> position_;                        // per scorer, within the batch being delivered
    std::size_t scratch_bytes_ = 0, results_bytes_ = 0, picture_bytes_ = 0;

    // Frame n uses slot n % size. It is reused once results are out for the frame and the next two, which may look back
    // at its picture.
    std::vector<Entry> entries_;
    std::unique_ptr<DeviceMemory> memory_;       // pictures of all slots, then the workspaces
    std::unique_ptr<DeviceMemory> host_results_; // of all workspaces
    std::vector<std::unique_ptr<DeviceMemory>>
        staging_;                // for `batch` slots each; created with the first pageable picture
    bool shares_memory_ = false; // kernels read staging memory and pinned pictures in place
    std::unique_ptr<Queue> upload_queue_;
    std::vector<Workspace> workspaces_;
    std::array<Resident, kHistory> earlier_ref_, earlier_dist_;

    std::mutex mutex_; // guards what follows, and starting a batch
    std::condition_variable changed_;
    // Frame counts: accepted, ready in order, in batches, done.
    std::uint64_t submitted_ = 0, ready_ = 0, begun_ = 0, collected_ = 0;
    std::uint64_t staged_from_ = 0, staged_to_ = 0; // frames in staging memory, not yet uploaded
    std::uint64_t batches_begun_ = 0;
    Ring<Batch> at_work_;
    bool closing_ = false, failed_ = false;

    std::array<std::optional<unsigned>, kHistory> refused_; // frames before the one being delivered, by distance
    std::thread collector_;
};

} // namespace vmaf
