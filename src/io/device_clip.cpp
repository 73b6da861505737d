#include "io/device_clip.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "base/thread_group.hpp"
#include "device/picture_memory.hpp"
#include "io/frame_clock.hpp"
#include "io/surface_converter.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kCopyAlignment = 64; // of planes and rows copied to the device
constexpr std::size_t kInWork = 4;         // frames per decoder that kernels work on; each holds a surface
// Frames wait for those of earlier parts, using this share of the device's memory per clip.
constexpr std::uint64_t kShareOfMemory = 24, kLeastBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kFewFrames = 8, kManyFrames = 4096;
constexpr std::size_t kBlockBytes = std::size_t{64} << 20; // pictures are allocated in blocks
// Adds a decoder if the others would need this multiple of its start-up for the rest.
constexpr double kWorthwhile = 2, kUsualRate = 450; // frames per second of a decoder
constexpr int kMemoryTrials = 200;
constexpr auto kMemoryPause = std::chrono::milliseconds(10);

using Clock = std::chrono::steady_clock;

class DeviceClip final : public VideoClip {
  public:
    DeviceClip(std::unique_ptr<VideoParts> parts, std::shared_ptr<Device> device, const DeviceClipUse &use)
        : device_(std::move(device)), parts_(std::move(parts)), use_(use), converter_(*device_, use.output),
          pool_(use.output.picture, 0, memory_for(device_, use)), clock_(use.average_rate), times_(use.times),
          window_(window_for(device_->info(), use)) {
        const std::lock_guard lock(mutex_);
        add_decoder();
    }
    ~DeviceClip() override {
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = true;
            changed_.notify_all();
        }
        parts_->cancel(); // adds no more threads
    }
    DeviceClip(const DeviceClip &) = delete;
    DeviceClip &operator=(const DeviceClip &) = delete;

    std::optional<TimedFrame> next() override {
        for (;;) {
            std::optional<Ready> ready = take();
            if (!has_told_) tell();
            if (!ready) return std::nullopt;
            const std::int64_t time = clock_.next(ready->stamp);
            if (!ready->frame.picture) continue; // skipped
            ready->frame.time = times_.next(time);
            return std::move(ready->frame);
        }
    }

  private:
    struct Ready {
        TimedFrame frame; // has no picture if skipped
        std::optional<std::int64_t> stamp;
    };
    // The next frame of the file.
    std::optional<Ready> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ready_.contains(taken_) || failures_.contains(taken_) || active_ == 0; });
        const auto found = ready_.find(taken_);
        if (found == ready_.end()) {
            if (!failures_.empty()) std::rethrow_exception(failures_.begin()->second);
            if (!ready_.empty()) throw Error(EIO, "frame " + std::to_string(taken_) + " of " + use_.name + " is lost");
            return std::nullopt;
        }
        Ready ready = std::move(found->second);
        ready_.erase(found);
        taken_++;
        changed_.notify_all();
        return ready;
    }

    struct InWork {
        PartDecoder::Frame source;
        Picture picture;
        std::size_t place = 0; // index of its thumbnail, event and copy
    };
    // A thread's state.
    struct Decoding {
        explicit Decoding(DeviceClip &clip)
            : device(*clip.device_), queue(device.make_queue()), thumbnails(clip.converter_.make_thumbnails(kInWork)) {
            const Device::Scope scope(device);
            for (std::size_t i = 0; i < kInWork; i++) done.push_back(device.make_event());
            decoder = clip.parts_->make_decoder(queue->native());
        }
        ~Decoding() {
            try { // surfaces and pictures stay until kernels have finished
                const Device::Scope scope(device);
                queue->finish();
                in_work.clear();
                decoder.reset();
            } catch (const Error &) {
                // Already reported.
            }
        }
        Decoding(const Decoding &) = delete;
        Decoding &operator=(const Decoding &) = delete;

        Device &device;
        std::unique_ptr<Queue> queue;
        SurfaceConverter::Thumbnails thumbnails;
        std::vector<std::unique_ptr<Event>> done;
        std::array<std::unique_ptr<DeviceMemory>, kInWork> copies; // of frames decoded in host memory
        std::unique_ptr<PartDecoder> decoder;
        std::deque<InWork> in_work;
        std::uint64_t begun = 0;
        std::uint64_t at = 0; // the frame in progress
        bool has_begun = false;
    };

    static PictureMemory memory_for(const std::shared_ptr<Device> &device, const DeviceClipUse &use) {
        const auto bytes = static_cast<std::size_t>(device_picture_bytes(use.output.picture, use.has_chroma));
        PictureMemory memory = device_memory_in_blocks(
            device, Memory::device, std::clamp<std::size_t>(kBlockBytes / std::max<std::size_t>(bytes, 1), 1, 32));
        memory.luma_only = !use.has_chroma;
        return memory;
    }
    static std::uint64_t window_for(const DeviceInfo &info, const DeviceClipUse &use) {
        const std::uint64_t bytes = std::max(info.memory_bytes / kShareOfMemory, kLeastBytes);
        return std::clamp<std::uint64_t>(bytes / device_picture_bytes(use.output.picture, use.has_chroma), kFewFrames,
                                         kManyFrames);
    }

    // Repeats what failed for lack of memory, if some can be freed.
    template <class Action> auto with_memory(Action action) const {
        try {
            return action();
        } catch (const Error &e) {
            if (e.code() != ENOMEM || !use_.free_memory || !use_.free_memory()) throw;
        }
        return action();
    }

    // The caller holds the mutex. If the first decoder throws, the clip ends; otherwise there are fewer decoders.
    void add_decoder() {
        newest_begun_ = Clock::now();
        active_++;
        try {
            threads_.require("decode " + use_.name, [this] { work(); });
        } catch (...) {
            active_--;
            if (threads_.size() == 0) throw;
        }
    }

    // The newest decoder has output its first frame: adds another if the existing ones need much longer for the rest.
    // Drivers create decoders slowly and one at a time, so they are not all created at once.
    void consider_another(std::uint64_t number) {
        const std::lock_guard lock(mutex_);
        if (is_stopping_ || threads_.size() >= use_.decoders || active_ < threads_.size()) return; // no part was left
        const double start_up = std::chrono::duration<double>(Clock::now() - newest_begun_).count();
        const double most = static_cast<double>(use_.frames.value_or(std::numeric_limits<std::uint32_t>::max()));
        const double left = most - static_cast<double>(std::max(number, taken_ + ready_.size()));
        if (left > kWorthwhile * start_up * kUsualRate * static_cast<double>(threads_.size())) add_decoder();
    }

    void work() noexcept {
        std::exception_ptr error;
        std::uint64_t at = 0;
        {
            std::unique_ptr<Decoding> own;
            try {
                own = with_memory([this] { return std::make_unique<Decoding>(*this); });
                decode(*own);
            } catch (...) {
                error = std::current_exception();
                if (own) at = own->at;
                try { // earlier frames are good
                    if (own) hand_over(*own, 0);
                } catch (...) {
                    if (!own->in_work.empty()) at = own->in_work.front().source.number;
                }
            }
        }
        const std::lock_guard lock(mutex_);
        if (error && !is_stopping_) failures_.emplace(std::max(at, taken_), error);
        active_--;
        changed_.notify_all();
    }

    void decode(Decoding &own) {
        const Device::Scope scope(*device_);
        try {
            own.decoder->decode([&](PartDecoder::Frame frame) { return take_in(own, std::move(frame)); });
        } catch (...) {
            own.at = std::max(own.at, own.decoder->position());
            throw;
        }
        hand_over(own, 0);
    }

    // False once frames are no longer wanted.
    bool take_in(Decoding &own, PartDecoder::Frame frame) {
        own.at = frame.number;
        if (!std::exchange(own.has_begun, true)) consider_another(frame.number);
        if (frame.number < use_.skip) {
            deliver(frame.number, {{}, frame.stamp});
            return true;
        }
        Picture picture = fetch(own, frame.number);
        if (!picture) return false;
        hand_over(own, kInWork - 1);
        own.in_work.push_back({std::move(frame), std::move(picture), static_cast<std::size_t>(own.begun++ % kInWork)});
        const InWork &newest = own.in_work.back();
        converter_.enqueue(*own.queue, surface_of(own, newest), newest.picture, own.thumbnails, newest.place);
        own.queue->record(*own.done[newest.place]);
        return true;
    }

    // Where kernels read a frame: where it was decoded, or a copy of the planes that the picture needs.
    DeviceSurface surface_of(Decoding &own, const InWork &frame) const {
        DeviceSurface surface = frame.source.surface;
        if (!surface.on_host[0].rows) return surface;
        std::array<std::size_t, 3> offset{}, pitch{};
        std::array<bool, 3> is_copied{};
        std::size_t bytes = 0;
        for (std::size_t c = 0; c < 3 && frame.picture.data(static_cast<unsigned>(c)); c++) {
            const HostPlane &plane = surface.on_host[c];
            is_copied[c] = c == 0 || plane.first != surface.on_host[c - 1].first; // chroma may share one
            offset[c] = is_copied[c] ? bytes : offset[c - 1];
            pitch[c] = round_up(plane.row_bytes, kCopyAlignment);
            if (is_copied[c]) bytes += round_up(pitch[c] * plane.rows, kCopyAlignment);
        }
        std::unique_ptr<DeviceMemory> &copy = own.copies[frame.place];
        if (!copy || copy->size() < bytes) copy = with_memory([&] { return device_->allocate(bytes); });
        for (std::size_t c = 0; c < 3 && frame.picture.data(static_cast<unsigned>(c)); c++) {
            const HostPlane &plane = surface.on_host[c];
            std::byte *const to = copy->data() + offset[c];
            const auto there = static_cast<std::ptrdiff_t>(pitch[c]), here = static_cast<std::ptrdiff_t>(plane.pitch);
            if (is_copied[c]) own.queue->upload(to, there, plane.first, here, {plane.row_bytes, plane.rows});
            ComponentView &view = surface.components[c];
            const std::ptrdiff_t at = view.first - plane.first;
            view.first = to + at / here * there + at % here;
            view.down = view.down < 0 ? -there : there;
        }
        return surface;
    }

    // A picture for a frame, once it is close enough to the awaited one. Empty if no longer wanted.
    Picture fetch(Decoding &own, std::uint64_t number) {
        std::unique_lock lock(mutex_);
        for (int trial = 0;; trial++) {
            const auto may_go_on = [&] { return is_stopping_ || number < taken_ + window_; };
            if (!may_go_on()) {
                lock.unlock();
                hand_over(own, 0); // may be the awaited one
                lock.lock();
                changed_.wait(lock, may_go_on);
            }
            if (is_stopping_) return {};
            lock.unlock();
            try {
                return pool_.fetch_or_add();
            } catch (const Error &e) {
                if (e.code() != ENOMEM) throw;
                const bool has_more = use_.free_memory && use_.free_memory();
                if (!has_more && pool_.size() == 0) throw;
                hand_over(own, 0);
                lock.lock();
                if (has_more) continue;
                // Pictures return; the awaited frame goes first, those far ahead later.
                window_ = std::max(kFewFrames, std::min<std::uint64_t>(window_, pool_.size()) / 2);
                if (number == taken_ && trial >= kMemoryTrials) throw;
                changed_.wait_for(lock, kMemoryPause, [&] { return is_stopping_; });
            }
        }
    }

    // Waits for the oldest frames in progress until `left` remain, and hands them over.
    void hand_over(Decoding &own, std::size_t left) {
        while (own.in_work.size() > left) {
            InWork &oldest = own.in_work.front();
            own.done[oldest.place]->wait();
            Ready ready{{oldest.picture, 0, converter_.signature(own.thumbnails, oldest.place)}, oldest.source.stamp};
            const std::uint64_t number = oldest.source.number;
            own.in_work.pop_front(); // releases the surface
            deliver(number, std::move(ready));
        }
    }
    void deliver(std::uint64_t number, Ready ready) {
        const std::lock_guard lock(mutex_);
        ready_.emplace(number, std::move(ready));
        changed_.notify_all();
    }

    void tell() {
        const std::string remark = parts_->remark();
        if (remark.empty()) return;
        has_told_ = true;
        log(LogLevel::info, remark);
    }

    std::shared_ptr<Device> device_;
    std::unique_ptr<VideoParts> parts_;
    const DeviceClipUse use_;
    SurfaceConverter converter_;
    PicturePool pool_;
    FrameClock clock_;
    ClipTimes times_;
    bool has_told_ = false;

    std::mutex mutex_;
    std::condition_variable changed_;
    Clock::time_point newest_begun_;
    std::uint64_t window_; // frames ahead of the awaited one
    std::uint64_t taken_ = 0;
    unsigned active_ = 0;
    bool is_stopping_ = false;
    std::map<std::uint64_t, Ready> ready_;
    std::map<std::uint64_t, std::exception_ptr> failures_; // by the frame that failed
    ThreadGroup threads_;                                  // last: uses everything above
};

} // namespace

std::uint64_t device_picture_bytes(const PictureFormat &format, bool has_chroma) {
    const HostLayout layout = host_layout(format);
    return has_chroma ? layout.bytes : layout.stride[0] * format.height;
}

std::unique_ptr<VideoClip> make_device_clip(std::unique_ptr<VideoParts> parts, std::shared_ptr<Device> device,
                                            const DeviceClipUse &use) {
    return std::make_unique<DeviceClip>(std::move(parts), std::move(device), use);
}

} // namespace vmaf
