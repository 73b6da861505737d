// The steps on vectors. Lanes hold different results, each added up in the scalar code's order: the bits are the
// same.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "metrics/speed/speed_steps.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/speed/speed_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
HWY_BEFORE_NAMESPACE();
namespace vmaf::speed::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DD = hn::ScalableTag<double>;
using VF = hn::Vec<DF>;
using VD = hn::Vec<DD>;

constexpr int kFloats = HWY_LANES(float);
constexpr int kDoubles = HWY_LANES(double);
constexpr int kRowVectors = kPadded / kFloats; // of a matrix row

template <class T> HWY_INLINE VF filter_input(const FilterRows<T> &source, std::size_t k, int x, VF scale) {
    const DF d;
    if constexpr (std::is_same_v<T, float>) {
        return hn::LoadU(d, source.rows[k] + x);
    } else {
        const hn::RebindToSigned<DF> di;
        const hn::Rebind<T, DF> dt;
        const auto sample = hn::PromoteTo(di, hn::LoadU(dt, source.rows[k] + x));
        if (source.earlier.empty()) return hn::Sub(hn::Mul(hn::ConvertTo(d, sample), scale), hn::Set(d, 128.0f));
        const auto before = hn::PromoteTo(di, hn::LoadU(dt, source.earlier[k] + x));
        return hn::Mul(hn::ConvertTo(d, hn::Sub(before, sample)), scale);
    }
}

template <class T> void filter_rows(const FilterRows<T> &source, float *sums) {
    constexpr int kGroup = kOverreadBytes / sizeof(float) / kFloats; // vectors in hand; as far as over-reading may go
    const DF d;
    const VF scale = hn::Set(d, source.scale);
    for (int x = 0; x < source.width; x += kGroup * kFloats) {
        VF sum[kGroup];
        for (VF &s : sum) s = hn::Zero(d);
        for (std::size_t k = 0; k < source.taps.size(); k++) {
            const VF tap = hn::Set(d, source.taps[k]);
            for (int i = 0; i < kGroup; i++)
                sum[i] = hn::Add(sum[i], hn::Mul(tap, filter_input(source, k, x + i * kFloats, scale)));
        }
        for (int i = 0; i < kGroup; i++) hn::StoreU(sum[i], d, sums + x + i * kFloats);
    }
}

void window_means(const WindowPlane &plane, Vector &means) {
    constexpr int kReach = 8; // columns read from each position; the first kSide of them count
    const hn::CappedTag<float, kReach> d;
    constexpr int kLanes = int(hn::MaxLanes(d)), kVectors = kReach / kLanes;
    hn::Vec<decltype(d)> sums[kSide][kVectors];
    for (auto &row : sums)
        for (auto &sum : row) sum = hn::Zero(d);
    for (int y = 0; y < plane.height; y++) {
        const float *const rows[kSide] = {plane.z.row(y), plane.z.row(y + 1), plane.z.row(y + 2), plane.z.row(y + 3),
                                          plane.z.row(y + 4)};
        for (int x = 0; x < plane.width; x++)
            for (int r = 0; r < kSide; r++)
                for (int i = 0; i < kVectors; i++)
                    sums[r][i] = hn::Add(sums[r][i], hn::LoadU(d, rows[r] + x + i * kLanes));
    }
    const float area = float(plane.width * plane.height);
    for (int r = 0; r < kSide; r++) {
        HWY_ALIGN float values[kReach];
        for (int i = 0; i < kVectors; i++) hn::Store(sums[r][i], d, values + i * kLanes);
        for (int c = 0; c < kSide; c++) means[kSide * r + c] = values[c] / area;
    }
}

constexpr int kPixels = 64; // whose centred samples are in hand at a time: 16 KiB
using PixelRows = double[kPixels][kPadded];

