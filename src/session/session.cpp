#include "session/session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/log.hpp"
#include "device/trace.hpp"
#include "metrics/registry.hpp"
#include "picture/pool.hpp"
#include "session/device_stage.hpp"
#include "session/metric_slot.hpp"
#include "session/worker_pool.hpp"

namespace vmaf {

namespace {

// Pictures of the caller that are kept between calls: a pool of four leaves it two for the next pair (c-api.md 6.3).
constexpr unsigned kMostKept = 2;

// A pair of pictures on its way through the metrics.
struct Frame {
    unsigned index = 0;
    Picture ref, dist;
    std::array<Picture, 2> earlier_ref, earlier_dist;
    std::vector<MetricSlot *> slots; // those that score this frame, in order of registration
    std::vector<FrameResult> results;
    std::vector<std::size_t> result_of_scorer; // where results from the device go, by scorer
    std::atomic<std::size_t> unmeasured{0};    // results that are still to come; all those from the device count as one
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
        : config_(config), isa_(best_isa(config.cpumask)), pool_(config.threads),
          max_in_flight_(std::max(1u, config.threads + config.threads / 2 + 1)) {}

    ~Impl() override { drain(); }

    void use_device(const DeviceChoice &choice) {
        if (device_) throw invalid("a session works with one device; it has one already");
        device_ = std::make_unique<DeviceStage>(choice, *this);
    }

    void use_feature(const MetricInfo &info, const OptionTexts &options, bool pinned) {
        // With a gpumask only features that ask for the device by name run there (backends.md 4.3).
        const auto place = pinned                        ? MetricSlot::Place::pinned
                           : device_ && !config_.gpumask ? MetricSlot::Place::device
                                                         : MetricSlot::Place::cpu;
        auto slot = std::make_unique<MetricSlot>(info, options, scores, place);
        for (const auto &known : slots_)
            if (known->identity() == slot->identity()) return;
        slots_.push_back(std::move(slot));
    }

    void prepare(const PictureFormat &format) {
        if (format_ && *format_ != format)
            throw invalid("all pictures of a run must have one size, format and depth; the first pair was " +
                          describe(*format_) + ", now " + describe(format));
        for (const auto &slot : slots_)
            if (!slot->prepared()) slot->prepare(format);
        format_ = format;
        if (!device_ || device_->prepared()) return; // metrics that come later run on the CPU
        device_->prepare(format, slots_);
        max_in_flight_ = std::max<std::size_t>(max_in_flight_, device_->frames_in_flight());
    }

    void read(Picture ref, Picture dist, unsigned index) {
        if (flushed_) throw invalid("pictures cannot be given after the flush");
        pictures_offered_++;
        if (!(ref.format() == dist.format()))
            throw invalid("the reference picture is " + describe(ref.format()) + ", the distorted one " +
                          describe(dist.format()) + "; they must be alike");
        if ((ref.memory() == Memory::device) != (dist.memory() == Memory::device))
            throw invalid("one picture is on a device, the other is not; they must be alike");
        if (ref.memory() == Memory::device && !device_) throw invalid("device pictures need an active device backend");
        prepare(ref.format());
        if (width_ == 0) {
            width_ = ref.format().width;
            height_ = ref.format().height;
        }
        rethrow_error();
        start(std::move(ref), std::move(dist), index);
        rethrow_error();
    }

    void flush() {
        if (flushed_) throw invalid("the session was flushed before");
        drain();
        rethrow_error();
        for (const auto &slot : slots_)
            if (!slot->emitted())
                throw invalid("feature '" + slot->identity() +
                              "' has scored no pictures; none were given, or none fit");
        const TraceRange trace("flush");
        for (const auto &slot : slots_) slot->flush();
        earlier_ref_.fill({});
        earlier_dist_.fill({});
        flushed_ = true;
    }

    // Waits until every frame given so far has been measured and emitted; not for those that another thread gives
    // meanwhile. A callback that asks for scores is itself part of a frame in work and waits for nothing.
    void drain() {
        std::unique_lock lock(mutex_);
        if (emitter_ == std::this_thread::get_id()) return;
        frame_done_.wait(lock, [&, given = frames_given_] { return frames_emitted_ >= given; });
    }

    unsigned step() const { return std::max(1u, config_.subsample); }

