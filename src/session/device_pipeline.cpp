#include "session/device_pipeline.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "base/thread.hpp"
#include "device/trace.hpp"
#include "picture/foreign.hpp"
#include "session/frame.hpp"
#include "session/sample_check_device.hpp"

namespace vmaf {

namespace {

// A launch costs the host about 5 us, and a frame takes a dozen launches, so frames share them. Small pictures cannot
// fill a device alone either.
constexpr unsigned kPixelsOfBatch = 8'400'000; // four pictures of 1920x1080
constexpr unsigned kPixelsOfLarge = 1280 * 720;
constexpr unsigned kMaxBatchOfLarge = 4;
constexpr unsigned kBatchesAtOnce = 4, kBatchesAtOnceOfChains = 6;
constexpr unsigned kBusyBatches = 2;                       // with this many at work a batch may wait for more frames
constexpr std::size_t kStagedBytes = std::size_t{2} << 20; // copied to the device at once

} // namespace

unsigned DevicePipeline::batch_for(const PictureFormat &format) {
    const std::uint64_t pixels = std::uint64_t{format.width} * format.height;
    const unsigned most = pixels < kPixelsOfLarge ? kMaxBatch : kMaxBatchOfLarge;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(kPixelsOfBatch / pixels, 1, most));
}

unsigned DevicePipeline::batches_at_once_for(bool long_chains) {
    return long_chains ? kBatchesAtOnceOfChains : kBatchesAtOnce;
}

// One batch more than the device works on, to be filled in the meantime.
unsigned DevicePipeline::frames_in_flight(unsigned batches_at_once, unsigned batch) {
    return (batches_at_once + 1) * batch;
}

PictureRing PictureRing::for_pictures(const PictureFormat &format) {
    constexpr unsigned kFirst = 4;
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    const unsigned batch = DevicePipeline::batch_for(format);
    const unsigned in_flight =
        DevicePipeline::frames_in_flight(DevicePipeline::batches_at_once_for(true), batch) + batch;
    // Enough to keep the device busy, plus the client's next pair.
    const std::size_t affordable = kMostBytes / std::max<std::size_t>(host_layout(format).bytes, 1);
    return {kFirst, static_cast<unsigned>(std::clamp<std::size_t>(affordable, kFirst, 2 * in_flight + kFirst))};
}

DevicePipeline::DevicePipeline(std::shared_ptr<Device> device, const PictureFormat &format,
                               std::vector<std::unique_ptr<DeviceScorer>> scorers, const Config &config,
                               Receiver &receiver)
    : device_(std::move(device)), format_(format), layout_(host_layout(format)), scorers_(std::move(scorers)),
      callers_(scorers_.size()), config_(config), receiver_(receiver) {
    if (has_room_above_depth(format)) scorers_.push_back(make_sample_check(format, *device_));
    if (config_.batch == 0) config_.batch = batch_for(format);
    if (config_.batches_at_once == 0) config_.batches_at_once = batches_at_once_for(false);
    config_.wait_after.resize(scorers_.size());
    config_.looks_back.resize(scorers_.size());
    position_.resize(scorers_.size());
    std::size_t bytes = 0; // up to the last plane that is read
    for (unsigned p = 0; p < format.planes(); p++)
        if (planes() >> p & 1) bytes = layout_.offset[p] + layout_.stride[p] * format.plane_height(p);
    picture_bytes_ = round_up<std::size_t>(bytes + kOverreadBytes, 256);
    const Device::Scope scope(*device_);
    upload_queue_ = device_->make_queue();
    try {
        allocate(config_.batches_at_once, std::min(config_.batch, kMaxBatch));
    } catch (const Error &e) {
        if (e.code() != ENOMEM) throw;
        allocate(1, 1);
    }
    collector_ = start_thread("collect the device's results", [this] { collect(); });
}

