#include "session/device_pipeline.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "device/trace.hpp"

namespace vmaf {

namespace {

constexpr unsigned kHistoryLanes = 2; // a batch looks back at most two pictures, so at most two batches
constexpr unsigned kPixelsOfBatch = 2'000'000;
constexpr unsigned kPixelsAlone = 1280 * 720; // pictures from this size on fill a device by themselves
constexpr unsigned kBusyBatches = 2;          // with so many under way a batch may wait for more frames
constexpr unsigned kRowsOfStrip = 64;

std::uint64_t pixels_of(const PictureFormat &format) { return std::uint64_t{format.width} * format.height; }

} // namespace

struct DevicePipeline::Entry {
    void *frame = nullptr;
    unsigned index = 0;
    std::uint32_t scorers = 0;
    Picture ref, dist; // kept while an upload may read them
    Resident ref_at, dist_at;
    std::array<Resident, 2> earlier_ref;
};

// Device memory and a queue for one batch at a time.
struct DevicePipeline::Lane {
    std::unique_ptr<DeviceMemory> pictures, scratch, sums, host_sums;
    std::unique_ptr<DeviceMemory> staging; // made when a picture in pageable memory comes
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Event> uploaded, done;
    std::vector<Entry> entries; // as many as a batch has at most
    unsigned count = 0;
};

unsigned DevicePipeline::batch_for(const PictureFormat &format) {
    const std::uint64_t pixels = pixels_of(format);
    if (pixels >= kPixelsAlone) return 1;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(kPixelsOfBatch / pixels, 1, kMaxBatch));
}

unsigned DevicePipeline::lanes_for(const PictureFormat &format) {
    // Eight pictures up to 1920x1080 fill a large device; of larger ones fewer do, and they need more memory.
    return kHistoryLanes + (batch_for(format) > 1 || pixels_of(format) > 4'000'000 ? 4 : 8);
}

DevicePipeline::DevicePipeline(std::shared_ptr<Device> device, const PictureFormat &format,
                               std::vector<std::unique_ptr<DeviceScorer>> scorers, const Config &config,
                               Receiver &receiver)
    : device_(std::move(device)), format_(format), layout_(host_layout(format)), scorers_(std::move(scorers)),
      config_(config), receiver_(receiver) {
    if (config_.batch == 0) config_.batch = batch_for(format);
    if (config_.lanes == 0) config_.lanes = lanes_for(format);
    config_.batch = std::min(config_.batch, kMaxBatch);
    config_.lanes = std::max(config_.lanes, kHistoryLanes + 1);
    config_.wait_after.resize(scorers_.size());
    for (const auto &scorer : scorers_) {
        scratch_offset_.push_back(scratch_bytes_);
        scratch_bytes_ += round_up<std::size_t>(scorer->scratch_bytes(config_.batch), 256);
        sums_offset_.push_back(sums_count_);
        sums_count_ += std::size_t{scorer->sums()} * config_.batch;
    }
    picture_bytes_ = round_up<std::size_t>(layout_.bytes + kOverreadBytes, 256);
    const Device::Scope scope(*device_);
    upload_queue_ = device_->make_queue();
    try {
        allocate(config_.lanes);
    } catch (const Error &e) {
        if (e.code() != ENOMEM || config_.lanes == kHistoryLanes + 1) throw;
        lanes_.clear();
        allocate(kHistoryLanes + 1);
    }
    collector_ = std::thread([this] { collect(); });
}

void DevicePipeline::allocate(unsigned lanes) {
    for (unsigned i = 0; i < lanes; i++) {
        auto lane = std::make_unique<Lane>();
        const std::size_t sums_bytes = std::max<std::size_t>(sums_count_, 1) * sizeof(DeviceSum);
        lane->pictures = device_->allocate(2 * config_.batch * picture_bytes_);
        lane->scratch = device_->allocate(std::max<std::size_t>(scratch_bytes_, 256));
        lane->sums = device_->allocate(sums_bytes);
        lane->host_sums = device_->allocate_pinned(sums_bytes);
        lane->queue = device_->make_queue();
        lane->uploaded = device_->make_event();
        lane->done = device_->make_event();
        lane->entries.resize(config_.batch);
        lane->queue->clear(lane->scratch->data(), lane->scratch->size());
        lanes_.push_back(std::move(lane));
    }
}

DevicePipeline::~DevicePipeline() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        changed_.notify_all();
    }
    collector_.join();
    // After a failure work may still be under way; nothing goes before it is done.
    try {
        const Device::Scope scope(*device_);
        upload_queue_->finish();
        for (const auto &lane : lanes_) lane->queue->finish();
    } catch (const Error &) {
        // Reported when it happened.
    }
}

