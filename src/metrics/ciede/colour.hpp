// Colours and their difference for `ciede` (fidelity.md 10.2, 10.3).
#pragma once

namespace vmaf {

struct Lab {
    float L, a, b;
};

// Limited-range samples.
Lab lab_from_ycbcr(int y, int cb, int cr, unsigned bits);

float ciede2000_difference(const Lab &reference, const Lab &distorted);

} // namespace vmaf