// Few blocks: each costs driver calls when the run starts and ends.
void DevicePipeline::allocate(unsigned batches_at_once, unsigned batch) {
    config_.batches_at_once = batches_at_once;
    config_.batch = batch;
    workspaces_.clear(); // left by a failed attempt
    memory_.reset();
    host_results_.reset();
    scratch_offset_.clear();
    results_offset_.clear();
    scratch_bytes_ = results_bytes_ = 0;
    for (const auto &scorer : scorers_) {
        scratch_offset_.push_back(scratch_bytes_);
        scratch_bytes_ += round_up<std::size_t>(scorer->scratch().bytes() * batch, 256);
        results_offset_.push_back(results_bytes_);
        results_bytes_ += scorer->results().bytes() * batch;
    }
    const std::size_t places = round_up<std::size_t>(frames_in_flight(batches_at_once, batch) + kHistory, batch);
    const std::size_t results_bytes = round_up<std::size_t>(results_bytes_, 256);
    const std::size_t pictures_bytes = 2 * places * picture_bytes_, workspace_bytes = scratch_bytes_ + results_bytes;
    memory_ = device_->allocate(pictures_bytes + std::max<std::size_t>(batches_at_once * workspace_bytes, 256));
    host_results_ = device_->allocate_pinned(std::max<std::size_t>(batches_at_once * results_bytes, 256));
    shares_memory_ = device_->reach(host_results_->data()) != nullptr;
    for (unsigned i = 0; i < batches_at_once; i++) {
        Workspace workspace;
        workspace.scratch = memory_->data() + pictures_bytes + i * workspace_bytes;
        workspace.results = workspace.scratch + scratch_bytes_;
        workspace.host_results = host_results_->data() + i * results_bytes;
        workspace.queue = device_->make_queue();
        workspace.uploaded = device_->make_event();
        workspace.done = device_->make_event();
        workspaces_.push_back(std::move(workspace));
    }
    // Workspaces start zeroed.
    if (workspace_bytes) upload_queue_->clear(memory_->data() + pictures_bytes, batches_at_once * workspace_bytes);
    at_work_.reserve(batches_at_once + 2); // the collecting thread must not allocate
    entries_ = std::vector<Entry>(places);
    staging_.clear();
    staging_.resize(places / batch);
}

DevicePipeline::~DevicePipeline() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        changed_.notify_all();
    }
    collector_.join();
    // After a failure work may still be running; wait before releasing anything.
    try {
        const Device::Scope scope(*device_);
        upload_queue_->finish();
        for (const Workspace &workspace : workspaces_) workspace.queue->finish();
    } catch (const Error &) {
        // Already reported.
    }
}

void DevicePipeline::submit(Frame &frame, const Picture &ref, const Picture &dist, std::uint32_t scorers,
                            WorkerPool &pool) {
    const TraceRange trace("frame", frame.index);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return failed_ || (open_frames() < config_.batch && submitted_ + kHistory < collected_ + entries_.size());
    });
    const std::size_t slot = slot_of(submitted_);
    Entry &entry = entries_[slot];
    bool is_taken = false;
    if (!failed_) try {
            lock.unlock();
            const Device::Scope scope(*device_);
            entry.frame = &frame;
            entry.index = frame.index;
            entry.scorers = scorers | (scorers_.size() - callers_) << callers_;
            fill(entry, ref, dist);
            lock.lock();
            submitted_++; // the collector owns the frame from now on
            is_taken = true;
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            fail(std::current_exception());
        }
    if (!is_taken) {
        lock.unlock();
        receiver_.measured(frame);
    } else if (entry.is_staged) {
        lock.unlock();
        pool.submit({[](void *self, void *, std::size_t at) { static_cast<DevicePipeline *>(self)->stage_frame(at); },
                     this, nullptr, slot});
    } else
        arrived(entry);
}

unsigned DevicePipeline::planes() const {
    unsigned planes = 0;
    for (const auto &scorer : scorers_) {
        const PlaneUse &use = scorer->planes();
        planes |= use.ref | use.dist | use.earlier_ref | use.earlier_dist;
    }
    return planes;
}

// Uploads the pictures of the next frame.
void DevicePipeline::fill(Entry &entry, const Picture &ref, const Picture &dist) {
    unsigned ref_planes = 0, dist_planes = 0;
    for (std::size_t i = 0; i < scorers_.size(); i++) {
        if (!(entry.scorers >> i & 1)) continue;
        const PlaneUse &use = scorers_[i]->planes();
        ref_planes |= use.ref | use.earlier_ref; // later frames look back at it
        dist_planes |= use.dist | use.earlier_dist;
    }
    entry.ref = ref;
    entry.dist = dist;
    entry.is_staged = ref.memory() == Memory::host && dist.memory() == Memory::host;
    if (entry.is_staged) {
        const std::size_t slot = slot_of(submitted_);
        entry.ref_at = place_staged(slot, 0, ref_planes);
        entry.dist_at = place_staged(slot, 1, dist_planes);
    } else {
        entry.ref_at = bring(0, ref, ref_planes);
        entry.dist_at = bring(1, dist, dist_planes);
    }
    const auto look_back = [](std::array<Resident, kHistory> &kept, std::array<Resident, kHistory> &earlier,
                              const Resident &current) {
        earlier = kept;
        kept[1] = std::move(kept[0]);
        kept[0] = current;
    };
    look_back(earlier_ref_, entry.earlier_ref, entry.ref_at);
    look_back(earlier_dist_, entry.earlier_dist, entry.dist_at);
}