    // Tries the registered models at `index` each time a score arrives, for clients that listen (models.md 6.5).
    void predict_mounted(unsigned index) {
        std::lock_guard lock(predict_mutex);
        for (const Model *model : mounted_)
            if (!scores.find(model->name(), index) && has_features(*model, index)) predict(*model, index);
    }

    bool has_features(const Model &model, unsigned index) const {
        const std::vector<std::string> &names = model.stored_names();
        return std::all_of(names.begin(), names.end(),
                           [&](const std::string &name) { return scores.find(name, index).has_value(); });
    }

    // The raw prediction of one frame from stored features; names the feature that is missing.
    double predict_raw(const Model &model, unsigned index) const {
        std::array<double, kMaxFeatures> features;
        std::size_t count = 0;
        for (const std::string &name : model.stored_names()) {
            const auto score = scores.find(name, index);
            if (!score)
                throw invalid("model '" + model.name() + "' needs the feature '" + name + "' of frame " +
                              std::to_string(index) + ", which has not been scored");
            features[count++] = *score;
        }
        return model.predict_raw({features.data(), count});
    }

    double predict(const Model &model, unsigned index) {
        const double score = model.finish(predict_raw(model, index));
        scores.append(model.name(), index, score);
        return score;
    }

    ScoreCollector scores;
    std::recursive_mutex predict_mutex;
    std::vector<const Model *> mounted_;
    std::vector<std::unique_ptr<MetricSlot>> slots_;
    SessionConfig config_;
    Isa isa_;
    std::unique_ptr<DeviceStage> device_;
    unsigned pictures_offered_ = 0, width_ = 0, height_ = 0;
    bool flushed_ = false;

  private:
    static std::string describe(const PictureFormat &f) {
        return std::to_string(f.width) + "x" + std::to_string(f.height) + " " + to_string(f.pixel_format) + " " +
               std::to_string(f.bits) + " bit";
    }

    void start(Picture ref, Picture dist, unsigned index) {
        std::unique_ptr<Frame> owned = fresh_frame();
        Frame *const frame = owned.get();
        frame->index = index;
        frame->slots.clear();
        for (const auto &slot : slots_)
            if (slot->info().every_frame || index % step() == 0) frame->slots.push_back(slot.get());
        const std::uint32_t device_scorers = assign_scorers(*frame);
        const std::size_t jobs = frame->slots.size() - static_cast<std::size_t>(std::popcount(device_scorers));
        const History kept = history_on_cpu();
        const Picture device_ref = ref, device_dist = dist;
        if (ref.memory() == Memory::device && (jobs > 0 || kept.ref || kept.dist)) { // for metrics that run on the CPU
            ref = device_->download(ref);
            dist = device_->download(dist);
        }
        frame->earlier_ref = earlier_ref_;
        frame->earlier_dist = earlier_dist_;
        remember(ref, dist, kept);
        if (jobs > 0) {
            frame->ref = std::move(ref);
            frame->dist = std::move(dist);
        }
        frame->results.resize(frame->slots.size());
        frame->unmeasured = jobs + (device_scorers ? 1 : 0);
        frame->measured = false;
        {
            std::unique_lock lock(mutex_);
            frame_done_.wait(lock, [&] { return in_flight_.size() < max_in_flight_; });
            in_flight_.push_back(std::move(owned));
            frames_given_++;
        }
        submit(*frame, jobs, device_scorers, device_ref, device_dist);
    }

    // The frame may be gone when the last of its jobs is queued.
    void submit(Frame &frame, std::size_t jobs, std::uint32_t device_scorers, const Picture &ref, const Picture &dist) {
        if (jobs == 0 && !device_scorers) return finish(frame);
        std::vector<std::size_t> &parts = jobs_;
        parts.clear();
        for (std::size_t i = 0; i < frame.slots.size(); i++)
            if (!device_ || !device_->scorer_of(*frame.slots[i])) parts.push_back(i);
        if (device_scorers) device_->pipeline()->submit(&frame, frame.index, ref, dist, device_scorers, pool_);
        for (const std::size_t part : parts)
            pool_.submit({[](void *self, void *item, std::size_t i) {
                              static_cast<Impl *>(self)->measure(*static_cast<Frame *>(item), i);
                          },
                          this, &frame, part});
    }

