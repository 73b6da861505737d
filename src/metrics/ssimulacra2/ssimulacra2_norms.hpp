// Norms, weights and the final score (sections 9 and 10).
#pragma once

#include <array>

namespace vmaf::ssimulacra2 {

inline constexpr int kScales = 6;
inline constexpr int kChannels = 3; // X, Y, B
inline constexpr int kMinSide = 8;  // smaller scales are not computed

// Sums over one map: of the values and of their fourth powers.
struct NormSums {
    double sum = 0, sum_of_fourth = 0;
};

// The three maps of a channel at a scale.
struct MapSums {
    NormSums structure, artifact, lost_detail;
    double pixels = 1;
};

using AllSums = std::array<std::array<MapSums, kScales>, kChannels>; // zero for missing scales

// Skips maps whose weights are all zero (section 11).
struct Needs {
    bool structure, artifact, lost_detail;
    bool edges() const { return artifact || lost_detail; }
    bool any() const { return structure || edges(); }
};
Needs needs(int channel, int scale);

// The weighted sums of a channel and scale: bit 2 * map + norm, with maps in the order of MapSums and norms in that of
// NormSums.
inline constexpr int kSumsOfChannel = 6;
unsigned needed_sums(int channel, int scale);

double final_score(const AllSums &sums);

} // namespace vmaf::ssimulacra2
