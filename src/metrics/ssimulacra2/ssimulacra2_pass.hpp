// One pass over the rows per scale. Rows travel in groups through colour conversion, blur and maps, so that nothing
// but the halved pictures for the next scale is ever stored whole.
#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"
#include "picture/picture.hpp"

namespace vmaf::ssimulacra2 {

class Passes {
  public:
    Passes(const PictureFormat &format, int matrix);

    double score(const Picture &ref, const Picture &dist);

  private:
    struct Scale {
        int width, height;
        AlignedArray<float> linear; // R, G, B of the reference, then of the distorted picture; empty at scale 0
    };
    using Pair = std::array<const Picture *, 2>;

    void score_scale(std::size_t scale, const Pair &pictures, AllSums &sums);
    void convert_row(std::size_t scale, int picture, const Picture &source, int y);
    template <class T> void linear_row_of(const Picture &source, int y, const Rows &rgb);
    Rows linear_rows(std::size_t scale, int picture, int y);
    RowGroup row_group(std::size_t scale, int channel, int first, int count);

    PictureFormat format_;
    YuvMatrix matrix_;
    std::vector<Scale> scales_;
    std::ptrdiff_t stride_;       // of all rows
    AlignedArray<int> columns_;   // chroma position of each luma column
    AlignedArray<float> linear_;  // scale 0: two rows of R, G, B per picture
    AlignedArray<float> xyb_;     // rings, per picture and channel
    AlignedArray<float> blurred_; // rings, per channel and signal
    AlignedArray<float> states_;  // per channel and signal
    AlignedArray<float> outputs_;
    AlignedArray<float> zeros_;
};

} // namespace vmaf::ssimulacra2
