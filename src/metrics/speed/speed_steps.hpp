// The steps of SpEED that benefit from vectors. Every function has one defined order of additions per result; vectors
// run across results, so all paths give the same bits (speed.md 10).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.hpp"
#include "cpu/cpu.hpp"
#include "picture/picture.hpp"

namespace vmaf::speed {

inline constexpr int kSide = 5;             // of a block
inline constexpr int kSize = kSide * kSide; // samples of a block: order of the covariance matrix
inline constexpr int kPadded = 32;          // floats per matrix row, for whole vectors

struct alignas(kAlignment) Vector {
    std::array<float, kPadded> values{};

    float &operator[](int i) { return values[std::size_t(i)]; }
    float operator[](int i) const { return values[std::size_t(i)]; }
    float *data() { return values.data(); }
    const float *data() const { return values.data(); }
};

// kSize rows; data after column kSize of a row is meaningless.
struct Matrix {
    std::array<Vector, kSize> rows{};

    Vector &operator[](int i) { return rows[std::size_t(i)]; }
    const Vector &operator[](int i) const { return rows[std::size_t(i)]; }
};

// kSize rows with one column per block.
class BlockMatrix {
  public:
    explicit BlockMatrix(int columns)
        : columns_(columns), stride_(round_up<std::ptrdiff_t>(columns, kAlignment / sizeof(float))),
          samples_(std::size_t(stride_) * kSize) {}

    int columns() const { return columns_; }
    float *row(int e) { return samples_.data() + e * stride_; }
    const float *row(int e) const { return samples_.data() + e * stride_; }

  private:
    int columns_;
    std::ptrdiff_t stride_;
    AlignedArray<float> samples_;
};

// The rows under a vertical filter, one per tap: sample * scale - 128, or with `earlier` rows the change (earlier -
// sample) * scale. Float samples are used unchanged.
template <class T> struct FilterRows {
    std::span<const T *const> rows, earlier;
    std::span<const float> taps;
    float scale = 1;
    int width = 0;
};

// The window that slides over the working plane: kSide shifts down and across (speed.md 5).
struct WindowPlane {
    PlaneView<float> z;
    int width, height; // of the window
};

struct Steps {
    // sums[x] = 0 + taps[0] * row[0][x] + taps[1] * row[1][x] + ... (4.3). May write up to kOverreadBytes beyond.
    void (*filter_bytes)(const FilterRows<std::uint8_t> &source, float *sums);
    void (*filter_words)(const FilterRows<std::uint16_t> &source, float *sums);
    void (*filter_floats)(const FilterRows<float> &source, float *sums);
    // Mean of the window at each of the kSize shifts, and their covariances (5).
    void (*window_means)(const WindowPlane &plane, Vector &means);
    void (*covariance)(const WindowPlane &plane, const Vector &means, Matrix &k);
    // Householder reduction of a symmetric matrix; afterwards only its diagonal and the elements below it count (6.1).
    void (*tridiagonalise)(Matrix &t);
    // Q and the upper triangle of R = Q * k (7, steps 1 to 3).
    void (*orthogonal_factor)(const Matrix &k, Matrix &q, Matrix &r);
    // S of each block: back substitution of R * X = Q * Y, then the mean of X * Y (7, steps 4 and 5).
    void (*block_energies)(const Matrix &q, const Matrix &r, const BlockMatrix &y, float *energies);
};

extern const Steps kScalarSteps;
const Steps &steps_for(Isa isa);

} // namespace vmaf::speed
