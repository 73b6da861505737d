// The seam between what `vif` computes and how fast: one strip of rows of one scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/cpu.hpp"
#include "metrics/vif/vif.hpp"

namespace vmaf::vif {

// Reference and distorted image of a scale. Scale 0 is the picture itself, scales 1 to 3 are 16-bit images.
struct ScaleImages {
    const void *ref = nullptr, *dist = nullptr;
    std::ptrdiff_t ref_stride = 0, dist_stride = 0; // bytes
    unsigned bits = 16;                             // 8: bytes, else 16-bit samples
    int width = 0, height = 0;
};

inline constexpr int kNextScaleSlack = 32;

struct Strip {
    int scale = 0;
    ScaleImages images;
    int first_row = 0, end_row = 0; // first_row is even
    bool statistics = true;         // false: only the next scale's rows are wanted
    double gain_limit = 100.0;
    // Rows first_row / 2 ... of the next scale go here, seen from its row 0; null at the last scale. Up to
    // kNextScaleSlack samples behind the end of each row may be overwritten.
    std::uint16_t *next_ref = nullptr, *next_dist = nullptr;
    std::ptrdiff_t next_stride = 0; // samples
};

// Has the working memory for strips of one picture size; used by one thread at a time.
class StripWorker {
  public:
    virtual ~StripWorker() = default;
    virtual ScaleSums run(const Strip &strip) = 0;
};

// `width` is that of scale 0.
std::unique_ptr<StripWorker> make_scalar_worker(int width);
std::unique_ptr<StripWorker> make_worker(int width, Isa isa);

// The vector code of one instruction set.
struct StripCode {
    ScaleSums (*run)(const Strip &strip, std::byte *scratch);
    bool (*wide_enough)(int scale, int width); // false: a strip of this width is for the scalar code
    std::size_t (*scratch_bytes)(int width);   // aligned to kAlignment
    // LG of 2.7 for 131072 <= z < 2^31, for tests; count is a multiple of 16.
    void (*logarithms)(const std::int32_t *z, int count, std::int32_t *out);
};
const StripCode *pick_strip_code(Isa isa); // null: there is none

// Scale 3 of pictures with a side of 8 to 15, where it has one row or one column (2.10). Needs scale 2, too.
ScaleSums narrow_scale3_sums(const ScaleImages &scale2, const ScaleImages &scale3, double gain_limit);

} // namespace vmaf::vif
