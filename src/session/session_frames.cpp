// How a session accepts and processes a frame.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "session/sample_check.hpp"
#include "session/session_impl.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

constexpr std::uint64_t kMostTinySamples = 32 * 32; // of luma; smaller frames are not worth a thread

std::string describe(const PictureFormat &f) {
    return std::to_string(f.width) + "x" + std::to_string(f.height) + " " + to_string(f.pixel_format) + " " +
           std::to_string(f.bits) + " bit";
}

Error already_scored(std::string_view name, unsigned index) {
    const std::string sentence =
        "feature \"" + std::string(name) + "\" cannot be overwritten at index " + std::to_string(index);
    log(LogLevel::warning, sentence);
    return invalid(sentence);
}

// The members of a family score the same frames: the first adds all.
Frame::Part part_of(MetricFamily &family, Frame &frame, std::size_t &results) {
    for (const Frame::Part &part : frame.parts)
        if (part.family == &family) return part;
    frame.parts.push_back({&family, results});
    results += family.members().size();
    return frame.parts.back();
}

} // namespace

void Session::Impl::read(const PicturePair &given, unsigned index) {
    refuse_inside_handler();
    if (flushed) throw invalid("pictures cannot be given after the flush");
    queue_.report_errors();
    check_pair(given);
    std::unique_ptr<Frame> frame = queue_.fresh_frame();
    frame->index = index;
    metrics.choose_uses(*frame, step());
    check_number(*frame);
    if (device.may_come()) prepare(given.ref.format()); // decides which metrics run where
    const PicturePair on_host = pair_on_host(*frame, given);
    if (!check_samples(*frame, on_host)) return;
    prepare(given.ref.format());
    start(std::move(frame), given, on_host);
    if (is_synchronous()) queue_.report_errors();
}

void Session::Impl::drain() {
    if (!is_inside_handler()) queue_.drain();
}

void Session::Impl::wait() {
    drain();
    queue_.report_errors();
}

void Session::Impl::flush() {
    refuse_inside_handler();
    if (flushed) throw invalid("the session was flushed before");
    wait();
    for (const auto &use : metrics.uses())
        if (use->frames_seen == 0)
            throw invalid("feature '" + use->identity() + "' has scored no pictures; none were given, or none fit");
    const TraceRange trace("flush");
    for (const auto &use : metrics.uses())
        if (use->emitted()) use->flush(last_scores_);
    scores.append(last_scores_.scores, last_scores_.aggregates);
    hand_out();
    history_.clear();
    flushed = true;
}

void Session::Impl::import_score(std::string_view name, unsigned index, double value) {
    if (metrics.will_score(name, index)) throw already_scored(name, index);
    scores.append(name, index, value);
}

void Session::Impl::refuse_inside_handler() const {
    if (is_inside_handler())
        throw invalid("this cannot be done from inside a callback of the same context, which would wait for itself; "
                      "let the callback return first");
}

// Passing tiny frames to a thread takes longer than measuring them.
bool Session::Impl::is_synchronous() const {
    const bool is_tiny = format_ && format_->width * std::uint64_t{format_->height} <= kMostTinySamples;
    return (config.threads == 0 || is_tiny) && !device.stage();
}

void Session::Impl::check_format_is_kept(const PictureFormat &format) const {
    if (format_ && *format_ != format)
        throw invalid("all pictures of a run must have one size, format and depth; the first pair was " +
                      describe(*format_) + ", now " + describe(format));
}

void Session::Impl::check_pair(const PicturePair &pair) const {
    const Picture &ref = pair.ref, &dist = pair.dist;
    if (!(ref.format() == dist.format()))
        throw invalid("the reference picture is " + describe(ref.format()) + ", the distorted one " +
                      describe(dist.format()) + "; they must match");
    if ((ref.memory() == Memory::device) != (dist.memory() == Memory::device))
        throw invalid("one picture is on a device, the other is not; they must match");
    if (ref.memory() == Memory::device && !device.stage())
        throw invalid("device pictures need an active device backend");
    check_format_is_kept(ref.format());
}

