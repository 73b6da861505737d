#include "session/session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "metrics/registry.hpp"
#include "picture/pool.hpp"
#include "session/callback_scope.hpp"
#include "session/device_stage.hpp"
#include "session/frame_numbers.hpp"
#include "session/metric_family.hpp"
#include "session/metric_slot.hpp"
#include "session/predictions.hpp"
#include "session/ring.hpp"
#include "session/sample_check.hpp"
#include "session/worker_pool.hpp"
#include "system/log.hpp"
#include "system/program.hpp"

namespace vmaf {

namespace {

// Pictures of the caller that are kept between calls: a pool of four leaves it two for the next pair (c-api.md 6.3).
constexpr unsigned kMostKept = 2;

constexpr unsigned kFewestCopiers = 2, kMostCopiers = 4; // threads that copy pictures for a device

constexpr std::uint64_t kMostTinySamples = 32 * 32; // of luma, in a frame that is not worth a thread

struct Pair {
    Picture ref, dist;
};

// A pair of pictures on its way through the metrics.
struct Frame {
    unsigned index = 0;
    Picture ref, dist;
    std::array<Picture, 2> earlier_ref, earlier_dist;
    std::vector<MetricSlot *> slots; // those that score this frame, in order of registration
    struct Part {
        MetricFamily *family;
        std::size_t first; // of its results
    };
    std::vector<Part> parts; // work for the CPU
    std::vector<FrameResult> results;
    std::vector<std::size_t> result_of_slot;         // by place in `slots`
    std::shared_ptr<const LocalScores::Areas> areas; // null: no local scores are wanted
    std::vector<double> local_figures;
    std::vector<std::size_t> result_of_scorer; // where results from the device go, by scorer
    std::atomic<std::size_t> unmeasured{0};    // results that are still to come; all those from the device count as one
    std::atomic<bool> failed{false};           // a metric could not measure it; it has no scores
    bool measured = false;                     // guarded by the session's mutex

    void release_pictures() {
        ref = dist = Picture();
        earlier_ref.fill({});
        earlier_dist.fill({});
    }
};

} // namespace

class Session::Impl final : public DevicePipeline::Receiver {
  public:
    explicit Impl(const SessionConfig &config)
        : config_(config), isa_(best_isa(config.cpumask)), pool_(system::has_threads() ? config.threads : 0),
          max_in_flight_(config.threads + (config.threads > 1 ? 2 : 1)) {} // one to start with, one that waits its turn

    ~Impl() override {
        drain();
        device_.reset(); // its thread may still be on the way out of finish()
    }

    void use_device(const DeviceChoice &choice) {
        refuse_inside_handler();
        if (device_) throw invalid("a session works with one device; it has one already");
        check_wish(wish_, &choice.device->info());
        device_ = std::make_unique<DeviceStage>(choice, *this);
    }

    // Everything that was asked for so far, and this.
    BackendWish with(const BackendWish &wish) const {
        BackendWish all = wish_;
        all.add(wish);
        if (all == wish_) return all;
        if (format_ && !device_ && all.needs_device())
            throw invalid("turbo.backend comes too late: a backend is chosen before the first pictures");
        check_wish(all, device_ ? &device_->device().info() : nullptr);
        return all;
    }

    // Throws where there is no such backend, or another one was given.
    static void check_wish(const BackendWish &wish, const DeviceInfo *device) {
        if (!device || wish.empty()) return wish.check();
        if ((!wish.is_auto() && wish.backend != device->backend) || (wish.device && *wish.device != device->index))
            throw invalid("turbo.backend=" + wish.backend + " contradicts the " + device->backend + " device " +
                          std::to_string(device->index) + " that the program has chosen");
    }

    // The backend whose pinned features may be registered with such options. Wishes that cannot be met are left to who
    // registers them.
    std::string active_backend(OptionTexts options) const {
        if (device_) return std::string(device_->backend());
        try {
            const BackendWish wish = with(BackendWish::take_from(options));
            if (wish.needs_device()) return wish.backend;
        } catch (const Error &) {
        }
        return "cpu";
    }

    // Not before there are pictures: programs make contexts that they never use.
    void start_wished_device() {
        if (device_ || format_ || !wish_.needs_device()) return;
        std::shared_ptr<Device> device = open_wished_device(wish_);
        if (!device) return;
        log(LogLevel::info, "computing on " + device->info().backend + " device " +
                                std::to_string(device->info().index) + ": " + device->info().name);
        device_ = std::make_unique<DeviceStage>(DeviceChoice{std::move(device), !wish_.is_auto()}, *this);
        if (!config_.gpumask)
            for (const auto &slot : slots_) slot->allow_device();
    }

