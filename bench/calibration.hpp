// Measures the current speed of this machine, to compare figures of different machines.
#pragma once

namespace vmaf::bench {

// Best ns per pixel of a fixed piece of scalar work: a 17-tap vertical filter of a 1920x1080 8-bit plane.
double calibration();

} // namespace vmaf::bench
