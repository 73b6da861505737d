// Contrast sensitivity factors of the four wavelet scales (adm.md 2), for `adm` and `float_adm`.
#pragma once

namespace vmaf::adm {

struct Factors {
    float edges;    // f1: bands H and V
    float diagonal; // f2: band D
};

// First step of all modes: samples per degree of visual angle.
float samples_per_degree(double norm_view_dist, int ref_display_height);

Factors watson_factors(int scale, float samples_per_degree);
// The two options scale the factors.
Factors barten_factors(int scale, float samples_per_degree, double edge_scale, double diagonal_scale);
Factors native_factors(int scale, float samples_per_degree);
// Modes 2 and 3 of `adm`; both factors are -22 for settings missing from the tables (a quirk).
Factors blended_factors(int mode, int scale, double norm_view_dist, int ref_display_height);

} // namespace vmaf::adm
