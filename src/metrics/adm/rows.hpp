// The row operations of `adm`, as a table of functions: one set in plain C++ (the specification), one per vector
// target. Sums are integers, so all sets give the same bits.
//
// Columns are relative to the row of a pointer. A range [from, to) may begin and end anywhere; functions may read and
// write up to kRowMargin elements around it. Rows are aligned to kAlignment at element 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/adm/plan.hpp"
#include "metrics/adm/sweep_parts.hpp"
#include "metrics/adm/tile_sums.hpp"

namespace vmaf::adm {

inline constexpr std::array<int, 4> kLow = {15826, 27411, 7345, -4240};    // 3.4; sum kLowSum
inline constexpr std::array<int, 4> kHigh = {-4240, -7345, 27411, -15826}; // sum 0
inline constexpr int kLowSum = 46342;

// The contribution of a row of masking coefficients to thresholds (3.8), the three bands together: every sample adds
// `neighbour` to all nine thresholds around it, and `centre` (kappa - nu) to its own.
struct MaskRow {
    std::int32_t *neighbour, *centre;
};

// The same in 16 bits for scale 0, if the weights permit (fits_narrow): neighbour - 32768; minus the centre's surplus
// and minus nine times 32768, even and odd columns separately.
struct NarrowMaskRow {
    std::int16_t *neighbour;
    std::int32_t *centre_even, *centre_odd;

    NarrowMaskRow at(int column) const { // must be even
        return {neighbour + column, centre_even + column / 2, centre_odd + column / 2};
    }
};

struct RowFunctions {
    // Vertical pass of scale 0: columns first .. first+count-1 of a picture line of `width` samples, with the border
    // columns -1, width, width+1 folded (1). `high` may be null.
    template <class T>
    using Vertical0 = void(const Rows<T> &rows, int width, int bits, int first, int count, std::int16_t *low,
                           std::int16_t *high);
    Vertical0<std::uint8_t> *vertical0_bytes;
    Vertical0<std::uint16_t> *vertical0_words;

    // Horizontal pass: output j uses elements 2j .. 2j+3 of the lines. Band A for columns 0 .. count-1, stored one
    // column late (the next scale's line begins with column -1); details for [from, to).
    void (*horizontal0)(const std::int16_t *low, const std::int16_t *high, int count, std::int16_t *approx, int from,
                        int to, const Bands<std::int16_t> &details);
    // Splits the distorted details t into restored r and additive a (3.5).
    void (*decouple0)(const In<std::int16_t> &o, const In<std::int16_t> &t, int from, int to, double gain_limit,
                      const Bands<std::int16_t> &r, const Bands<std::int16_t> &a);
    // The same in two steps, for several gain limits: |r0| and whether the angles agree (-1, else 0); then r and a for
    // each limit.
    void (*restore0)(const In<std::int16_t> &o, const In<std::int16_t> &t, int from, int to,
                     const Bands<std::int16_t> &r0, std::int16_t *same_angle);
    void (*limit0)(const In<std::int16_t> &o, const In<std::int16_t> &t, const In<std::int16_t> &r0,
                   const std::int16_t *same_angle, int from, int to, double gain_limit, const Bands<std::int16_t> &r,
                   const Bands<std::int16_t> &a);
    // Sum of cubed magnitudes (3.6).
    std::uint64_t (*denominator0)(const std::int16_t *o, int from, int to);
    // Also adds the terms of columns 0 .. count-1 to `totals`.
    std::uint64_t (*tile_denominator0)(const std::int16_t *o, int count, Range scored, std::int64_t *totals);
    // 3.8.
    void (*mask0)(const In<std::int16_t> &y, int from, int to, const ScalePlan &plan, const MaskRow &out);
    template <class Mask>
    using Pool0 = RowSums(const In<std::int16_t> &x, const std::array<Mask, 3> &mask, Range scored,
                          const ScalePlan &plan, std::uint32_t *scratch); // see pool
    template <class Mask>
    using TilePool0 = RowSums(const In<std::int16_t> &x, const std::array<Mask, 3> &mask, Range scored,
                              const ScalePlan &plan, std::uint32_t *scratch, const ColumnTotals &totals);
    Pool0<MaskRow> *pool0;
    TilePool0<MaskRow> *tile_pool0;
    // Null if a set has none.
    void (*narrow_mask0)(const In<std::int16_t> &y, int from, int to, const ScalePlan &plan, const NarrowMaskRow &out);
    Pool0<NarrowMaskRow> *narrow_pool0;
    TilePool0<NarrowMaskRow> *narrow_tile_pool0;

    // Scales 1..3. Vertical passes use elements [from, to) of rows stored one column late and folded.
    void (*vertical1)(const Rows<std::int16_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high);
    void (*vertical23)(const Rows<std::int32_t> &rows, int from, int to, std::int32_t *low, std::int32_t *high);
    // Band A (unless `approx` is null) for [approx_from, approx_to), details (if high is set) for [from, to).
    void (*horizontal)(const std::int32_t *low, const std::int32_t *high, int shift, int approx_from, int approx_to,
                       std::int32_t *approx, int from, int to, const Bands<std::int32_t> &details);
    void (*decouple)(const In<std::int32_t> &o, const In<std::int32_t> &t, int from, int to, double gain_limit,
                     const Bands<std::int32_t> &r, const Bands<std::int32_t> &a);
    void (*restore)(const In<std::int32_t> &o, const In<std::int32_t> &t, int from, int to,
                    const Bands<std::int32_t> &r0, std::int32_t *same_angle);
    void (*limit)(const In<std::int32_t> &o, const In<std::int32_t> &t, const In<std::int32_t> &r0,
                  const std::int32_t *same_angle, int from, int to, double gain_limit, const Bands<std::int32_t> &r,
                  const Bands<std::int32_t> &a);
    std::uint64_t (*denominator)(const std::int32_t *o, int from, int to, const ScalePlan &plan);
    // Also adds the terms of columns 0 .. count-1 to a band's `totals` (see ColumnTotals).
    std::uint64_t (*tile_denominator)(const std::int32_t *o, int count, Range scored, const ScalePlan &plan,
                                      std::int64_t *totals, std::ptrdiff_t odd);
    // `magnitude` receives |c|, which is also the component's signal.
    void (*mask)(const In<std::int32_t> &y, int from, int to, const ScalePlan &plan,
                 const Bands<std::int32_t> &magnitude, const MaskRow &out);
    // Sums component x, masked by the other one, over the scored columns; `mask` has the rows above, at and below.
    // `scratch` has room for three rows.
    RowSums (*pool)(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range scored,
                    const ScalePlan &plan, std::uint32_t *scratch);
    // Also adds the terms of all columns to `totals`.
    RowSums (*tile_pool)(const In<std::int32_t> &magnitude, const std::array<MaskRow, 3> &mask, Range scored,
                         const ScalePlan &plan, std::uint32_t *scratch, const ColumnTotals &totals);
};

const RowFunctions &scalar_rows();
const RowFunctions &rows_for(Isa isa); // the fastest set for the target

// Ranges of weights within which the 16-bit masks of scale 0 and the signed 32-bit products of the other scales cannot
// overflow. Modes 0, 2 and 3 are always inside.
bool fits_narrow(const ScalePlan &plan);
bool fits_vector(const ScalePlan &plan, int scale);

} // namespace vmaf::adm
