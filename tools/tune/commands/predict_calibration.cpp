// What predictions from one probe were off by, on clips that the slopes were not taken from (bench/tune_accuracy.py).
#include "adapters/adapter.hpp"
#include "commands/predict.hpp"

namespace vmaf::tune {

Calibration built_in_calibration(const Adapter &adapter) {
    if (adapter.family != EncoderFamily::x264) return {};
    // preset veryfast, 13 clips of 320x180, target 93
    return {{1.404, 2.193, 3.463, 1.958, 0.808, 0.545, -0.836, -3.075, -1.481, 3.208, 1.107, 0.834, -0.256},
            "built-in"};
}

} // namespace vmaf::tune