    // `auto` goes on without a device that cannot do what is wanted.
    void prepare_device(const PictureFormat &format, const std::vector<DeviceStage::Candidate> &candidates) try {
        device_->prepare(format, candidates);
        max_in_flight_ = std::max<std::size_t>(max_in_flight_, device_->frames_in_flight());
    } catch (const Error &e) {
        if (!wish_.is_auto()) throw;
        log(LogLevel::info, std::string(device_->backend()) + " not usable: " + e.brief() + "; using cpu");
        device_.reset();
    }

    using Slots = std::vector<std::unique_ptr<MetricSlot>>;

    std::unique_ptr<MetricSlot> make_slot(const MetricInfo &info, const OptionTexts &options, bool pinned) const {
        if (pinned && device_ && device_->prepared())
            throw invalid("feature '" + std::string(info.name) + "_" + std::string(device_->backend()) +
                          "' comes too late: metrics of a device are registered before the first pictures");
        // With a gpumask only features that ask for the device by name run there (backends.md 4.3).
        const auto place = pinned                        ? MetricSlot::Place::pinned
                           : device_ && !config_.gpumask ? MetricSlot::Place::device
                                                         : MetricSlot::Place::cpu;
        return std::make_unique<MetricSlot>(info, options, place);
    }

    // All of them, but for those that are there already, or none.
    void add(Slots slots) {
        refuse_inside_handler();
        Slots added;
        std::vector<MetricSlot *> pinned; // that were there already, but might have run elsewhere
        for (auto &slot : slots) {
            const auto same = [&](const auto &known) { return known->identity() == slot->identity(); };
            if (const auto known = std::find_if(slots_.begin(), slots_.end(), same); known != slots_.end()) {
                if (slot->place() == MetricSlot::Place::pinned) pinned.push_back(known->get());
                continue;
            }
            if (std::any_of(added.begin(), added.end(), same)) continue;
            if (format_) slot->take(slot->make_prepared(*format_));
            slot->is_late = frames_given_ > 0;
            added.push_back(std::move(slot));
        }
        std::vector<std::unique_ptr<MetricFamily>> families; // late slots are measured by themselves
        if (format_)
            for (const auto &slot : added) families.push_back(std::make_unique<MetricFamily>(*slot));
        std::lock_guard lock(mutex_);
        slots_.reserve(slots_.size() + added.size());
        families_.reserve(families_.size() + families.size());
        for (std::size_t i = 0; i < families.size(); i++) {
            added[i]->family = families[i].get();
            families_.push_back(std::move(families[i]));
        }
        for (MetricSlot *const slot : pinned) slot->pin();
        for (auto &slot : added) slots_.push_back(std::move(slot));
    }

    // Of the slots that run on the CPU.
    void form_families() {
        for (const auto &slot : slots_) {
            if (device_ && device_->scorer_of(*slot)) continue;
            auto family = std::find_if(families_.begin(), families_.end(),
                                       [&](auto &f) { return !local_ && f->takes(*slot); }); // tiles are for one metric
            if (family == families_.end())
                family = families_.insert(family, std::make_unique<MetricFamily>(*slot));
            else
                (*family)->add(*slot);
            slot->family = family->get();
            slot->place_in_family = slot->family->members().size() - 1;
        }
    }

    // All slots or none.
    void prepare(const PictureFormat &format) {
        check_format_is_kept(format);
        if (format_) return; // slots that came later were prepared when they came
        start_wished_device();
        std::vector<std::unique_ptr<Metric>> metrics;
        std::vector<DeviceStage::Candidate> candidates;
        for (const auto &slot : slots_) {
            metrics.push_back(slot->make_prepared(format));
            candidates.push_back({slot.get(), metrics.back().get()});
        }
        if (device_) prepare_device(format, candidates);
        std::unique_ptr<LocalScores> local;
        if (local_config_) {
            if (device_) throw invalid("maps and regions are measured on the CPU only; with them use --backend cpu");
            local = std::make_unique<LocalScores>(*local_config_, format, slots_);
        }
        for (std::size_t i = 0; i < slots_.size(); i++) slots_[i]->take(std::move(metrics[i]));
        local_ = std::move(local);
        form_families();
        format_ = format;
    }

    void use_local_scores(LocalConfig config) {
        if (format_) throw invalid("maps and regions come too late: they are chosen before the first pictures");
        local_config_ = std::move(config);
    }

