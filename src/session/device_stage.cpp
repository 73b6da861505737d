#include "session/device_stage.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "device/callers_queue.hpp"
#include "device/dispatch.hpp"
#include "picture/foreign.hpp"
#include "session/extractor_name.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kMaxScorers = 32; // bits of a frame's mask

} // namespace

void DeviceStage::prepare(const PictureFormat &format, const std::vector<Candidate> &candidates) {
    const std::string backend(this->backend());
    std::vector<const MetricSlot *> slots;
    std::vector<std::unique_ptr<DeviceScorer>> scorers;
    DevicePipeline::Config config{
        .batches_at_once = choice_.batches_at_once, .batch = choice_.batch, .wait_after = {}, .looks_back = {}};
    for (const auto &[slot, metric, tiles] : candidates) {
        if (slot->place() == MetricSlot::Place::cpu) continue;
        std::string reason;
        if (!slot->info().on_devices)
            reason = "no " + backend + " kernel";
        else if (scorers.size() == kMaxScorers)
            reason = "too many features on the device";
        else
            try {
                scorers.push_back(tiles ? metric->make_tiling_device_scorer(device(), *tiles)
                                        : metric->make_device_scorer(device()));
            } catch (const Error &e) {
                if (e.code() != ENOTSUP) throw;
                reason = e.what();
            }
        if (reason.empty()) {
            slots.push_back(slot);
            const auto dispatch =
                DispatchTable::of_process(device().dispatch_request(), plain_extractor_name).of(slot->info().name);
            config.wait_after.push_back(dispatch == Dispatch::serial);
            config.looks_back.push_back(std::max(metric->history().ref, metric->history().dist));
            if (dispatch != Dispatch::adaptive && config.batch == 0) config.batch = 1;
            continue;
        }
        const std::string name(slot->info().name);
        if (slot->place() == MetricSlot::Place::pinned)
            throw invalid("feature '" + name + "_" + backend + "' cannot run: " + reason);
        log(choice_.is_explicit ? LogLevel::warning : LogLevel::info,
            "feature '" + slot->identity() + "' runs on the CPU: " + reason);
    }
    if (scorers.empty()) {
        prepared_ = true;
        return;
    }
    const unsigned batch = config.batch ? config.batch : DevicePipeline::batch_for(format);
    if (config.batches_at_once == 0)
        config.batches_at_once = DevicePipeline::batches_at_once_for(
            std::any_of(scorers.begin(), scorers.end(), [](const auto &scorer) { return scorer->has_long_chains(); }));
    const unsigned batches_at_once = config.batches_at_once;
    pipeline_ = std::make_unique<DevicePipeline>(choice_.device, format, std::move(scorers), config, receiver_);
    frames_in_flight_ = DevicePipeline::frames_in_flight(batches_at_once, batch) + batch; // those being emitted
    slots_ = std::move(slots);
    prepared_ = true;
}

std::optional<std::size_t> DeviceStage::scorer_of(const MetricSlot &slot) const {
    const auto found = std::find(slots_.begin(), slots_.end(), &slot);
    if (found == slots_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - slots_.begin());
}

bool DeviceStage::has_scored() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const MetricSlot *slot) { return slot->emitted(); });
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