DevicePipeline::Resident DevicePipeline::bring(unsigned role, const Picture &picture, unsigned planes) {
    const std::size_t slot = slot_of(submitted_);
    const bool is_staged = picture.memory() == Memory::host;
    Resident at = is_staged ? place_staged(slot, role, planes) : place(slot, role, planes);
    if (is_staged) stage(slot, role, picture, at);
    if (is_staged && shares_memory_) return at;
    const bool is_pinned = picture.memory() == Memory::pinned_host, is_on_device = picture.memory() == Memory::device;
    const ForeignBuffer *const callers = is_on_device ? foreign(picture) : nullptr;
    const bool is_transient = callers && callers->is_transient;
    bool has_waited = false;
    if (is_pinned && !shares_memory_ && is_laid_out(picture, planes)) { // one copy for all planes
        const unsigned last = format_.planes() - 1;
        const std::size_t bytes = layout_.offset[last] + layout_.stride[last] * format_.plane_height(last);
        upload_queue_->upload(device_picture(slot, role), 0, picture.data(0), 0, {bytes, 1});
        return at;
    }
    for (unsigned p = 0; p < format_.planes(); p++) {
        if (!(planes >> p & 1)) continue;
        std::byte *const to = device_picture(slot, role) + layout_.offset[p];
        const auto pitch = static_cast<std::ptrdiff_t>(layout_.stride[p]);
        const CopyShape shape{std::size_t{format_.plane_width(p)} * format_.bytes_per_sample(),
                              format_.plane_height(p)};
        const std::byte *where_it_is = nullptr; // as kernels address it; the pitch must be ours
        if (picture.stride_bytes(p) == pitch && !is_transient)
            where_it_is = is_pinned ? device_->reach(picture.data(p)) : is_staged ? nullptr : picture.data(p);
        if (where_it_is) {
            at.plane[p] = where_it_is;
            at.keep = picture;
        } else if (is_staged) {
            upload_queue_->upload(to, pitch, staged_picture(slot, role) + layout_.offset[p], pitch, shape);
        } else if (is_pinned) {
            upload_queue_->upload(to, pitch, picture.data(p), picture.stride_bytes(p), shape);
        } else {
            if (!has_waited) await(picture);
            has_waited = true;
            upload_queue_->copy(to, pitch, picture.data(p), picture.stride_bytes(p), shape);
        }
    }
    return at;
}

// Whether the wanted planes, if several, are laid out as on the device.
bool DevicePipeline::is_laid_out(const Picture &picture, unsigned planes) const {
    if (planes != (1u << format_.planes()) - 1 || format_.planes() == 1) return false;
    for (unsigned p = 0; p < format_.planes(); p++)
        if (picture.stride_bytes(p) != static_cast<std::ptrdiff_t>(layout_.stride[p]) ||
            picture.data(p) != picture.data(0) + layout_.offset[p])
            return false;
    return layout_.offset[0] == 0;
}

// Where planes of a picture go on the device.
DevicePipeline::Resident DevicePipeline::place(std::size_t slot, unsigned role, unsigned planes) const {
    Resident at;
    for (unsigned p = 0; p < format_.planes(); p++)
        if (planes >> p & 1) at.plane[p] = device_picture(slot, role) + layout_.offset[p];
    return at;
}

// The same for pictures that pass through staging memory, or are read there.
DevicePipeline::Resident DevicePipeline::place_staged(std::size_t slot, unsigned role, unsigned planes) {
    auto &block = staging_[slot / config_.batch];
    if (!block) block = device_->allocate_pinned(2 * config_.batch * picture_bytes_);
    Resident at = place(slot, role, planes);
    if (shares_memory_)
        for (unsigned p = 0; p < format_.planes(); p++)
            if (at.plane[p]) at.plane[p] = device_->reach(staged_picture(slot, role) + layout_.offset[p]);
    return at;
}