    void read(Picture ref, Picture dist, unsigned index) {
        refuse_inside_handler();
        if (flushed_) throw invalid("pictures cannot be given after the flush");
        report_errors();
        check_pair(ref, dist);
        std::unique_ptr<Frame> frame = fresh_frame();
        frame->index = index;
        choose_slots(*frame);
        check_number(*frame);
        if (device_ || wish_.needs_device()) prepare(ref.format()); // says which metrics run where
        const Pair given{std::move(ref), std::move(dist)}, on_host = pair_on_host(*frame, given);
        if (!check_samples(*frame, on_host)) return;
        prepare(given.ref.format());
        start(std::move(frame), given, on_host);
        if (is_synchronous()) report_errors();
    }

    void flush() {
        refuse_inside_handler();
        if (flushed_) throw invalid("the session was flushed before");
        drain();
        report_errors();
        for (const auto &slot : slots_)
            if (slot->frames_seen == 0)
                throw invalid("feature '" + slot->identity() +
                              "' has scored no pictures; none were given, or none fit");
        const TraceRange trace("flush");
        for (const auto &slot : slots_)
            if (slot->emitted()) slot->flush(last_scores_);
        scores.append(last_scores_.scores, last_scores_.aggregates);
        if (local_) local_->hand_out(scores);
        earlier_ref_.fill({});
        earlier_dist_.fill({});
        flushed_ = true;
    }

    void wait() {
        drain();
        report_errors();
    }

    void import_score(std::string_view name, unsigned index, double value) {
        {
            std::lock_guard lock(mutex_);
            if (numbers_.contains(index) &&
                std::any_of(slots_.begin(), slots_.end(), [&](const auto &slot) { return slot->provides(name); }))
                throw already_scored(name, index);
        }
        scores.append(name, index, value);
    }

    // Waits until every frame given so far has been measured and emitted; not for those that another thread gives
    // meanwhile. A handler that asks for scores is itself part of a frame in work and waits for nothing.
    void drain() {
        if (is_inside_handler()) return;
        std::unique_lock lock(mutex_);
        frame_done_.wait(lock, [&, given = frames_given_] { return frames_emitted_ >= given; });
    }

    unsigned step() const { return std::max(1u, config_.subsample); }

    // What a listener is told, and what follows from it: registered models are tried at `index` each time a score
    // arrives (models.md 6.5). Scores are stored by then; whatever happens here does not undo that.
    void tell(const auto &handler, const std::string &name, unsigned index, double value) noexcept {
        try {
            {
                const CallbackScope scope(this);
                handler(name, index, value);
            }
            predictions.try_mounted(name, index);
        } catch (const Error &e) {
            log(LogLevel::warning, e.what()); // asking for the score says it again
        } catch (...) {
            fail(std::current_exception());
        }
    }

    bool is_inside_handler() const { return CallbackScope::is_inside(this); }

    ScoreCollector scores;
    Predictions predictions{scores};
    std::optional<LocalConfig> local_config_;
    std::unique_ptr<LocalScores> local_;
    Slots slots_; // changed by the thread that registers, with the mutex
    std::vector<std::unique_ptr<MetricFamily>> families_;
    SessionConfig config_;
    Isa isa_;
    BackendWish wish_;
    std::unique_ptr<DeviceStage> device_;
    unsigned pictures_offered_ = 0, width_ = 0, height_ = 0;
    bool flushed_ = false;

  private:
    static std::string describe(const PictureFormat &f) {
        return std::to_string(f.width) + "x" + std::to_string(f.height) + " " + to_string(f.pixel_format) + " " +
               std::to_string(f.bits) + " bit";
    }

    static Error already_scored(std::string_view name, unsigned index) {
        const std::string sentence =
            "feature \"" + std::string(name) + "\" cannot be overwritten at index " + std::to_string(index);
        log(LogLevel::warning, sentence);
        return invalid(sentence);
    }

    // Everything happens inside read(), whose errors are those of its own frame.
    // Handing frames of a few samples to a thread takes longer than measuring them.
    bool is_tiny() const { return format_ && format_->width * std::uint64_t{format_->height} <= kMostTinySamples; }
    bool is_synchronous() const { return (config_.threads == 0 || is_tiny()) && !device_; }

    void refuse_inside_handler() const {
        if (is_inside_handler())
            throw invalid(
                "this cannot be done from inside a callback of the same context, which would wait for itself; "
                "let the callback return first");
    }

    void check_format_is_kept(const PictureFormat &format) const {
        if (format_ && *format_ != format)
            throw invalid("all pictures of a run must have one size, format and depth; the first pair was " +
                          describe(*format_) + ", now " + describe(format));
    }