void DevicePipeline::submit(void *frame, unsigned index, const Picture &ref, const Picture &dist, std::uint32_t scorers,
                            Parallel &parallel) {
    const TraceRange trace("frame", index);
    std::unique_lock lock(mutex_);
    // A new batch needs a lane whose results are out, and whose pictures no batch under way looks back at.
    changed_.wait(
        lock, [&] { return failed_ || opened_ > started_ || opened_ + kHistoryLanes < collected_ + lanes_.size(); });
    if (!failed_) {
        if (opened_ == started_) opened_++;
        Lane &lane = lane_of(opened_ - 1);
        Entry &entry = lane.entries[lane.count];
        filling_ = true;
        lock.unlock();
        try {
            const Device::Scope scope(*device_);
            entry.frame = frame;
            entry.index = index;
            entry.scorers = scorers;
            fill(lane, entry, ref, dist, parallel);
            lock.lock();
            filling_ = false;
            lane.count++; // from here on the collector speaks for the frame
            if (!failed_ && (lane.count == config_.batch || started_ - collected_ < kBusyBatches)) start();
            changed_.notify_all();
            return;
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            const bool counted = !filling_;
            filling_ = false;
            fail(std::current_exception());
            lock.unlock();
            if (counted) return;
        }
    } else
        lock.unlock();
    receiver_.measured(frame);
}

unsigned DevicePipeline::planes() const {
    unsigned planes = 0;
    for (const auto &scorer : scorers_) planes |= scorer->ref_planes() | scorer->dist_planes();
    return planes;
}

// Brings the frame's pictures to the device.
void DevicePipeline::fill(Lane &lane, Entry &entry, const Picture &ref, const Picture &dist, Parallel &parallel) {
    unsigned ref_planes = 0, dist_planes = 0;
    for (std::size_t i = 0; i < scorers_.size(); i++) {
        if (!(entry.scorers >> i & 1)) continue;
        ref_planes |= scorers_[i]->ref_planes();
        dist_planes |= scorers_[i]->dist_planes();
    }
    entry.ref = ref;
    entry.dist = dist;
    entry.ref_at = bring(lane, 2 * lane.count, ref, ref_planes, parallel);
    entry.dist_at = bring(lane, 2 * lane.count + 1, dist, dist_planes, parallel);
    entry.earlier_ref = earlier_ref_;
    earlier_ref_[1] = std::move(earlier_ref_[0]);
    earlier_ref_[0] = entry.ref_at;
}

DevicePipeline::Resident DevicePipeline::bring(Lane &lane, std::size_t slot, const Picture &picture, unsigned planes,
                                               Parallel &parallel) {
    Resident at;
    const bool on_device = picture.memory() == Memory::device;
    for (unsigned p = 0; p < format_.planes(); p++) {
        if (!(planes >> p & 1)) continue;
        const auto pitch = static_cast<std::ptrdiff_t>(layout_.stride[p]);
        if (on_device && picture.stride_bytes(p) == pitch) {
            at.plane[p] = picture.data(p);
            at.keep = picture;
            continue;
        }
        std::byte *const to = lane.pictures->data() + slot * picture_bytes_ + layout_.offset[p];
        const CopyShape shape{std::size_t{format_.plane_width(p)} * format_.bytes_per_sample(),
                              format_.plane_height(p)};
        if (on_device)
            upload_queue_->copy(to, pitch, picture.data(p), picture.stride_bytes(p), shape);
        else if (picture.memory() == Memory::pinned_host)
            upload_queue_->upload(to, pitch, picture.data(p), picture.stride_bytes(p), shape);
        else
            upload_queue_->upload(to, pitch, staged(lane, slot, picture, p, parallel), pitch, shape);
        at.plane[p] = to;
    }
    return at;
}

// Copies from pageable memory, which the device cannot read while we go on.
const std::byte *DevicePipeline::staged(Lane &lane, std::size_t slot, const Picture &picture, unsigned plane,
                                        Parallel &parallel) {
    if (!lane.staging) lane.staging = device_->allocate_pinned(2 * config_.batch * picture_bytes_);
    std::byte *const to = lane.staging->data() + slot * picture_bytes_ + layout_.offset[plane];
    const std::size_t pitch = layout_.stride[plane];
    const std::size_t row_bytes = std::size_t{format_.plane_width(plane)} * format_.bytes_per_sample();
    const unsigned rows = format_.plane_height(plane);
    const unsigned strips = std::min(std::max(parallel.lanes(), 1u), (rows + kRowsOfStrip - 1) / kRowsOfStrip);
    parallel.run(strips, [&](unsigned strip) {
        const auto edge = [&](unsigned i) { return static_cast<unsigned>(std::uint64_t{rows} * i / strips); };
        for (unsigned y = edge(strip); y < edge(strip + 1); y++)
            std::memcpy(to + y * pitch, picture.data(plane) + std::ptrdiff_t{y} * picture.stride_bytes(plane),
                        row_bytes);
    });
    return to;
}