// Refuses numbers that already have scores, and those that leave a metric without an earlier picture.
void Session::Impl::check_number(const Frame &frame) const {
    const unsigned index = frame.index;
    if (index > kMaxFrameNumber) throw invalid("frame number " + std::to_string(index) + " is too large");
    if (!frame.uses.empty() && metrics.is_given(index))
        throw invalid("frame " + std::to_string(index) + " was given before; its scores cannot be overwritten");
    for (const MetricUse *use : frame.uses) {
        const History h = use->history();
        if (h.from_zero && !use->is_late && index >= h.ref && use->frames_seen < h.ref)
            throw invalid(use->identity() + ": frame " + std::to_string(index) +
                          " has no earlier frame to compare with; frames are counted from 0");
        if ((h.ref || h.dist) && last_number_ && index < *last_number_)
            throw invalid(use->identity() + ": frame " + std::to_string(index) + " comes after frame " +
                          std::to_string(*last_number_) + "; metrics that look back take frames in order");
        for (const auto &[provided, stored] : use->stored_names())
            if (scores.find(stored, index)) throw already_scored(stored, index);
    }
}

// For metrics that run on the CPU, now or when looking back; without samples if there are none.
PicturePair Session::Impl::pair_on_host(const Frame &frame, const PicturePair &pair) const {
    if (pair.ref.memory() != Memory::device) return pair;
    const bool is_read =
        std::any_of(frame.uses.begin(), frame.uses.end(), [&](const MetricUse *use) { return !is_on_device(*use); });
    const History kept = history_on_cpu();
    if (!is_read && !kept.ref && !kept.dist) return {};
    DeviceStage &stage = *device.stage();
    return {stage.download(pair.ref), stage.download(pair.dist), nullptr};
}

// Checks planes that CPU metrics read; a device checks its own. Returns false if the frame must not be measured, which
// a later call reports. Throws if the error belongs to this call.
bool Session::Impl::check_samples(const Frame &frame, const PicturePair &pair) {
    PlanesRead planes{0, 0};
    for (const MetricUse *use : frame.uses) {
        if (is_on_device(*use)) continue;
        const PlanesRead read = use->planes_read();
        planes.ref |= read.ref;
        planes.dist |= read.dist;
    }
    if (!planes.ref && !planes.dist) return true;
    try {
        WorkerPool &workers = queue_.workers();
        require_samples_in_range(pair.ref, planes.ref, SampleOwner::reference, frame.index, isa, workers);
        require_samples_in_range(pair.dist, planes.dist, SampleOwner::distorted, frame.index, isa, workers);
        return true;
    } catch (const Error &) {
        if (is_synchronous()) throw;
        queue_.fail(std::current_exception());
        pictures_offered++;
        return false;
    }
}

// How far CPU metrics look back. The pipeline keeps its own history.
History Session::Impl::history_on_cpu() const {
    return metrics.history_of([this](const MetricUse &use) { return !is_on_device(use); });
}

// The device scorers that run on a frame, a bit each; the rest become CPU parts.
std::uint32_t Session::Impl::assign_scorers(Frame &frame) const {
    const bool has_pipeline = device.pipeline();
    std::uint32_t scorers = 0;
    std::size_t results = 0;
    frame.parts.clear();
    frame.result_of_use.clear();
    if (has_pipeline) frame.results_of_scorer.assign(device.stage()->scorers(), {});
    for (const MetricUse *use : frame.uses)
        if (const auto place = has_pipeline ? device.place_of(*use) : std::nullopt) {
            Frame::ScorerResults &of = frame.results_of_scorer[place->scorer];
            if (of.count == 0) { // the members of a family score the same frames
                of = {results, device.stage()->members(place->scorer)};
                results += of.count;
                scorers |= 1u << place->scorer;
            }
            frame.result_of_use.push_back(of.first + place->member);
        } else {
            frame.result_of_use.push_back(part_of(*use->family, frame, results).first + use->place_in_family);
        }
    frame.results.resize(results);
    return scorers;
}