    void check_pair(const Picture &ref, const Picture &dist) const {
        if (!(ref.format() == dist.format()))
            throw invalid("the reference picture is " + describe(ref.format()) + ", the distorted one " +
                          describe(dist.format()) + "; they must be alike");
        if ((ref.memory() == Memory::device) != (dist.memory() == Memory::device))
            throw invalid("one picture is on a device, the other is not; they must be alike");
        if (ref.memory() == Memory::device && !device_) throw invalid("device pictures need an active device backend");
        check_format_is_kept(ref.format());
    }

    // Metrics that look at the frame. Those that came late and look back first let pictures pass by to look back at.
    void choose_slots(Frame &frame) const {
        frame.slots.clear();
        for (const auto &slot : slots_) {
            const History h = slot->history();
            if (slot->is_late && slot->frames_seen < std::max(h.ref, h.dist)) continue;
            if (slot->info().every_frame || frame.index % step() == 0) frame.slots.push_back(slot.get());
        }
    }

    // Refuses what would go wrong later: numbers that have scores, and those that leave a metric without a picture to
    // look back at.
    void check_number(const Frame &frame) const {
        const unsigned index = frame.index;
        if (index > kMaxFrameNumber) throw invalid("frame number " + std::to_string(index) + " is too large");
        if (!frame.slots.empty() && numbers_.contains(index))
            throw invalid("frame " + std::to_string(index) + " was given before; its scores cannot be overwritten");
        for (const MetricSlot *slot : frame.slots) {
            const History h = slot->history();
            if (h.from_zero && !slot->is_late && index >= h.ref && slot->frames_seen < h.ref)
                throw invalid(slot->identity() + ": frame " + std::to_string(index) +
                              " has no earlier frame to compare with; frames are counted from 0");
            if ((h.ref || h.dist) && last_number_ && index < *last_number_)
                throw invalid(slot->identity() + ": frame " + std::to_string(index) + " comes after frame " +
                              std::to_string(*last_number_) + "; metrics that look back take frames in order");
            for (const auto &[provided, stored] : slot->stored_names())
                if (scores.find(stored, index)) throw already_scored(stored, index);
        }
    }

    // For metrics that run on the CPU, now or looking back; without samples if there are none.
    Pair pair_on_host(const Frame &frame, const Pair &pair) const {
        if (pair.ref.memory() != Memory::device) return pair;
        const bool is_read = std::any_of(frame.slots.begin(), frame.slots.end(),
                                         [&](const MetricSlot *slot) { return !device_->scorer_of(*slot); });
        const History kept = history_on_cpu();
        if (!is_read && !kept.ref && !kept.dist) return {};
        return {device_->download(pair.ref), device_->download(pair.dist)};
    }

    // Planes that metrics on the CPU read; a device looks at its own itself. False: the frame has samples that no
    // metric must see, which a later call reports. Throws where it is this one.
    bool check_samples(const Frame &frame, const Pair &pair) {
        PlanesRead planes{0, 0};
        for (const MetricSlot *slot : frame.slots) {
            if (device_ && device_->scorer_of(*slot)) continue;
            const PlanesRead read = slot->planes_read();
            planes.ref |= read.ref;
            planes.dist |= read.dist;
        }
        if (!planes.ref && !planes.dist) return true;
        try {
            require_samples_in_range(pair.ref, planes.ref, SampleOwner::reference, frame.index, isa_, pool_);
            require_samples_in_range(pair.dist, planes.dist, SampleOwner::distorted, frame.index, isa_, pool_);
            return true;
        } catch (const Error &) {
            if (is_synchronous()) throw;
            fail(std::current_exception());
            pictures_offered_++;
            return false;
        }
    }

