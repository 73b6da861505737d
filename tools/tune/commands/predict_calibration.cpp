// Residuals of predictions (bench/tune_accuracy.py; 320x180, target 93): first on 14 or 15 clips that did not calibrate
// slopes (but were used to choose limits of probes), then, for x264, on the 13 that calibrated typical slopes; for x265
// on 14 that were never used for any choice.
#include "adapters/adapter.hpp"
#include "commands/predict.hpp"

namespace vmaf::tune {

Calibration built_in_calibration(const Adapter &adapter) {
    switch (adapter.family) {
    case EncoderFamily::x264: // preset veryfast
        return {{0.049,  0.159,  -0.019, 0.0,   0.086,  0.115,  -0.569, -0.33, -0.746, 0.765,
                 -3.325, -0.138, 0.202,  0.545, -0.087, -0.081, 0.0,    0.0,   -0.02,  -0.067,
                 -0.062, 0.072,  0.297,  -0.08, 0.085,  -0.965, 0.293,  -0.283},
                "built-in"};
    case EncoderFamily::x265: // preset ultrafast
        return {{0.106, -0.097, 1.417, 0.0, 0.422, 0.627, -0.108, -0.193, 1.253, -0.119, 0.0, -0.012, -0.097, 0.743},
                "built-in"};
    case EncoderFamily::svtav1: // preset veryfast
        return {{-0.462, 0.464, -0.44, 0.0, 0.0, -0.238, 1.039, -0.754, -0.934, 1.027, 0.0, 0.243, -0.117, 0.234},
                "built-in"};
    default: return {};
    }
}

} // namespace vmaf::tune