// The kSize samples under the window at columns x .. x + count of row y, less their means. Each row of the block is
// stored with a few samples too many, which the next one overwrites.
void centre_pixels(const WindowPlane &plane, const double *means, int y, int x, int count, PixelRows &out) {
    constexpr int kReach = 8;
    const DD d;
    const hn::Rebind<float, DD> df;
    for (int r = 0; r < kSide; r++) {
        const float *const row = plane.z.row(y + r) + x;
        for (int i = 0; i < kReach; i += kDoubles) {
            const VD mean = hn::LoadU(d, means + kSide * r + i);
            for (int p = 0; p < count; p++)
                hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(df, row + p + i)), mean), d, out[p] + kSide * r + i);
        }
    }
}

// Adds the products of five samples with `Vectors` vectors of samples, pixel after pixel.
template <int Vectors>
HWY_INLINE void add_products(const PixelRows &pixels, int count, int e, int f, double (*sums)[kPadded]) {
    const DD d;
    VD acc[kSide][Vectors];
    for (int a = 0; a < kSide; a++)
        for (int v = 0; v < Vectors; v++) acc[a][v] = hn::Load(d, sums[e + a] + f + v * kDoubles);
    for (int p = 0; p < count; p++) {
        VD other[Vectors];
        for (int v = 0; v < Vectors; v++) other[v] = hn::Load(d, pixels[p] + f + v * kDoubles);
        for (int a = 0; a < kSide; a++) {
            const VD one = hn::Set(d, pixels[p][e + a]);
            for (int v = 0; v < Vectors; v++) acc[a][v] = hn::Add(acc[a][v], hn::Mul(one, other[v]));
        }
    }
    for (int a = 0; a < kSide; a++)
        for (int v = 0; v < Vectors; v++) hn::Store(acc[a][v], d, sums[e + a] + f + v * kDoubles);
}

void covariance(const WindowPlane &plane, const Vector &means, Matrix &k) {
    constexpr int kTile = HWY_TARGET == HWY_AVX2 ? 2 : 4; // vectors of sums per row that registers hold
    HWY_ALIGN double sums[kSize][kPadded] = {};
    HWY_ALIGN PixelRows pixels = {};
    HWY_ALIGN double wide_means[kPadded + 8] = {};
    for (int e = 0; e < kSize; e++) wide_means[e] = double(means[e]);
    for (int y = 0; y < plane.height; y++)
        for (int x = 0; x < plane.width; x += kPixels) {
            const int count = std::min(kPixels, plane.width - x);
            centre_pixels(plane, wide_means, y, x, count, pixels);
            for (int e = 0; e < kSize; e += kSide) {
                for (int f = 0; f < e + kSide;) {
                    const int vectors = (e + kSide - f + kDoubles - 1) / kDoubles;
                    if (vectors >= kTile) {
                        add_products<kTile>(pixels, count, e, f, sums);
                        f += kTile * kDoubles;
                    } else if (vectors >= 2) {
                        add_products<2>(pixels, count, e, f, sums);
                        f += 2 * kDoubles;
                    } else {
                        add_products<1>(pixels, count, e, f, sums);
                        f += kDoubles;
                    }
                }
            }
        }
    const double area = double(plane.width * plane.height);
    for (int e = 0; e < kSize; e++)
        for (int f = 0; f <= e; f++) k[e][f] = k[f][e] = float(sums[e][f] / area);
}

// T = T - x v' - v x' from row p on. Columns left of p get numbers without meaning.
void apply_reflection(Matrix &t, const Vector &v, float tau, int p) {
    const DF d;
    VF sums[kRowVectors];
    for (VF &sum : sums) sum = hn::Zero(d);
    const VF factor = hn::Set(d, tau);
    for (int k = p; k < kSize; k++) {
        const VF other = hn::Set(d, v[k]);
        for (int i = 0; i < kRowVectors; i++)
            sums[i] = hn::Add(sums[i], hn::Mul(hn::Mul(factor, hn::Load(d, t[k].data() + i * kFloats)), other));
    }
    Vector x;
    for (int i = 0; i < kRowVectors; i++) hn::Store(sums[i], d, x.data() + i * kFloats);
    float dot = 0.0f;
    for (int j = p; j < kSize; j++) dot += x[j] * v[j];
    const VF gamma = hn::Set(d, float((-0.5 * double(tau)) * double(dot)));
    for (int i = 0; i < kRowVectors; i++) {
        sums[i] = hn::Add(sums[i], hn::Mul(gamma, hn::Load(d, v.data() + i * kFloats)));
        hn::Store(sums[i], d, x.data() + i * kFloats);
    }
    for (int j = p; j < kSize; j++) {
        const VF xj = hn::Set(d, x[j]), vj = hn::Set(d, v[j]);
        for (int i = 0; i < kRowVectors; i++) {
            float *const row = t[j].data() + i * kFloats;
            const VF change = hn::Add(hn::Mul(xj, hn::Load(d, v.data() + i * kFloats)), hn::Mul(vj, sums[i]));
            hn::Store(hn::Sub(hn::Load(d, row), change), d, row);
        }
    }
}