    // Up to a point everything may throw and nothing has changed; behind it nothing throws, so that no frame is lost
    // that somebody waits for.
    void start(std::unique_ptr<Frame> owned, const Pair &given, Pair on_host) {
        Frame *const frame = owned.get();
        const std::uint32_t device_scorers = assign_scorers(*frame);
        const std::size_t jobs = frame->parts.size();
        const History kept = history_on_cpu();
        const PictureFormat format = given.ref.format();
        frame->earlier_ref = earlier_ref_;
        frame->earlier_dist = earlier_dist_;
        const Picture kept_dist = kept.ref + kept.dist > kMostKept ? copy_of(on_host.dist) : on_host.dist;
        const Picture kept_ref = on_host.ref;
        if (jobs > 0) {
            frame->ref = std::move(on_host.ref);
            frame->dist = std::move(on_host.dist);
        }
        frame->areas = local_ && frame->index % step() == 0 ? local_->areas_at(frame->index) : nullptr;
        frame->failed = false;
        frame->measured = false;
        frame->unmeasured = jobs + (device_scorers ? 1 : 0);
        const bool measured = is_synchronous();
        if (measured) // errors are those of this call
            for (const Frame::Part &part : frame->parts) measure_part(*frame, part);
        pool_.reserve(jobs);
        if (device_scorers) copiers(given.ref.memory()).reserve(1);
        {
            std::unique_lock lock(mutex_);
            frame_done_.wait(lock, [&] { return in_flight_.size() < max_in_flight_; });
            in_flight_.reserve(max_in_flight_);
            idle_frames_.reserve(max_in_flight_ + 1);
            if (!frame->slots.empty()) numbers_.insert(frame->index);
            in_flight_.push_back(std::move(owned));
            frames_given_++;
        }
        keep(earlier_ref_, kept_ref, kept.ref);
        keep(earlier_dist_, kept_dist, kept.dist);
        for (const auto &slot : slots_)
            if (slot->info().every_frame || frame->index % step() == 0) slot->frames_seen++;
        last_number_ = std::max(last_number_.value_or(0), frame->index);
        pictures_offered_++;
        width_ = format.width;
        height_ = format.height;
        if (measured || frame->unmeasured == 0) return finish(*frame);
        submit(*frame, device_scorers, given);
    }

    // The frame may be gone when the last of its jobs is queued.
    void submit(Frame &frame, std::uint32_t device_scorers, const Pair &pair) {
        const std::size_t parts = frame.parts.size();
        if (device_scorers)
            device_->pipeline()->submit(&frame, frame.index, pair.ref, pair.dist, device_scorers,
                                        copiers(pair.ref.memory()));
        for (std::size_t part = 0; part < parts; part++)
            pool_.submit({[](void *self, void *item, std::size_t i) {
                              static_cast<Impl *>(self)->measure(*static_cast<Frame *>(item), i);
                          },
                          this, &frame, part});
    }

    // Who copies pictures for the device. One thread cannot keep up with it.
    WorkerPool &copiers(Memory memory) {
        if (config_.threads >= kFewestCopiers || memory != Memory::host) return pool_;
        if (!copiers_)
            copiers_ =
                std::make_unique<WorkerPool>(std::clamp(system::usable_processors() / 4, kFewestCopiers, kMostCopiers));
        return *copiers_;
    }

    // Which of the device's scorers run on a frame, one bit each; the others are parts for the CPU.
    std::uint32_t assign_scorers(Frame &frame) const {
        const bool has_pipeline = device_ && device_->pipeline();
        std::uint32_t scorers = 0;
        std::size_t results = 0;
        frame.parts.clear();
        frame.result_of_slot.clear();
        if (has_pipeline) frame.result_of_scorer.resize(device_->scorers());
        for (const MetricSlot *slot : frame.slots)
            if (const auto scorer = has_pipeline ? device_->scorer_of(*slot) : std::nullopt) {
                scorers |= 1u << *scorer;
                frame.result_of_scorer[*scorer] = results;
                frame.result_of_slot.push_back(results++);
            } else {
                frame.result_of_slot.push_back(part_of(*slot->family, frame, results).first + slot->place_in_family);
            }
        frame.results.resize(results);
        return scorers;
    }

    // The members of a family score the same frames: the first brings in all.
    static Frame::Part part_of(MetricFamily &family, Frame &frame, std::size_t &results) {
        for (const Frame::Part &part : frame.parts)
            if (part.family == &family) return part;
        frame.parts.push_back({&family, results});
        results += family.members().size();
        return frame.parts.back();
    }

    FrameResult &result_of(void *frame, std::size_t scorer) override {
        Frame &f = *static_cast<Frame *>(frame);
        return f.results[f.result_of_scorer[scorer]];
    }
    void refused(void *frame, std::exception_ptr error) override {
        refuse(*static_cast<Frame *>(frame), std::move(error));
    }
    void measured(void *frame) override {
        Frame &f = *static_cast<Frame *>(frame);
        if (--f.unmeasured == 0) finish(f);
    }
    // A device that has failed stays so, and with it the session.
    void failed(std::exception_ptr error) override {
        fail(std::move(error));
        device_failed_ = true;
    }

