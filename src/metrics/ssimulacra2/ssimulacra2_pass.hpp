// One pass over a pair of pictures per scale, in strips of columns and groups of rows (RowGroup). Only the halved
// pictures for the next scale are stored completely.
#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "metrics/metric.hpp"
#include "metrics/ssimulacra2/ssimulacra2_stages.hpp"
#include "picture/picture.hpp"

namespace vmaf::ssimulacra2 {

class Passes {
  public:
    Passes(const PictureFormat &format, int matrix, Isa isa);

    // Several workers convert rows in parallel, and then channels; the results do not change.
    double score(const Picture &ref, const Picture &dist, Parallel &parallel);

  private:
    struct Scale {
        int width, height;
        std::ptrdiff_t stride;
        AlignedArray<float> linear; // R, G, B of the reference, then of the distorted picture; empty at scale 0
    };
    struct Strip {
        int left, columns, loaded; // loaded: including the columns that the blur looks ahead
    };
    using Pair = std::array<const Picture *, 2>;

    void score_strip(std::size_t scale, const Strip &strip, const Pair &pictures, AllSums &sums);
    void score_strip(std::size_t scale, const Strip &strip, const Pair &pictures, AllSums &sums, Parallel &parallel);
    // `worker`: the index of the buffers to use.
    void convert_rows(std::size_t scale, const Strip &strip, const Pair &pictures, int first, int end, unsigned worker);
    void convert_row(std::size_t scale, const Strip &strip, int picture, const Picture &source, int y, unsigned worker);
    template <class T>
    void linear_row(LinearRow<T> *function, const Strip &strip, const Picture &source, int y, const Rows &rgb);
    void score_channel(std::size_t scale, const Strip &strip, int channel, int first, AllSums &sums, unsigned worker);
    Rows linear_rows(std::size_t scale, int left, int picture, int y, unsigned worker);
    void make_workers(unsigned workers);

    const ColourFunctions &colour_;
    const BlurFunctions &blur_;
    PictureFormat format_;
    YuvMatrix matrix_;
    std::vector<Scale> scales_;
    int strip_;                   // columns
    std::ptrdiff_t stride_ = 0;   // of a strip's rows
    int columns_each_ = 0;        // luma columns per chroma column, or 0
    AlignedArray<int> columns_;   // chroma position of each luma column
    AlignedArray<float> xyb_;     // rings, per picture and channel
    int xyb_ring_ = kRing;        // rows per ring; all rows of a strip if channels run in parallel
    AlignedArray<float> blurred_; // rings, per channel and signal
    AlignedArray<float> states_;  // per channel and signal
    AlignedArray<float> carries_; // per channel and group of rows
    struct Worker {
        AlignedArray<float> linear;  // scale 0: two rows of R, G, B per picture
        AlignedArray<float> outputs; // of the vertical blur
    };
    std::vector<Worker> workers_;
    AlignedArray<float> zeros_;
};

} // namespace vmaf::ssimulacra2