// The receiver knows before anything else can see that the pipeline has failed. The caller holds the mutex.
void DevicePipeline::fail(std::exception_ptr error) {
    if (!failed_) receiver_.failed(std::move(error));
    failed_ = true;
    changed_.notify_all();
}

// Puts the open batch to work. The caller holds the mutex and a scope.
void DevicePipeline::start() {
    Lane &lane = lane_of(opened_ - 1);
    started_ = opened_; // also if it fails: its frames are then reported without results
    upload_queue_->record(*lane.uploaded);
    lane.queue->wait(*lane.uploaded);
    enqueue(lane);
    lane.queue->record(*lane.done);
}

void DevicePipeline::enqueue(Lane &lane) {
    if (sums_count_ == 0) return;
    lane.queue->clear(lane.sums->data(), lane.sums->size());
    for (std::size_t i = 0; i < scorers_.size(); i++) {
        DeviceBatch batch;
        for (unsigned k = 0; k < lane.count; k++) {
            const Entry &entry = lane.entries[k];
            if (!(entry.scorers >> i & 1)) continue;
            DeviceFrame &frame = batch.frames[batch.count++];
            frame.index = entry.index;
            frame.ref = entry.ref_at.plane;
            frame.dist = entry.dist_at.plane;
            for (std::size_t n = 0; n < 2; n++) frame.earlier_ref[n] = entry.earlier_ref[n].plane;
        }
        if (batch.count == 0) continue;
        for (std::size_t p = 0; p < 3; p++) batch.pitch_bytes[p] = static_cast<std::ptrdiff_t>(layout_.stride[p]);
        batch.scratch = lane.scratch->data() + scratch_offset_[i];
        batch.sums = reinterpret_cast<DeviceSum *>(lane.sums->data()) + sums_offset_[i];
        batch.sums_stride = scorers_[i]->sums();
        scorers_[i]->enqueue(*lane.queue, batch);
        if (config_.wait_after[i]) lane.queue->finish();
    }
    lane.queue->download(lane.host_sums->data(), 0, lane.sums->data(), 0, {lane.sums->size(), 1});
}

bool DevicePipeline::has_open_frames() { return opened_ > started_ && !filling_ && lane_of(opened_ - 1).count > 0; }

// The pipeline's thread.
void DevicePipeline::collect() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closing_ || failed_ || started_ > collected_; });
        if (started_ > collected_) {
            Lane &lane = lane_of(collected_);
            bool good = !failed_;
            lock.unlock();
            std::exception_ptr error;
            if (good) try {
                    const TraceRange trace("collect", lane.entries[0].index);
                    lane.done->wait();
                } catch (...) {
                    good = false;
                    error = std::current_exception();
                }
            if (error) {
                lock.lock();
                fail(error);
                lock.unlock();
            }
            deliver(lane, good);
            lock.lock();
            lane.count = 0;
            collected_++;
            changed_.notify_all();
        } else if (failed_ && has_open_frames())
            started_ = opened_; // it will never run: its frames are reported without results
        else if (closing_ && !has_open_frames())
            return;
        else if (failed_)
            changed_.wait(lock, [&] { return closing_ || has_open_frames(); });
        // What was left open while the device was busy.
        if (!failed_ && has_open_frames() && started_ - collected_ < kBusyBatches) {
            try {
                const Device::Scope scope(*device_);
                start();
            } catch (...) {
                fail(std::current_exception());
            }
        }
    }
}

void DevicePipeline::deliver(Lane &lane, bool with_results) {
    const auto *sums = reinterpret_cast<const DeviceSum *>(lane.host_sums->data());
    std::vector<std::size_t> position(scorers_.size());
    for (unsigned k = 0; k < lane.count; k++) {
        Entry &entry = lane.entries[k];
        for (std::size_t i = 0; with_results && i < scorers_.size(); i++) {
            if (!(entry.scorers >> i & 1)) continue;
            scorers_[i]->collect(sums + sums_offset_[i] + scorers_[i]->sums() * position[i]++,
                                 receiver_.result_of(entry.frame, i));
        }
        void *const frame = entry.frame;
        entry = Entry(); // lets go of the pictures
        receiver_.measured(frame);
    }
}

} // namespace vmaf