    // How far metrics that run on the CPU look back. The pipeline keeps what it looks back at itself.
    History history_on_cpu() const {
        History wanted;
        for (const auto &slot : slots_) {
            if (device_ && device_->scorer_of(*slot)) continue;
            const History h = slot->history();
            wanted.ref = std::max(wanted.ref, h.ref);
            wanted.dist = std::max(wanted.dist, h.dist);
        }
        return wanted;
    }

    // Keeps the pictures that the next frames will want to look back at, and no others.
    static void keep(std::array<Picture, 2> &kept, const Picture &picture, unsigned count) noexcept {
        kept[1] = count > 1 ? std::move(kept[0]) : Picture();
        kept[0] = count > 0 ? picture : Picture();
    }

    Picture copy_of(const Picture &picture) {
        if (!copies_) copies_ = std::make_unique<PicturePool>(picture.format(), 0);
        Picture copy = copies_->fetch_or_add();
        const PictureFormat &f = picture.format();
        for (unsigned p = 0; p < f.planes(); p++)
            for (unsigned y = 0; y < f.plane_height(p) && picture.data(p); y++)
                std::memcpy(copy.data(p) + std::ptrdiff_t(y) * copy.stride_bytes(p),
                            picture.data(p) + std::ptrdiff_t(y) * picture.stride_bytes(p),
                            std::size_t{f.plane_width(p)} * f.bytes_per_sample());
        return copy;
    }

    void measure_part(Frame &frame, const Frame::Part &part) {
        const auto pointer = [](const Picture &p) { return p ? &p : nullptr; };
        FrameInput input{frame.index, frame.ref, frame.dist, {}, {}, pool_};
        for (std::size_t k = 0; k < 2; k++) {
            input.earlier_ref[k] = pointer(frame.earlier_ref[k]);
            input.earlier_dist[k] = pointer(frame.earlier_dist[k]);
        }
        if (frame.areas && local_->needs(*part.family->members().front())) input.tiles = &frame.areas->grid;
        const std::span results(frame.results);
        part.family->measure(input, results.subspan(part.first, part.family->members().size()), isa_);
    }

    void measure(Frame &frame, std::size_t i) noexcept {
        if (!frame.failed && !device_failed_) {
            try {
                measure_part(frame, frame.parts[i]);
            } catch (...) {
                refuse(frame, std::current_exception());
            }
        }
        if (--frame.unmeasured == 0) finish(frame);
    }

    // The last metric of a frame is done: emits this frame and those behind it that waited for it.
    void finish(Frame &frame) noexcept {
        frame.release_pictures();
        measure_areas(frame);
        std::unique_lock lock(mutex_);
        frame.measured = true;
        if (emitting_) return; // another thread is at it and will see this frame
        emitting_ = true;
        while (!in_flight_.empty() && in_flight_.front()->measured) {
            Frame &head = *in_flight_.front();
            lock.unlock();
            if (!head.failed && !device_failed_) emit(head);
            lock.lock();
            idle_frames_.push_back(in_flight_.pop_front()); // room was made in start()
            frames_emitted_++;
            frame_done_.notify_all();
        }
        emitting_ = false;
    }

    void measure_areas(Frame &frame) noexcept {
        if (!frame.areas || frame.failed || device_failed_) return;
        try {
            local_->measure(*frame.areas, frame.slots, frame.results, frame.result_of_slot, frame.local_figures);
        } catch (...) {
            refuse(frame, std::current_exception());
        }
    }

    void emit(Frame &frame) noexcept {
        try {
            new_scores_.clear();
            for (std::size_t i = 0; i < frame.slots.size(); i++)
                frame.slots[i]->emit(frame.index, frame.results[frame.result_of_slot[i]], new_scores_);
            scores.append(new_scores_.scores, new_scores_.aggregates);
            if (frame.areas) local_->add(frame.index, std::move(frame.areas), frame.local_figures);
            if (local_) local_->hand_out(scores);
        } catch (...) {
            fail(std::current_exception());
        }
    }

    std::unique_ptr<Frame> fresh_frame() {
        std::lock_guard lock(mutex_);
        if (idle_frames_.empty()) return std::make_unique<Frame>();
        std::unique_ptr<Frame> frame = std::move(idle_frames_.back());
        idle_frames_.pop_back();
        return frame;
    }

    void refuse(Frame &frame, std::exception_ptr error) noexcept {
        if (!frame.failed.exchange(true)) fail(std::move(error));
    }

    void fail(std::exception_ptr error) noexcept {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
    }

    // The first error since the last report, once.
    void report_errors() {
        std::lock_guard lock(mutex_);
        if (!error_) return;
        const std::exception_ptr error = error_;
        if (!device_failed_) error_ = nullptr;
        std::rethrow_exception(error);
    }

