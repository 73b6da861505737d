#include "metrics/device_scorer.hpp"

#include "base/error.hpp"

namespace vmaf {

std::unique_ptr<DeviceScorer> Metric::make_device_scorer(Device &) const { throw Error(ENOTSUP, "no device code"); }

} // namespace vmaf