    // Which of the device's scorers run on a frame, one bit each.
    std::uint32_t assign_scorers(Frame &frame) const {
        if (!device_ || !device_->pipeline()) return 0;
        std::uint32_t scorers = 0;
        frame.result_of_scorer.resize(device_->scorers());
        for (std::size_t i = 0; i < frame.slots.size(); i++)
            if (const auto scorer = device_->scorer_of(*frame.slots[i])) {
                scorers |= 1u << *scorer;
                frame.result_of_scorer[*scorer] = i;
            }
        return scorers;
    }

    FrameResult &result_of(void *frame, std::size_t scorer) override {
        Frame &f = *static_cast<Frame *>(frame);
        return f.results[f.result_of_scorer[scorer]];
    }
    void measured(void *frame) override {
        Frame &f = *static_cast<Frame *>(frame);
        if (--f.unmeasured == 0) finish(f);
    }
    void failed(std::exception_ptr error) override { fail(std::move(error)); }

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
    void remember(const Picture &ref, const Picture &dist, const History &wanted) {
        const auto push = [](std::array<Picture, 2> &kept, const Picture &picture, unsigned count) {
            kept[1] = count > 1 ? std::move(kept[0]) : Picture();
            kept[0] = count > 0 ? picture : Picture();
        };
        push(earlier_ref_, ref, wanted.ref);
        push(earlier_dist_, wanted.ref + wanted.dist > kMostKept ? copy_of(dist) : dist, wanted.dist);
    }

    Picture copy_of(const Picture &picture) {
        if (!copies_) copies_ = std::make_unique<PicturePool>(picture.format(), 0);
        Picture copy = copies_->fetch_or_add();
        const PictureFormat &f = picture.format();
        for (unsigned p = 0; p < f.planes(); p++)
            for (unsigned y = 0; y < f.plane_height(p) && picture.data(p); y++)
                std::memcpy(copy.data(p) + std::ptrdiff_t{y} * copy.stride_bytes(p),
                            picture.data(p) + std::ptrdiff_t{y} * picture.stride_bytes(p),
                            std::size_t{f.plane_width(p)} * f.bytes_per_sample());
        return copy;
    }

    void measure(Frame &frame, std::size_t i) {
        if (!failed_) {
            try {
                const auto pointer = [](const Picture &p) { return p ? &p : nullptr; };
                FrameInput input{frame.index, frame.ref, frame.dist, {}, {}, pool_};
                for (std::size_t k = 0; k < 2; k++) {
                    input.earlier_ref[k] = pointer(frame.earlier_ref[k]);
                    input.earlier_dist[k] = pointer(frame.earlier_dist[k]);
                }
                frame.slots[i]->measure(input, frame.results[i], isa_);
            } catch (...) {
                fail(std::current_exception());
            }
        }
        if (--frame.unmeasured == 0) finish(frame);
    }

    // The last metric of a frame is done: emits this frame and those behind it that waited for it.
    void finish(Frame &frame) {
        frame.release_pictures();
        std::unique_lock lock(mutex_);
        frame.measured = true;
        if (emitter_ != std::thread::id()) return; // another thread is at it and will see this frame
        emitter_ = std::this_thread::get_id();
        while (!in_flight_.empty() && in_flight_.front()->measured) {
            Frame &head = *in_flight_.front();
            lock.unlock();
            if (!failed_) emit(head);
            lock.lock();
            idle_frames_.push_back(std::move(in_flight_.front()));
            in_flight_.pop_front();
            frames_emitted_++;
            frame_done_.notify_all();
        }
        emitter_ = {};
    }