    std::optional<PictureFormat> format_;
    std::array<Picture, 2> earlier_ref_, earlier_dist_;
    std::unique_ptr<PicturePool> copies_;
    std::optional<unsigned> last_number_; // the largest
    NewScores new_scores_;                // of the frame that is being emitted
    NewScores last_scores_;               // of the flush

    std::mutex mutex_;
    std::condition_variable frame_done_;
    FrameNumbers numbers_;                   // that have scores, or will have
    Ring<std::unique_ptr<Frame>> in_flight_; // in the order given
    std::vector<std::unique_ptr<Frame>> idle_frames_;
    std::uint64_t frames_given_ = 0, frames_emitted_ = 0;
    bool emitting_ = false; // some thread does
    std::exception_ptr error_;
    std::atomic<bool> device_failed_{false};
    WorkerPool pool_;
    std::unique_ptr<WorkerPool> copiers_; // made with the first pictures that need it
    std::size_t max_in_flight_;
};

Session::Session(const SessionConfig &config) : impl_(std::make_unique<Impl>(config)) {}
Session::~Session() = default;

void Session::use_device(const DeviceChoice &choice) { impl_->use_device(choice); }
void Session::wish(const BackendWish &wish) { impl_->wish_ = impl_->with(wish); }
const BackendWish &Session::wish() const { return impl_->wish_; }
void Session::start_device() { impl_->start_wished_device(); }
std::shared_ptr<Device> Session::shared_device() const {
    return impl_->device_ ? impl_->device_->shared_device() : nullptr;
}
Device *Session::device() const { return impl_->device_ ? &impl_->device_->device() : nullptr; }
std::string_view Session::backend_used() const {
    return impl_->device_ && impl_->device_->has_scored() ? impl_->device_->backend() : "cpu";
}

std::vector<std::pair<std::string, std::string>> Session::feature_backends() const {
    const DeviceStage *const device = impl_->device_.get();
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto &slot : impl_->slots_) {
        const std::string name(slot->info().name);
        if (const std::string backend(device ? device->backend() : ""); device && device->scorer_of(*slot))
            out.emplace_back(name + "_" + backend, backend);
        else
            out.emplace_back(name, "cpu");
    }
    return out;
}

std::vector<std::string> Session::features_off_device() const {
    const DeviceStage *const device = impl_->device_.get();
    std::vector<std::string> names;
    for (const auto &slot : impl_->slots_)
        if (device && !device->scorer_of(*slot)) names.emplace_back(slot->info().name);
    return names;
}

bool Session::reads_chroma() const {
    const DeviceStage *const device = impl_->device_.get();
    if (device && device->pipeline() && device->pipeline()->planes() > 1) return true;
    return std::any_of(impl_->slots_.begin(), impl_->slots_.end(),
                       [&](const auto &slot) { return slot->reads_chroma() && !(device && device->scorer_of(*slot)); });
}

ExtractorName Session::find_extractor(std::string_view extractor, const OptionTexts &options) const {
    const std::string active = impl_->active_backend(options);
    ExtractorName name = parse_extractor_name(extractor, active);
    if (!name.backend.empty() && name.backend != active)
        throw invalid("feature '" + std::string(extractor) + "' is pinned to " + name.backend +
                      " backend, which is not active");
    if (!name.info)
        throw invalid("there is no feature extractor '" + std::string(extractor) +
                      "'; `vmaf --list_features` shows those there are");
    return name;
}

void Session::use_feature(std::string_view extractor, const OptionTexts &options) {
    const ExtractorName name = find_extractor(extractor, options);
    OptionTexts own = options;
    BackendWish wish = impl_->with(BackendWish::take_from(own));
    for (const std::string &option : unknown_options(name.info->options, own))
        log(LogLevel::warning,
            "feature '" + std::string(extractor) + "' has no option '" + option + "'; it is ignored");
    Impl::Slots slots;
    slots.push_back(impl_->make_slot(*name.info, own, !name.backend.empty()));
    impl_->add(std::move(slots));
    impl_->wish_ = std::move(wish);
}

void Session::use_features_of(std::span<const Model> models) {
    Impl::Slots slots;
    BackendWish wish;
    for (const Model &model : models) wish.add(model.wish());
    wish = impl_->with(wish);
    for (const Model &model : models)
        for (const Model::Feature &feature : model.features()) {
            const MetricInfo *info = provider_of(feature.name);
            if (!info)
                throw invalid("no feature extractor provides '" + feature.name + "', which model '" + model.name() +
                              "' needs");
            slots.push_back(impl_->make_slot(*info, feature.options, false));
        }
    impl_->add(std::move(slots));
    impl_->wish_ = std::move(wish);
    impl_->predictions.mount(models);
}