void tridiagonalise(Matrix &t) {
    const DF d;
    Vector diagonal, below;
    for (int i = 0; i + 2 < kSize; i++) {
        const int p = i + 1;
        const Vector &row = t[i]; // equal to column i
        diagonal[i] = row[i];
        below[i] = row[p];
        float squares = 0.0f;
        for (int j = p + 1; j < kSize; j++) squares += row[j] * row[j];
        const float norm = std::sqrt(squares);
        if (norm == 0.0f) continue;
        const float alpha = row[p];
        const float beta = -(alpha >= 0.0f ? 1.0f : -1.0f) * std::sqrt(alpha * alpha + norm * norm);
        const float tau = (beta - alpha) / beta;
        below[i] = beta;
        if (tau == 0.0f) continue;
        Vector v;
        const VF scale = hn::Set(d, alpha - beta);
        for (int k = 0; k < kPadded; k += kFloats)
            hn::Store(hn::Div(hn::Load(d, row.data() + k), scale), d, v.data() + k);
        std::fill_n(v.data(), p, 0.0f);
        v[p] = 1.0f;
        apply_reflection(t, v, tau, p);
    }
    for (int i = 0; i + 2 < kSize; i++) {
        t[i][i] = diagonal[i];
        t[i + 1][i] = below[i];
    }
}

// Rows i and i + 1 of a product: out[i] = 0 + sum over l from k on of h[i][l] * m[l].
HWY_INLINE void multiply_rows(const float *h0, const float *h1, const Matrix &m, int k, Vector &out0, Vector &out1) {
    const DF d;
    VF sum0[kRowVectors], sum1[kRowVectors];
    for (int i = 0; i < kRowVectors; i++) sum0[i] = sum1[i] = hn::Zero(d);
    for (int l = k; l < kSize; l++) {
        const VF first = hn::Set(d, h0[l]), second = hn::Set(d, h1[l]);
        for (int i = 0; i < kRowVectors; i++) {
            const VF row = hn::Load(d, m[l].data() + i * kFloats);
            sum0[i] = hn::Add(sum0[i], hn::Mul(first, row));
            sum1[i] = hn::Add(sum1[i], hn::Mul(second, row));
        }
    }
    for (int i = 0; i < kRowVectors; i++) {
        hn::Store(sum0[i], d, out0.data() + i * kFloats);
        hn::Store(sum1[i], d, out1.data() + i * kFloats);
    }
}

// Rows from k on of H * m; `h` has H's rows. An odd last row is computed twice.
HWY_INLINE void multiply_from(const Matrix &h, const Matrix &m, int k, Matrix &out) {
    for (int i = k; i < kSize; i += 2) {
        const int next = std::min(i + 1, kSize - 1);
        multiply_rows(h[i].data(), h[next].data(), m, k, out[i], out[next]);
    }
}

float norm_from(const Vector &v, int k) {
    float squares = 0.0f;
    for (int i = k; i < kSize; i++) squares += v[i] * v[i];
    return std::sqrt(squares);
}

