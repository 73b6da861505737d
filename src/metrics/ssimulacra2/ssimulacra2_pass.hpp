// One pass over a pair of pictures per scale, in strips of columns and groups of rows (RowGroup). Nothing but the
// halved pictures for the next scale is ever stored whole.
#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"
#include "picture/picture.hpp"

namespace vmaf::ssimulacra2 {

class Passes {
  public:
    Passes(const PictureFormat &format, int matrix, Isa isa);

    double score(const Picture &ref, const Picture &dist);

  private:
    struct Scale {
        int width, height;
        std::ptrdiff_t stride;
        AlignedArray<float> linear; // R, G, B of the reference, then of the distorted picture; empty at scale 0
    };
    struct Strip {
        int left, columns, loaded; // loaded: with those that the blur looks ahead
    };
    using Pair = std::array<const Picture *, 2>;

    void score_scale(std::size_t scale, const Pair &pictures, AllSums &sums);
    void score_strip(std::size_t scale, const Strip &strip, const Pair &pictures, AllSums &sums);
    void convert_row(std::size_t scale, const Strip &strip, int picture, const Picture &source, int y);
    template <class T>
    void linear_row(LinearRow<T> *function, const Strip &strip, const Picture &source, int y, const Rows &rgb);
    Rows linear_rows(std::size_t scale, int left, int picture, int y);
    RowGroup row_group(std::size_t scale, const Strip &strip, int channel, int first, int count);

    const ColourKernels &colour_;
    const BlurKernels &blur_;
    PictureFormat format_;
    YuvMatrix matrix_;
    std::vector<Scale> scales_;
    int strip_;                   // columns
    std::ptrdiff_t stride_ = 0;   // of a strip's rows
    int columns_each_ = 0;        // luma columns per chroma column, or 0
    AlignedArray<int> columns_;   // chroma position of each luma column
    AlignedArray<float> linear_;  // scale 0: two rows of R, G, B per picture
    AlignedArray<float> xyb_;     // rings, per picture and channel
    AlignedArray<float> blurred_; // rings, per channel and signal
    AlignedArray<float> states_;  // per channel and signal
    AlignedArray<float> carries_; // per channel and group of rows
    AlignedArray<float> outputs_;
    AlignedArray<float> zeros_;
};

} // namespace vmaf::ssimulacra2