void Session::use_features_of(const Model &model) { use_features_of({&model, 1}); }
void Session::use_features_of(const ModelCollection &collection) { use_features_of(collection.members()); }

void Session::use_local_scores(LocalConfig config) { impl_->use_local_scores(std::move(config)); }
const LocalScores *Session::local_scores() const { return impl_->local_.get(); }
void Session::prepare(const PictureFormat &format) { impl_->prepare(format); }
void Session::read(Picture ref, Picture dist, unsigned index) { impl_->read(std::move(ref), std::move(dist), index); }
void Session::wait() { impl_->wait(); }
void Session::wait_for_copies() {
    if (impl_->device_ && impl_->device_->pipeline()) impl_->device_->pipeline()->wait_for_copies();
}
void Session::hold_queue(void *callers) {
    if (impl_->device_ && impl_->device_->pipeline()) impl_->device_->pipeline()->hold_queue(callers);
}
void Session::flush() { impl_->flush(); }
bool Session::flushed() const { return impl_->flushed_; }
void Session::import_score(std::string_view name, unsigned index, double value) {
    impl_->import_score(name, index, value);
}

double Session::feature_score_at(std::string_view name, unsigned index) const {
    auto score = impl_->scores.find(name, index);
    if (!score) {
        impl_->drain(); // the frame may be in work
        score = impl_->scores.find(name, index);
    }
    if (!score) throw invalid("there is no score '" + std::string(name) + "' at frame " + std::to_string(index));
    return *score;
}

double Session::score_at(const Model &model, unsigned index) {
    impl_->drain(); // the frame may be in work
    return impl_->predictions.at(model, index);
}

CollectionScore Session::score_at(const ModelCollection &collection, unsigned index) {
    impl_->drain();
    return impl_->predictions.at(collection, index);
}

namespace {

void check_interval(unsigned low, unsigned high, Pooling method) {
    if (low > high) throw invalid("pooling interval is empty: " + std::to_string(low) + " to " + std::to_string(high));
    if (method == Pooling::unknown) throw invalid("unknown pooling method");
}

} // namespace

double Session::pooled(const Model &model, Pooling method, unsigned low, unsigned high) {
    check_interval(low, high, method);
    for (std::uint64_t i = low; i <= high; i++)
        if (i % impl_->step() == 0) score_at(model, static_cast<unsigned>(i));
    return feature_pooled(model.name(), method, low, high);
}

CollectionScore Session::pooled(const ModelCollection &collection, Pooling method, unsigned low, unsigned high) {
    check_interval(low, high, method);
    for (std::uint64_t i = low; i <= high; i++)
        if (i % impl_->step() == 0) score_at(collection, static_cast<unsigned>(i));
    const std::string &name = collection.name();
    return {feature_pooled(name + "_bagging", method, low, high), feature_pooled(name + "_stddev", method, low, high),
            feature_pooled(name + "_ci_p95_lo", method, low, high),
            feature_pooled(name + "_ci_p95_hi", method, low, high)};
}

double Session::feature_pooled(std::string_view name, Pooling method, unsigned low, unsigned high) const {
    impl_->drain();
    return impl_->scores.pool(name, method, low, high, impl_->step());
}

void Session::on_score(std::function<void(const std::string &, unsigned, double)> handler) {
    impl_->scores.set_listener(
        [impl = impl_.get(), handler = std::move(handler)](const std::string &name, unsigned index, double value) {
            impl->tell(handler, name, index, value);
        });
}

bool Session::is_inside_handler() const { return impl_->is_inside_handler(); }

ScoreCollector &Session::scores() { return impl_->scores; }
const ScoreCollector &Session::scores() const { return impl_->scores; }
unsigned Session::pictures_offered() const { return impl_->pictures_offered_; }
unsigned Session::width() const { return impl_->width_; }
unsigned Session::height() const { return impl_->height_; }
unsigned Session::subsample() const { return impl_->step(); }
Isa Session::isa() const { return impl_->isa_; }

std::vector<std::string> Session::registered() const {
    std::vector<std::string> list;
    for (const auto &slot : impl_->slots_) list.push_back(slot->identity());
    return list;
}

std::vector<std::string> Session::score_names() const {
    std::vector<std::string> list;
    for (const auto &slot : impl_->slots_)
        for (const auto &[provided, stored] : slot->stored_names()) list.push_back(stored);
    return list;
}

} // namespace vmaf