// The unit vector of the reflection that clears column k of b below its diagonal; zeros elsewhere.
Vector reflection_vector(const Matrix &b, int k, float original_diagonal) {
    const DF d;
    Vector v;
    for (int i = k; i < kSize; i++) v[i] = b[i][k];
    v[k] += (original_diagonal >= 0.0f ? 1.0f : -1.0f) * norm_from(v, k); // a quirk: not b's diagonal
    const VF length = hn::Set(d, norm_from(v, k));
    for (int i = 0; i < kPadded; i += kFloats) hn::Store(hn::Div(hn::Load(d, v.data() + i), length), d, v.data() + i);
    return v;
}

void orthogonal_factor(const Matrix &k, Matrix &q, Matrix &r) {
    const DF d;
    Matrix b = k, h, product;
    q = {};
    for (int i = 0; i < kSize; i++) q[i][i] = 1.0f;
    for (int step = 0; step + 1 < kSize; step++) {
        const Vector v = reflection_vector(b, step, k[step][step]);
        for (int i = step; i < kSize; i++) {
            const VF twice = hn::Set(d, -2.0f * v[i]);
            for (int l = 0; l < kPadded; l += kFloats)
                hn::Store(hn::Mul(twice, hn::Load(d, v.data() + l)), d, h[i].data() + l);
            h[i][i] += 1.0f;
        }
        for (Matrix *m : {&b, &q}) {
            multiply_from(h, *m, step, product);
            std::copy(product.rows.begin() + step, product.rows.end(), m->rows.begin() + step);
        }
    }
    multiply_from(q, k, 0, r);
}

void block_energies(const Matrix &q, const Matrix &r, const BlockMatrix &y, float *energies) {
    constexpr int kGroup = 2; // vectors in hand: back substitution is one long chain
    const DF d;
    for (int b = 0; b < y.columns(); b += kGroup * kFloats) {
        VF x[kSize][kGroup];
        for (int i = 0; i < kSize; i += kSide) {
            VF sums[kSide][kGroup];
            for (auto &sum : sums)
                for (VF &s : sum) s = hn::Zero(d);
            for (int k = 0; k < kSize; k++)
                for (int a = 0; a < kSide; a++)
                    for (int g = 0; g < kGroup; g++)
                        sums[a][g] = hn::Add(
                            sums[a][g], hn::Mul(hn::Set(d, q[i + a][k]), hn::LoadU(d, y.row(k) + b + g * kFloats)));
            for (int a = 0; a < kSide; a++)
                for (int g = 0; g < kGroup; g++) x[i + a][g] = sums[a][g];
        }
        for (int i = kSize - 1; i >= 0; i--)
            for (int g = 0; g < kGroup; g++) {
                VF value = x[i][g];
                for (int k = i + 1; k < kSize; k++) value = hn::Sub(value, hn::Mul(x[k][g], hn::Set(d, r[i][k])));
                x[i][g] = hn::Div(value, hn::Set(d, r[i][i]));
            }
        for (int g = 0; g < kGroup; g++) {
            VF energy = hn::Zero(d);
            for (int e = 0; e < kSize; e++)
                energy = hn::Add(energy, hn::Div(hn::Mul(x[e][g], hn::LoadU(d, y.row(e) + b + g * kFloats)),
                                                 hn::Set(d, float(kSize))));
            HWY_ALIGN float values[kFloats];
            hn::Store(energy, d, values);
            const int first = b + g * kFloats;
            std::copy_n(values, std::clamp(y.columns() - first, 0, kFloats), energies + first);
        }
    }
}

constexpr Steps kSteps = {
    .filter_bytes = filter_rows<std::uint8_t>,
    .filter_words = filter_rows<std::uint16_t>,
    .filter_floats = filter_rows<float>,
    .window_means = window_means,
    .covariance = covariance,
    .tridiagonalise = tridiagonalise,
    .orthogonal_factor = orthogonal_factor,
    .block_energies = block_energies,
};

} // namespace vmaf::speed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::speed {

const Steps &steps_for(Isa isa) {
    static constexpr SimdTable<const Steps> kTable = {.scalar = &kScalarSteps, VMAF_VECTOR_VERSIONS(kSteps)};
    return *kTable.pick(isa);
}

} // namespace vmaf::speed
#endif
