#include "session/device_stage.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "device/callers_queue.hpp"
#include "picture/foreign.hpp"
#include "session/extractor_name.hpp"
#include "session/metric_family.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kMaxScorers = 32; // bits of a frame's mask

} // namespace

// Everything placed on the device so far, per scorer.
struct DeviceStage::Scorers {
    struct Served {
        std::vector<const MetricUse *> uses;
        std::vector<const Metric *> metrics;
        Dispatch dispatch;
        bool has_tiles;
    };
    std::vector<Served> served;
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
};

// Adds this use to an existing scorer if its device code can measure both in one pass.
bool DeviceStage::join_family(const Candidate &candidate, Dispatch dispatch, Scorers &made) const {
    if (candidate.tiles) return false;
    for (std::size_t i = 0; i < made.served.size(); i++) {
        Scorers::Served &served = made.served[i];
        if (served.has_tiles || served.dispatch != dispatch || !are_of_one_family(*candidate.use, *served.uses[0]))
            continue;
        std::vector<const Metric *> metrics = served.metrics;
        metrics.push_back(candidate.metric);
        auto scorer = metrics[0]->make_family_device_scorer(metrics, device());
        if (!scorer) continue;
        made.scorers[i] = std::move(scorer);
        served.metrics = std::move(metrics);
        served.uses.push_back(candidate.use);
        return true;
    }
    return false;
}

// Returns why it cannot run there; empty if it does.
std::string DeviceStage::try_on_device(const Candidate &candidate, Scorers &made) const {
    const auto &[use, metric, tiles] = candidate;
    if (!use->info().on_devices) return "no " + std::string(backend()) + " kernel";
    const auto dispatch =
        DispatchTable::of_process(device().dispatch_request(), plain_extractor_name).of(use->info().name);
    try {
        if (join_family(candidate, dispatch, made)) return {};
        if (made.scorers.size() == kMaxScorers) return "too many features on the device";
        made.scorers.push_back(tiles ? metric->make_tiling_device_scorer(device(), *tiles)
                                     : metric->make_device_scorer(device()));
        made.served.push_back({{use}, {metric}, dispatch, tiles != nullptr});
    } catch (const Error &e) {
        if (e.code() != ENOTSUP) throw;
        return e.what();
    }
    return {};
}

void DeviceStage::prepare(const PictureFormat &format, const std::vector<Candidate> &candidates) {
    Scorers made;
    for (const Candidate &candidate : candidates) {
        const MetricUse &use = *candidate.use;
        if (use.place() == MetricUse::Place::cpu) continue;
        const std::string reason = try_on_device(candidate, made);
        if (reason.empty()) continue;
        if (use.place() == MetricUse::Place::pinned)
            throw invalid("feature '" + std::string(use.info().name) + "_" + std::string(backend()) +
                          "' cannot run: " + reason);
        log(choice_.is_explicit ? LogLevel::warning : LogLevel::info,
            "feature '" + use.identity() + "' runs on the CPU: " + reason);
    }
    if (made.scorers.empty()) {
        prepared_ = true;
        return;
    }
    DevicePipeline::Config config{
        .batches_at_once = choice_.batches_at_once, .batch = choice_.batch, .wait_after = {}, .looks_back = {}};
    std::vector<std::vector<const MetricUse *>> families;
    for (const Scorers::Served &served : made.served) {
        families.push_back(served.uses);
        config.wait_after.push_back(served.dispatch == Dispatch::serial);
        const History history = served.metrics[0]->history();
        config.looks_back.push_back(std::max(history.ref, history.dist));
        if (served.dispatch != Dispatch::adaptive && config.batch == 0) config.batch = 1;
    }
    const unsigned batch = config.batch ? config.batch : DevicePipeline::batch_for(format);
    if (config.batches_at_once == 0)
        config.batches_at_once = DevicePipeline::batches_at_once_for(std::any_of(
            made.scorers.begin(), made.scorers.end(), [](const auto &scorer) { return scorer->has_long_chains(); }));
    const unsigned batches_at_once = config.batches_at_once;
    pipeline_ = std::make_unique<DevicePipeline>(choice_.device, format, std::move(made.scorers), config, receiver_);
    frames_in_flight_ = DevicePipeline::frames_in_flight(batches_at_once, batch) + batch; // plus those being emitted
    families_ = std::move(families);
    prepared_ = true;
}

std::optional<DeviceStage::Place> DeviceStage::place_of(const MetricUse &use) const {
    for (std::size_t i = 0; i < families_.size(); i++)
        for (std::size_t k = 0; k < families_[i].size(); k++)
            if (families_[i][k] == &use) return Place{i, k};
    return std::nullopt;
}

bool DeviceStage::has_scored() const {
    return std::any_of(families_.begin(), families_.end(), [](const auto &members) { return members[0]->emitted(); });
}

Picture DeviceStage::download(const Picture &picture) {
    const PictureFormat &format = picture.format();
    Picture copy = Picture::allocate(format);
    if (!download_queue_) {
        download_memory_ =
            device().allocate_pinned(std::size_t{format.width} * format.bytes_per_sample() * format.height);
        download_queue_ = device().make_queue();
    }
    const Device::Scope scope(device());
    const ForeignBuffer *const callers = foreign(picture);
    CallersOrder *const order = callers ? order_with_callers(*download_queue_) : nullptr;
    if (order)
        order->wait_for(callers->ready_queue);
    else
        download_queue_->wait_for_default();
    for (unsigned p = 0; p < (callers ? format.planes() : 1); p++) {
        const CopyShape shape{std::size_t{format.plane_width(p)} * format.bytes_per_sample(), format.plane_height(p)};
        if (shape.row_bytes == 0 || shape.rows == 0) continue;
        download_queue_->download(download_memory_->data(), static_cast<std::ptrdiff_t>(shape.row_bytes),
                                  picture.data(p), picture.stride_bytes(p), shape);
        download_queue_->finish();
        for (unsigned y = 0; y < shape.rows; y++)
            std::memcpy(copy.data(p) + std::ptrdiff_t(y) * copy.stride_bytes(p),
                        download_memory_->data() + y * shape.row_bytes, shape.row_bytes);
    }
    return copy;
}

} // namespace vmaf