// Copies from pageable memory, which the device cannot read asynchronously.
void DevicePipeline::stage(std::size_t slot, unsigned role, const Picture &picture, const Resident &at) const {
    for (unsigned p = 0; p < format_.planes(); p++) {
        if (!at.plane[p]) continue;
        std::byte *const to = staged_picture(slot, role) + layout_.offset[p];
        const std::size_t pitch = layout_.stride[p];
        const std::size_t row_bytes = std::size_t{format_.plane_width(p)} * format_.bytes_per_sample();
        for (unsigned y = 0; y < format_.plane_height(p); y++)
            std::memcpy(to + y * pitch, picture.data(p) + std::ptrdiff_t(y) * picture.stride_bytes(p), row_bytes);
    }
}

// Runs on the pool: frames are copied in parallel.
void DevicePipeline::stage_frame(std::size_t slot) noexcept {
    Entry &entry = entries_[slot];
    stage(slot, 0, entry.ref, entry.ref_at);
    stage(slot, 1, entry.dist, entry.dist_at);
    entry.ref = entry.dist = Picture();
    const std::lock_guard lock(mutex_);
    arrived(entry);
}

// Releases frames in order, once uploads can find their pictures. The caller holds the mutex.
void DevicePipeline::arrived(Entry &entry) noexcept {
    entry.is_ready = true;
    for (; ready_ < submitted_ && entries_[slot_of(ready_)].is_ready;) {
        const std::uint64_t number = ready_++;
        if (!failed_) try {
                const Device::Scope scope(*device_);
                if (entries_[slot_of(number)].is_staged && !shares_memory_) {
                    if (staged_to_ != number) { // not adjacent to earlier ones
                        upload_staged();
                        staged_from_ = number;
                    }
                    staged_to_ = number + 1;
                    if ((staged_to_ - staged_from_) * 2 * picture_bytes_ >= kStagedBytes) upload_staged();
                }
                // An idle device gets what there is; a busy one only whole batches.
                if (at_work_.empty() || (open_frames() >= config_.batch && may_start())) start();
            } catch (...) {
                fail(std::current_exception());
            }
    }
    changed_.notify_all();
}

// Neighbours in staging memory are neighbours on the device: uploads several frames in one copy. The caller holds the
// mutex and a scope.
void DevicePipeline::upload_staged() {
    while (staged_from_ < staged_to_) {
        const std::size_t slot = slot_of(staged_from_), left_in_block = config_.batch - slot % config_.batch;
        const std::size_t count =
            static_cast<std::size_t>(std::min<std::uint64_t>(left_in_block, staged_to_ - staged_from_));
        staged_from_ += count;
        upload_queue_->upload(device_picture(slot, 0), 0, staged_picture(slot, 0), 0, {count * 2 * picture_bytes_, 1});
    }
}

// Tells the receiver before anyone can see that the pipeline failed. The caller holds the mutex.
void DevicePipeline::fail(std::exception_ptr error) {
    if (!failed_) receiver_.failed(std::move(error));
    failed_ = true;
    changed_.notify_all();
}

bool DevicePipeline::may_start() const { return open_frames() > 0 && at_work_.size() < workspaces_.size(); }

// Launches the waiting frames. The caller holds the mutex and a scope.
void DevicePipeline::start() {
    const Batch batch{begun_, std::min(open_frames(), config_.batch),
                      &workspaces_[batches_begun_++ % workspaces_.size()]};
    Workspace &workspace = *batch.workspace;
    begun_ += batch.count; // even on failure: its frames are then reported without results
    at_work_.push_back(batch);
    changed_.notify_all();
    upload_staged();
    await_callers(batch);
    upload_queue_->record(*workspace.uploaded);
    workspace.queue->wait(*workspace.uploaded);
    enqueue(workspace, batch.first, batch.count);
    workspace.queue->record(*workspace.done);
}

void DevicePipeline::enqueue(Workspace &workspace, std::uint64_t first, unsigned count) {
    if (results_bytes_ == 0) return;
    workspace.queue->clear(workspace.results, results_bytes_);
    for (std::size_t i = 0; i < scorers_.size(); i++) {
        DeviceBatch batch;
        for (unsigned k = 0; k < count; k++) {
            const Entry &entry = entries_[slot_of(first + k)];
            if (!(entry.scorers >> i & 1)) continue;
            DeviceFrame &frame = batch.frames[batch.count++];
            frame.index = entry.index;
            frame.ref = entry.ref_at.plane;
            frame.dist = entry.dist_at.plane;
            for (std::size_t n = 0; n < kHistory; n++) {
                frame.earlier_ref[n] = entry.earlier_ref[n].plane;
                frame.earlier_dist[n] = entry.earlier_dist[n].plane;
            }
        }
        if (batch.count == 0) continue;
        for (std::size_t p = 0; p < 3; p++) batch.pitch_bytes[p] = static_cast<std::ptrdiff_t>(layout_.stride[p]);
        batch.bytes_per_sample = format_.bytes_per_sample();
        batch.scratch = workspace.scratch + scratch_offset_[i];
        batch.scratch_stride = scorers_[i]->scratch().bytes();
        batch.results = workspace.results + results_offset_[i];
        batch.results_stride = scorers_[i]->results().bytes();
        scorers_[i]->enqueue(*workspace.queue, batch);
        if (config_.wait_after[i]) workspace.queue->finish();
    }
    workspace.queue->download(workspace.host_results, 0, workspace.results, 0, {results_bytes_, 1});
}

