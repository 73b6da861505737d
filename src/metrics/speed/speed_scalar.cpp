// The steps in plain C++: the definition for every faster path.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "metrics/speed/speed_steps.hpp"

namespace vmaf::speed {

namespace {

template <class T> float filter_input(const FilterRows<T> &source, std::size_t k, int x) {
    if constexpr (std::is_same_v<T, float>) return source.rows[k][x];
    if (source.earlier.empty()) return float(source.rows[k][x]) * source.scale - 128.0f;
    return float(int(source.earlier[k][x]) - int(source.rows[k][x])) * source.scale;
}

template <class T> void filter_rows(const FilterRows<T> &source, float *sums) {
    std::fill_n(sums, source.width, 0.0f);
    for (std::size_t k = 0; k < source.taps.size(); k++)
        for (int x = 0; x < source.width; x++) sums[x] += source.taps[k] * filter_input(source, k, x);
}

void window_means(const WindowPlane &plane, Vector &means) {
    std::array<float, kSize> sums{};
    for (int y = 0; y < plane.height; y++)
        for (int x = 0; x < plane.width; x++)
            for (int e = 0; e < kSize; e++) sums[std::size_t(e)] += plane.z.row(y + e / kSide)[x + e % kSide];
    const float area = float(plane.width * plane.height);
    for (int e = 0; e < kSize; e++) means[e] = sums[std::size_t(e)] / area;
}

void covariance(const WindowPlane &plane, const Vector &means, Matrix &k) {
    std::array<std::array<double, kSize>, kSize> sums{};
    for (int y = 0; y < plane.height; y++)
        for (int x = 0; x < plane.width; x++) {
            std::array<double, kSize> centred;
            for (int e = 0; e < kSize; e++)
                centred[std::size_t(e)] = double(plane.z.row(y + e / kSide)[x + e % kSide]) - double(means[e]);
            for (std::size_t e = 0; e < kSize; e++)
                for (std::size_t f = 0; f <= e; f++) sums[e][f] += centred[e] * centred[f];
        }
    const double area = double(plane.width * plane.height);
    for (int e = 0; e < kSize; e++)
        for (int f = 0; f <= e; f++) k[e][f] = k[f][e] = float(sums[std::size_t(e)][std::size_t(f)] / area);
}

// T = T - x v' - v x' on rows and columns from p on, with x made from tau and v. T is exactly symmetric there, so sums
// over k may read rows instead of columns.
void apply_reflection(Matrix &t, const Vector &v, float tau, int p) {
    Vector x;
    for (int k = p; k < kSize; k++)
        for (int j = p; j < kSize; j++) x[j] += (tau * t[k][j]) * v[k];
    float dot = 0.0f;
    for (int j = p; j < kSize; j++) dot += x[j] * v[j];
    const float gamma = float((-0.5 * double(tau)) * double(dot));
    for (int j = p; j < kSize; j++) x[j] += gamma * v[j];
    for (int j = p; j < kSize; j++)
        for (int k = p; k < kSize; k++) t[j][k] -= x[j] * v[k] + v[j] * x[k];
}

void tridiagonalise(Matrix &t) {
    for (int i = 0; i + 2 < kSize; i++) {
        const int p = i + 1;
        float squares = 0.0f;
        for (int j = p + 1; j < kSize; j++) squares += t[j][i] * t[j][i];
        const float norm = std::sqrt(squares);
        if (norm == 0.0f) continue;
        const float alpha = t[p][i];
        const float beta = -(alpha >= 0.0f ? 1.0f : -1.0f) * std::sqrt(alpha * alpha + norm * norm);
        const float tau = (beta - alpha) / beta, scale = alpha - beta;
        Vector v;
        v[p] = 1.0f;
        for (int j = p + 1; j < kSize; j++) v[j] = t[j][i] / scale;
        t[p][i] = beta;
        if (tau != 0.0f) apply_reflection(t, v, tau, p);
    }
}

float norm_from(const Vector &v, int k) {
    float squares = 0.0f;
    for (int i = k; i < kSize; i++) squares += v[i] * v[i];
    return std::sqrt(squares);
}

// The unit vector of the reflection that clears column k of b below its diagonal; zeros above k.
Vector reflection_vector(const Matrix &b, int k, float original_diagonal) {
    Vector v;
    for (int i = k; i < kSize; i++) v[i] = b[i][k];
    // Quirk: the sign comes from the original matrix, not from the one being reduced.
    v[k] += (original_diagonal >= 0.0f ? 1.0f : -1.0f) * norm_from(v, k);
    const float length = norm_from(v, k);
    for (int i = k; i < kSize; i++) v[i] /= length;
    return v;
}

// Rows from k on of H * m with H = 1 - 2 v v'. H is the identity elsewhere, so only zero terms are skipped.
void reflect_rows(const Vector &v, Matrix &m, int k) {
    Matrix product;
    for (int i = k; i < kSize; i++) {
        const float twice = -2.0f * v[i];
        for (int l = k; l < kSize; l++) {
            const float h = l == i ? twice * v[l] + 1.0f : twice * v[l];
            for (int j = 0; j < kSize; j++) product[i][j] += h * m[l][j];
        }
    }
    for (int i = k; i < kSize; i++) m[i] = product[i];
}

void orthogonal_factor(const Matrix &k, Matrix &q, Matrix &r) {
    Matrix b = k;
    q = {};
    for (int i = 0; i < kSize; i++) q[i][i] = 1.0f;
    for (int i = 0; i + 1 < kSize; i++) {
        const Vector v = reflection_vector(b, i, k[i][i]);
        reflect_rows(v, b, i);
        reflect_rows(v, q, i);
    }
    r = {};
    for (int i = 0; i < kSize; i++)
        for (int l = 0; l < kSize; l++)
            for (int j = i; j < kSize; j++) r[i][j] += q[i][l] * k[l][j];
}

void block_energies(const Matrix &q, const Matrix &r, const BlockMatrix &y, float *energies) {
    for (int b = 0; b < y.columns(); b++) {
        Vector x;
        for (int i = 0; i < kSize; i++)
            for (int k = 0; k < kSize; k++) x[i] += q[i][k] * y.row(k)[b];
        for (int i = kSize - 1; i >= 0; i--) {
            for (int k = i + 1; k < kSize; k++) x[i] -= x[k] * r[i][k];
            x[i] /= r[i][i];
        }
        float energy = 0.0f;
        for (int e = 0; e < kSize; e++) energy += (x[e] * y.row(e)[b]) / float(kSize);
        energies[b] = energy;
    }
}

} // namespace

const Steps kScalarSteps = {
    .filter_bytes = filter_rows<std::uint8_t>,
    .filter_words = filter_rows<std::uint16_t>,
    .filter_floats = filter_rows<float>,
    .window_means = window_means,
    .covariance = covariance,
    .tridiagonalise = tridiagonalise,
    .orthogonal_factor = orthogonal_factor,
    .block_energies = block_energies,
};

} // namespace vmaf::speed