// Up to a point everything may throw without changing anything; after it nothing throws, so that no awaited frame is
// lost.
void Session::Impl::start(std::unique_ptr<Frame> owned, const PicturePair &given, PicturePair on_host) {
    const std::uint32_t device_scorers = assign_scorers(*owned);
    const std::size_t parts = owned->parts.size();
    const History looked_back_at = history_on_cpu();
    const PictureFormat format = given.ref.format();
    const PicturePair kept = history_.kept_of(on_host, looked_back_at);
    history_.show(*owned);
    if (parts > 0) {
        owned->ref = std::move(on_host.ref);
        owned->dist = std::move(on_host.dist);
        owned->halves = std::move(on_host.halves);
    }
    owned->areas = local && owned->index % step() == 0 ? local->areas_at(owned->index) : nullptr;
    const bool measured = is_synchronous();
    if (measured) // errors belong to this call
        for (const Frame::Part &part : owned->parts) measure(*owned, part);
    if (device_scorers) queue_.copiers(given.ref.memory()).reserve(1);
    queue_.make_room(parts);
    if (!owned->uses.empty()) metrics.give(owned->index);
    Frame &frame = queue_.enter(std::move(owned), parts + (device_scorers ? 1 : 0));
    frames_given_++;
    history_.add(kept, looked_back_at);
    metrics.count_frame(frame.index, step());
    last_number_ = std::max(last_number_.value_or(0), frame.index);
    pictures_offered++;
    width = format.width;
    height = format.height;
    if (measured || frame.unmeasured == 0) return queue_.finish(frame);
    // The last result may release the frame.
    if (device_scorers)
        device.pipeline()->submit(frame, given.ref, given.dist, device_scorers, queue_.copiers(given.ref.memory()));
    if (parts > 0) queue_.submit(frame);
}

void Session::Impl::measure(Frame &frame, const Frame::Part &part) {
    const auto pointer = [](const Picture &p) { return p ? &p : nullptr; };
    FrameInput input{frame.index, frame.ref, frame.dist, {}, {}, queue_.workers()};
    for (std::size_t k = 0; k < 2; k++) {
        input.earlier_ref[k] = pointer(frame.earlier_ref[k]);
        input.earlier_dist[k] = pointer(frame.earlier_dist[k]);
    }
    if (frame.areas) input.tiles = local->tiles_for(*part.family->members().front(), *frame.areas);
    const std::span results(frame.results);
    const ReferenceUse reference{frame.halves.get(), frame.earlier_numbers};
    part.family->measure(input, reference, results.subspan(part.first, part.family->members().size()), isa);
}

void Session::Impl::measure_areas(Frame &frame) {
    if (frame.areas) local->measure(*frame.areas, frame.uses, frame.results, frame.result_of_use, frame.local_figures);
}

void Session::Impl::hand_out() {
    const CallbackScope scope(this);
    if (local) local->hand_out(scores, queue_.finishers());
}

void Session::Impl::emit(Frame &frame) {
    new_scores_.clear();
    for (std::size_t i = 0; i < frame.uses.size(); i++)
        frame.uses[i]->emit(frame.index, frame.results[frame.result_of_use[i]], new_scores_);
    scores.append(new_scores_.scores, new_scores_.aggregates);
    if (frame.areas) local->add(frame.index, std::move(frame.areas), frame.local_figures);
}

void Session::read(Picture ref, Picture dist, unsigned index, std::shared_ptr<ReferenceHalves> halves) {
    impl_->read({std::move(ref), std::move(dist), std::move(halves)}, index);
}
void Session::wait() { impl_->wait(); }
void Session::wait_for_copies() {
    if (DevicePipeline *const pipeline = impl_->device.pipeline()) pipeline->wait_for_copies();
}
void Session::hold_queue(void *callers) {
    if (DevicePipeline *const pipeline = impl_->device.pipeline()) pipeline->hold_queue(callers);
}
void Session::flush() { impl_->flush(); }
bool Session::flushed() const { return impl_->flushed; }
void Session::import_score(std::string_view name, unsigned index, double value) {
    impl_->import_score(name, index, value);
}
unsigned Session::pictures_offered() const { return impl_->pictures_offered; }
unsigned Session::width() const { return impl_->width; }
unsigned Session::height() const { return impl_->height; }
unsigned Session::subsample() const { return impl_->step(); }

} // namespace vmaf