    void emit(Frame &frame) {
        try {
            for (std::size_t i = 0; i < frame.slots.size(); i++) frame.slots[i]->emit(frame.index, frame.results[i]);
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

    void fail(std::exception_ptr error) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
        failed_ = true;
    }

    void rethrow_error() {
        std::lock_guard lock(mutex_);
        if (error_) std::rethrow_exception(error_);
    }

    std::optional<PictureFormat> format_;
    std::array<Picture, 2> earlier_ref_, earlier_dist_;
    std::unique_ptr<PicturePool> copies_;

    std::mutex mutex_;
    std::condition_variable frame_done_;
    std::deque<std::unique_ptr<Frame>> in_flight_; // in the order given
    std::vector<std::unique_ptr<Frame>> idle_frames_;
    std::uint64_t frames_given_ = 0, frames_emitted_ = 0;
    std::thread::id emitter_; // the thread that emits; none if nobody does
    std::exception_ptr error_;
    std::atomic<bool> failed_{false};
    WorkerPool pool_;
    std::vector<std::size_t> jobs_; // of the frame that is being queued
    std::size_t max_in_flight_;
};

Session::Session(const SessionConfig &config) : impl_(std::make_unique<Impl>(config)) {}
Session::~Session() = default;

void Session::use_device(const DeviceChoice &choice) { impl_->use_device(choice); }
Device *Session::device() const { return impl_->device_ ? &impl_->device_->device() : nullptr; }
std::string_view Session::backend_used() const {
    return impl_->device_ && impl_->device_->has_scored() ? impl_->device_->backend() : "cpu";
}

bool Session::reads_chroma() const {
    const DeviceStage *const device = impl_->device_.get();
    if (device && device->pipeline() && device->pipeline()->planes() > 1) return true;
    return std::any_of(impl_->slots_.begin(), impl_->slots_.end(), [&](const auto &slot) {
        return slot->reads_chroma() && !(device && device->scorer_of(*slot));
    });
}

ExtractorName Session::find_extractor(std::string_view extractor) const {
    const std::string_view active = impl_->device_ ? impl_->device_->backend() : "cpu";
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
    const ExtractorName name = find_extractor(extractor);
    for (const std::string &option : unknown_options(name.info->options, options))
        log(LogLevel::warning,
            "feature '" + std::string(extractor) + "' has no option '" + option + "'; it is ignored");
    impl_->use_feature(*name.info, options, !name.backend.empty());
}

void Session::use_features_of(const Model &model) {
    for (const Model::Feature &feature : model.features()) {
        const MetricInfo *info = provider_of(feature.name);
        if (!info)
            throw invalid("no feature extractor provides '" + feature.name + "', which model '" + model.name() +
                          "' needs");
        impl_->use_feature(*info, feature.options, false);
    }
    impl_->mounted_.push_back(&model);
}

void Session::use_features_of(const ModelCollection &collection) {
    for (const Model &member : collection.members()) use_features_of(member);
}

void Session::prepare(const PictureFormat &format) { impl_->prepare(format); }
void Session::read(Picture ref, Picture dist, unsigned index) { impl_->read(std::move(ref), std::move(dist), index); }
void Session::flush() { impl_->flush(); }
bool Session::flushed() const { return impl_->flushed_; }

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
    std::lock_guard lock(impl_->predict_mutex);
    if (const auto known = impl_->scores.find(model.name(), index)) return *known;
    return impl_->predict(model, index);
}

CollectionScore Session::score_at(const ModelCollection &collection, unsigned index) {
    impl_->drain();
    std::lock_guard lock(impl_->predict_mutex);
    ScoreCollector &scores = impl_->scores;
    const std::string &name = collection.name();
    if (const auto bagging = scores.find(name + "_bagging", index))
        return {*bagging, feature_score_at(name + "_stddev", index), feature_score_at(name + "_ci_p95_lo", index),
                feature_score_at(name + "_ci_p95_hi", index)};
    std::vector<double> raw;
    for (const Model &member : collection.members()) {
        raw.push_back(impl_->predict_raw(member, index));
        if (!scores.find(member.name(), index)) scores.append(member.name(), index, member.finish(raw.back()));
    }
    const CollectionScore score = collection.combine(raw);
    scores.append(name + "_bagging", index, score.bagging);
    scores.append(name + "_stddev", index, score.stddev);
    scores.append(name + "_ci_p95_lo", index, score.ci_p95_lo);
    scores.append(name + "_ci_p95_hi", index, score.ci_p95_hi);
    return score;
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
    impl_->scores.set_listener([this, handler = std::move(handler)](const std::string &name, unsigned index, double x) {
        handler(name, index, x);
        const bool is_prediction = std::any_of(impl_->mounted_.begin(), impl_->mounted_.end(),
                                               [&](const Model *model) { return model->name() == name; });
        if (!is_prediction) impl_->predict_mounted(index);
    });
}

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
