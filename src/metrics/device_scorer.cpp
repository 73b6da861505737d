#include "metrics/device_scorer.hpp"

#include <cstring>
#include <string>

#include "base/error.hpp"

namespace vmaf {

std::unique_ptr<DeviceScorer> Metric::make_device_scorer(Device &) const { throw Error(ENOTSUP, "no device code"); }
std::unique_ptr<DeviceScorer> Metric::make_family_device_scorer(std::span<const Metric *const>, Device &device) const {
    return make_device_scorer(device);
}
std::unique_ptr<DeviceScorer> Metric::make_tiling_device_scorer(Device &, const TileGrid &) const {
    throw Error(ENOTSUP, "no device code for maps and regions");
}

void check_arguments(const LoadedKernel &kernel, std::size_t args_bytes) {
    // 0: a driver without device code (tests).
    if (kernel.shape.args_bytes != args_bytes && kernel.shape.args_bytes != 0)
        throw Error(EINVAL, "kernel " + std::string(kernel.name) + " takes arguments of " +
                                std::to_string(kernel.shape.args_bytes) + " bytes, " + std::to_string(args_bytes) +
                                " are given");
}

std::unique_ptr<DeviceMemory> upload_table(Device &device, const void *data, std::size_t bytes) {
    auto table = device.allocate(bytes);
    const auto staging = device.allocate_pinned(bytes);
    std::memcpy(staging->data(), data, bytes);
    const auto queue = device.make_queue();
    const Device::Scope scope(device);
    queue->upload(table->data(), 0, staging->data(), 0, {bytes, 1});
    queue->finish();
    return table;
}

} // namespace vmaf
