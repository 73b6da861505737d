// Computes a SpEED score from a pair of planes (speed.md 2 to 8).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "metrics/common/float_filter.hpp"
#include "metrics/common/resize.hpp"
#include "metrics/metric.hpp"
#include "metrics/speed/speed_steps.hpp"

namespace vmaf::speed {

struct Settings {
    float kernel_scale = 1;
    double prescale = 1;
    ResizeMethod prescale_method = ResizeMethod::nearest;
    float sigma = 0.29f;
    float noise_floor = 0;
    int weight_mode = 0;
};

struct Geometry {
    int width, height;                 // of the source plane
    bool scales;                       // whether the plane is scaled first
    int scaled_width, scaled_height;   // Ws, Hs
    int working_width, working_height; // Wd, Hd
    int blocks_across, blocks_down;    // nh, nv
    int window_width, window_height;   // Sw, Sh

    Geometry(int width, int height, double prescale);
    bool usable() const { return blocks_across > 0 && blocks_down > 0; }
};

inline constexpr int kSmallestScaledSide = 80; // 16 * kSide

// A plane's contribution to the score: energy and entropy of its blocks (7).
struct BlockStatistics {
    std::span<const float> energy, entropy;
    bool singular = false;
};
float block_entropy(std::span<const float> eigenvalues, float energy, float sigma);

std::vector<float> anti_alias_taps(float kernel_scale);
std::vector<float> local_mean_taps(float kernel_scale);

// Analyses planes of one size; owns all working memory.
class PlaneAnalyser {
  public:
    PlaneAnalyser(const Geometry &geometry, const Settings &settings, unsigned bits, const Steps &steps);

    // Analyses a plane, or the change `earlier` - `plane` if there is an earlier picture.
    void analyse(const Picture &picture, const Picture *earlier, unsigned plane);

    BlockStatistics statistics() const { return {energy_, entropy_, singular_}; }
    // Results of the last analysis, for tests.
    const Vector &eigenvalues() const { return lambda_; }

  private:
    template <class T> void decimate(const PlaneView<T> &samples, const PlaneView<T> *earlier);
    template <class T> void decimate_scaled(const PlaneView<T> &samples, const PlaneView<T> *earlier);
    template <class T> void scale_rows(const PlaneView<T> &samples, const PlaneView<T> *earlier, int begin, int end);
    template <class T, class RowOf, class Filter>
    void filter_row(int y, RowOf row_of, const PlaneView<T> *earlier, Filter filter);
    void remove_local_mean();
    void collect_blocks();
    void solve();

    Geometry geometry_;
    Settings settings_;
    unsigned bits_;
    const Steps &steps_;
    std::vector<float> taps_; // of the anti-alias filter
    FloatFilter mean_filter_;
    std::optional<Resizer> resizer_;
    FloatPlane source_;        // if planes are scaled: the source rows of the next scaled rows
    FloatPlane scaled_;        // a ring of scaled rows, one per tap
    AlignedArray<float> line_; // a row between the passes, with room for its reflection
    int line_margin_;
    FloatPlane working_, local_mean_;
    BlockMatrix blocks_;
    Matrix covariance_, tridiagonal_, q_, r_;
    Vector means_, lambda_;
    std::vector<float> energy_, entropy_; // of blocks
    bool singular_ = false;
};

struct PlaneScore {
    float value;
    bool singular; // the covariance matrix of one or both planes is not invertible
};

PlaneScore plane_score(const BlockStatistics &reference, const BlockStatistics &distorted, const Settings &settings);

// The figures of a frame of speed_chroma: u, v and both combined (9.1).
void fill_chroma_figures(const PlaneScore &u, const PlaneScore &v, FrameResult &result);

} // namespace vmaf::speed
