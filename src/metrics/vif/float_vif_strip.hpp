// The interface between the definition and the fast versions of `float_vif`: one strip of rows of one scale.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cpu/cpu.hpp"
#include "metrics/common/float_plane.hpp"
#include "metrics/real_tiles.hpp"

namespace vmaf::float_vif {

inline constexpr int kScales = 4;
inline constexpr float kEpsilon = 1.0e-10f;

// The pixels of a scale along a side that has `pixels`, `scaled` after the prescale.
inline RealTiles::Axis tile_axis(int scale, int scaled, unsigned pixels) {
    return {scaled >> scale, std::int64_t(pixels) << scale, scaled, 0};
}

// Option values in the precision of the formulas (3.6).
struct Constants {
    double noise;      // nsq
    float gain_limit;  // G
    float below_noise; // K: slope of the numerator if the reference is below the noise
};

// Rows of an image of a scale: a float plane, or picture samples converted when read.
struct Source {
    const void *data = nullptr;
    std::ptrdiff_t stride_bytes = 0;
    unsigned bits = 0; // 0: floats; 8: bytes; else 16-bit samples
};

struct Strip {
    Source ref, dist;
    int width = 0, height = 0;
    int first_row = 0, end_row = 0; // first_row is even
    bool statistics = true;         // false: only make the next scale's rows
    Constants constants{};
    std::span<const float> taps;      // of this scale
    std::span<const float> next_taps; // of the next scale; empty at the last one
    FloatPlane *next_ref = nullptr, *next_dist = nullptr;
    float *row_num = nullptr, *row_den = nullptr; // sums of row y go to row_num[y], row_den[y]
    RealTiles *tiles = nullptr;                   // receives numerators, then denominators (scalar strips only)
};

// The working memory for strips of one size and filter length; for one thread at a time.
class StripWorker {
  public:
    virtual ~StripWorker() = default;
    virtual void run(const Strip &strip) = 0;
};

std::unique_ptr<StripWorker> make_scalar_worker(int width, int max_taps);
std::unique_ptr<StripWorker> make_worker(int width, int max_taps, Isa isa);

// An instruction set's vector code. `width` and `max_taps` are the largest of all strips.
struct StripCode {
    void (*run)(const Strip &strip, int width, int max_taps, float *scratch);
    std::size_t (*scratch_floats)(int width, int max_taps); // aligned to kAlignment
};
const StripCode *pick_strip_code(Isa isa); // null if there is none

} // namespace vmaf::float_vif