// The pipeline's thread.
void DevicePipeline::collect() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] {
            return !at_work_.empty() || (failed_ && open_frames() > 0) ||
                   (closing_ && (open_frames() > 0 || begun_ == submitted_));
        });
        if (!at_work_.empty()) finish_batch(lock);
        if (failed_ && open_frames() > 0) { // they will never run: report them without results
            at_work_.push_back({begun_, open_frames(), nullptr});
            begun_ = ready_;
        } else if (may_start() && (open_frames() >= config_.batch || at_work_.size() < kBusyBatches)) {
            // Frames left waiting while the device was busy.
            try {
                const Device::Scope scope(*device_);
                start();
            } catch (...) {
                fail(std::current_exception());
            }
        } else if (closing_ && at_work_.empty() && begun_ == submitted_)
            return;
    }
}

// Waits for the oldest batch and delivers its results.
void DevicePipeline::finish_batch(std::unique_lock<std::mutex> &lock) {
    const Batch batch = at_work_.front();
    bool good = !failed_;
    lock.unlock();
    std::exception_ptr error;
    if (good) try {
            const TraceRange trace("collect", entries_[slot_of(batch.first)].index);
            batch.workspace->done->wait();
        } catch (...) {
            good = false;
            error = std::current_exception();
        }
    if (error) {
        lock.lock();
        fail(error);
        lock.unlock();
    }
    deliver(batch, good);
    lock.lock();
    at_work_.pop_front();
    collected_ += batch.count;
    changed_.notify_all();
}

void DevicePipeline::deliver(const Batch &batch, bool with_results) {
    std::fill(position_.begin(), position_.end(), 0);
    for (unsigned k = 0; k < batch.count; k++) {
        Entry &entry = entries_[slot_of(batch.first + k)];
        if (with_results) try {
                collect_results(entry, *batch.workspace);
            } catch (...) {
                receiver_.refused(*entry.frame, std::current_exception());
            }
        Frame &frame = *entry.frame;
        entry = Entry(); // releases the pictures
        receiver_.measured(frame);
    }
}

// The results of the next frame of a scorer.
DeviceResult DevicePipeline::next_result(const Entry &entry, std::size_t scorer, const Workspace &workspace) {
    const std::size_t at = results_offset_[scorer] + scorers_[scorer]->results().bytes() * position_[scorer]++;
    return {entry.index, workspace.host_results + at};
}

void DevicePipeline::collect_results(const Entry &entry, const Workspace &workspace) {
    std::array<DeviceResult, 64> results{};
    for (std::size_t i = 0; i < scorers_.size(); i++)
        if (entry.scorers >> i & 1) results[i] = next_result(entry, i, workspace);
    if (callers_ < scorers_.size()) check_samples(entry, results[callers_]);
    for (std::size_t i = 0; i < callers_; i++)
        if (entry.scorers >> i & 1) scorers_[i]->collect_family(results[i], receiver_.results_of(*entry.frame, i));
}

// Throws if the frame has samples above the bit depth, or looks back at a frame that has.
void DevicePipeline::check_samples(const Entry &entry, const DeviceResult &result) {
    const auto before = refused_;
    std::shift_right(refused_.begin(), refused_.end(), 1);
    refused_[0].reset();
    try {
        FrameResult nothing;
        scorers_[callers_]->collect(result, nothing);
    } catch (...) {
        refused_[0] = entry.index;
        throw;
    }
    for (std::size_t i = 0; i < callers_; i++)
        for (unsigned back = 0; back < config_.looks_back[i]; back++)
            if ((entry.scorers >> i & 1) && before[back])
                throw invalid("frame " + std::to_string(entry.index) + ": it is compared with frame " +
                              std::to_string(*before[back]) + ", which has samples above the bit depth");
}

} // namespace vmaf
