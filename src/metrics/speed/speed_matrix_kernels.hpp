// Device kernels of SpEED, second part: eigenvalues and orthogonal factor of the covariance matrices, then energy and
// entropy of every block (speed.md 6 and 7). Orders of additions are those of speed_scalar.cpp.
#pragma once

#include "device/soft_f64.hpp"
#include "metrics/speed/speed_plane_kernels.hpp"
#include "metrics/speed/speed_qr.hpp"

namespace vmaf {
namespace kernels {

constexpr u64 kSpeedEntropyConstant = 0x40106073a671183dull; // log2(2 * pi * e)

// Of a plane's covariance matrix: Q, then R.
constexpr int kSpeedFactors = 2 * kSpeedSize * kSpeedSize;

// Results: of one plane, followed by the energies of all blocks and by their entropies.
struct SpeedPlaneHead {
    float eigenvalues[kSpeedSize];
    u32 unconverged; // 1: the iteration was given up
    u32 singular;    // 1: the matrix cannot be inverted
    u32 pad[5];
};

struct SpeedMatrixArgs {
    SpeedArray<const float> covariance;
    SpeedArray<float> factors; // kSpeedFactors
    SpeedArray<float> results; // a SpeedPlaneHead
};

// Block 0 of a plane finds the eigenvalues, block 1 the factor.
template <class C> struct speed_matrix {
    using Args = SpeedMatrixArgs;
    using F = typename C::f64;
    static constexpr int kThreads = 256, kMinBlocks = 2;
    static constexpr int kTileWidth = 0, kTileHeight = 0;
    static constexpr int kOrder = kSpeedSize;
    static constexpr int kStride = 2 * kOrder + 2; // of a row: the matrix being reduced, and Q beside it
    static constexpr int kColumnThreads = 64, kRowStep = kThreads / kColumnThreads;
    static constexpr int kRows = (kOrder + kRowStep - 1) / kRowStep; // of a thread
    struct SharedMemory {
        float k[kOrder * kOrder];
        float m[kOrder * kStride];
        float v[kOrder], x[kOrder];
        float d[kOrder + 1], u[kOrder + 1];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        Global<const float> k = a.covariance.of(c.frame, c.block_y);
        for (int i = c.thread; i < kOrder * kOrder; i += kThreads) {
            s->k[i] = C::load(k + i);
            s->m[i / kOrder * kStride + i % kOrder] = s->k[i];
            s->m[i / kOrder * kStride + kOrder + i % kOrder] = i / kOrder == i % kOrder ? 1.0f : 0.0f;
        }
        c.barrier();
        if (c.block_x == 0) {
            tridiagonalise(c, s);
            for (int j = c.thread; j < kOrder; j += kThreads) {
                s->d[j] = s->m[j * kStride + j];
                if (j + 1 < kOrder) s->u[j] = s->m[(j + 1) * kStride + j];
            }
            c.barrier();
            Global<SpeedPlaneHead> head = reinterpret_cast<Global<SpeedPlaneHead>>(a.results.of(c.frame, c.block_y));
            if (c.thread == 0) head->unconverged = !SpeedQr<C, Shared<float>>::run(s->d, s->u);
            c.barrier();
            for (int j = c.thread; j < kOrder; j += kThreads) head->eigenvalues[j] = s->d[j];
        } else {
            orthogonal_factor(c, s);
            write_factors(c, s, a.factors.of(c.frame, c.block_y));
        }
    }

  private:
    // 6.1. The matrix stays symmetric to the last bit, so that sums over a row may read a column.
    static VMAF_DEVICE_FN void tridiagonalise(C &c, Shared<SharedMemory> s) {
        Shared<float> t = s->m;
        for (int i = 0; i + 2 < kOrder; i++) {
            const int p = i + 1;
            float squares = 0.0f;
            for (int j = p + 1; j < kOrder; j++) squares += t[j * kStride + i] * t[j * kStride + i];
            const float norm = C::square_root(squares);
            if (norm == 0.0f) continue; // for all threads
            const float alpha = t[p * kStride + i];
            const float beta = -(alpha >= 0.0f ? 1.0f : -1.0f) * C::square_root(alpha * alpha + norm * norm);
            const float tau = C::divide(beta - alpha, beta), scale = alpha - beta;
            const int own = c.thread;
            if (own >= p && own < kOrder) s->v[own] = own == p ? 1.0f : C::divide(t[own * kStride + i], scale);
            c.barrier();
            if (c.thread == 0) t[p * kStride + i] = beta;
            if (tau == 0.0f) continue;
            if (own >= p && own < kOrder) {
                float x = 0.0f;
                for (int k = p; k < kOrder; k++) x += (tau * t[k * kStride + own]) * s->v[k];
                s->x[own] = x;
            }
            c.barrier();
            float dot = 0.0f;
            for (int j = p; j < kOrder; j++) dot += s->x[j] * s->v[j];
            const float gamma = (-0.5f * tau) * dot; // the double product, rounded once, is this one
            for (int at = c.thread; at < kOrder * kOrder; at += kThreads) {
                const int j = at / kOrder, k = at % kOrder;
                if (j < p || k < p) continue;
                const float v_j = s->v[j], v_k = s->v[k];
                const float x_j = s->x[j] + gamma * v_j, x_k = s->x[k] + gamma * v_k;
                t[j * kStride + k] -= x_j * v_k + v_j * x_k;
            }
            c.barrier();
        }
        c.barrier();
    }

    // 7, steps 1 and 2: reflections of the matrix and of Q beside it. A thread has some rows of one column.
    static VMAF_DEVICE_FN void orthogonal_factor(C &c, Shared<SharedMemory> s) {
        const int column = c.thread % kColumnThreads, row = c.thread / kColumnThreads;
        for (int i = 0; i + 1 < kOrder; i++) {
            float squares = 0.0f;
            for (int j = i; j < kOrder; j++) squares += s->m[j * kStride + i] * s->m[j * kStride + i];
            // Quirk: the sign comes from the original matrix, not from the one being reduced.
            const float sign = s->k[i * kOrder + i] >= 0.0f ? 1.0f : -1.0f;
            const float pivot = s->m[i * kStride + i] + sign * C::square_root(squares);
            squares = pivot * pivot; // 0 + it
            for (int j = i + 1; j < kOrder; j++) squares += s->m[j * kStride + i] * s->m[j * kStride + i];
            const float length = C::square_root(squares);
            if (c.thread >= i && c.thread < kOrder)
                s->v[c.thread] = C::divide(c.thread == i ? pivot : s->m[c.thread * kStride + i], length);
            c.barrier();
            float twice[kRows], product[kRows];
            VMAF_UNROLL
            for (int k = 0; k < kRows; k++) {
                const int own = i + row + k * kRowStep;
                twice[k] = own < kOrder ? -2.0f * s->v[own] : 0.0f;
                product[k] = 0.0f;
            }
            if (column < 2 * kOrder)
                for (int l = i; l < kOrder; l++) {
                    const float v = s->v[l], m = s->m[l * kStride + column];
                    VMAF_UNROLL
                    for (int k = 0; k < kRows; k++) {
                        const float h = l == i + row + k * kRowStep ? twice[k] * v + 1.0f : twice[k] * v;
                        product[k] += h * m;
                    }
                }
            c.barrier();
            if (column < 2 * kOrder) {
                VMAF_UNROLL
                for (int k = 0; k < kRows; k++) {
                    const int own = i + row + k * kRowStep;
                    if (own < kOrder) s->m[own * kStride + column] = product[k];
                }
            }
            c.barrier();
        }
    }

    // Q, and the upper triangle of R = Q * K (step 3).
    static VMAF_DEVICE_FN void write_factors(C &c, Shared<SharedMemory> s, Global<float> out) {
        for (int at = c.thread; at < kOrder * kOrder; at += kThreads) {
            const int i = at / kOrder, j = at % kOrder;
            out[at] = s->m[i * kStride + kOrder + j];
            float r = 0.0f;
            if (j >= i)
                for (int l = 0; l < kOrder; l++) r += s->m[i * kStride + kOrder + l] * s->k[l * kOrder + j];
            out[kOrder * kOrder + at] = r;
        }
    }
};

struct SpeedBlocksArgs {
    SpeedArray<const float> z;
    SpeedArray<const float> factors;
    SpeedArray<float> results; // a SpeedPlaneHead, energies, entropies
    int pitch;
    int blocks_across, blocks;
    float sigma;
};

// A thread has one block.
template <class C> struct speed_blocks {
    using Args = SpeedBlocksArgs;
    using F = typename C::f64;
    static constexpr int kThreads = 64, kMinBlocks = 4;
    static constexpr int kTileWidth = kThreads, kTileHeight = 1;
    static constexpr int kOrder = kSpeedSize;
    struct SharedMemory {
        float q[kOrder * kOrder], r[kOrder * kOrder];
        float eigenvalues[kOrder];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> s, const Args &a) {
        Global<const float> factors = a.factors.of(c.frame, c.block_y);
        Global<float> results = a.results.of(c.frame, c.block_y);
        Global<SpeedPlaneHead> head = reinterpret_cast<Global<SpeedPlaneHead>>(results);
        for (int i = c.thread; i < kOrder * kOrder; i += kThreads) {
            s->q[i] = C::load(factors + i);
            s->r[i] = C::load(factors + kOrder * kOrder + i);
        }
        if (c.thread < kOrder) s->eigenvalues[c.thread] = head->eigenvalues[c.thread];
        c.barrier();
        const int block = c.block_x * kThreads + c.thread;
        if (block >= a.blocks) return;
        const F tiny = C::f64_from(kSpeedTiny);
        bool regular = true; // 6.3, and the pivots of 7
        for (int k = 0; k < kOrder; k++) {
            const float pivot = s->r[k * kOrder + k];
            regular = regular && !(F(s->eigenvalues[k]) < tiny) && !(F(pivot < 0.0f ? -pivot : pivot) < tiny);
        }
        Global<const float> z = a.z.of(c.frame, c.block_y) + block / a.blocks_across * kSpeedSide * a.pitch +
                                block % a.blocks_across * kSpeedSide;
        if (block == 0) head->singular = !regular;
        const float energy = regular ? energy_of(s, z, a.pitch) : 0.0f;
        results += sizeof(SpeedPlaneHead) / sizeof(float);
        results[block] = energy;
        results[a.blocks + block] = entropy_of(s, energy, a.sigma);
    }

  private:
    // 7, steps 4 and 5.
    static VMAF_DEVICE_FN float energy_of(Shared<const SharedMemory> s, Global<const float> z, int pitch) {
        float y[kOrder], x[kOrder];
        VMAF_UNROLL
        for (int e = 0; e < kOrder; e++) y[e] = C::load(z + e / kSpeedSide * pitch + e % kSpeedSide);
        VMAF_UNROLL
        for (int i = 0; i < kOrder; i++) {
            x[i] = 0.0f;
            VMAF_UNROLL
            for (int k = 0; k < kOrder; k++) x[i] += s->q[i * kOrder + k] * y[k];
        }
        VMAF_UNROLL
        for (int i = kOrder - 1; i >= 0; i--) {
            VMAF_UNROLL
            for (int k = i + 1; k < kOrder; k++) x[i] -= x[k] * s->r[i * kOrder + k];
            x[i] = C::divide(x[i], s->r[i * kOrder + i]);
        }
        float energy = 0.0f;
        VMAF_UNROLL
        for (int e = 0; e < kOrder; e++) energy += C::divide(x[e] * y[e], static_cast<float>(kOrder));
        return energy;
    }

    // NaN where the host must decide: its logarithm may round to another side than ours.
    static VMAF_DEVICE_FN float entropy_of(Shared<const SharedMemory> s, float energy, float sigma) {
        const F constant = C::f64_from(kSpeedEntropyConstant);
        float entropy = 0.0f;
        bool sure = true;
        for (int k = 0; k < kOrder; k++) {
            const float lambda = s->eigenvalues[k], positive = lambda > 0.0f ? lambda : 0.0f;
            const float in = positive * energy + sigma;
            const u32 pattern = C::bits(in);
            if (pattern < 0x00800000u || pattern >= 0x7f800000u) return C::float_from(0x7fc00000u); // no normal number
            const F sum = F(entropy) + (log2_of(pattern) + constant);
            // 29 bits of the double are dropped. The two logarithms differ by a few units in its last place.
            const u32 dropped = static_cast<u32>(C::bits(sum)) & 0x1fffffffu;
            sure = sure && !(dropped > 0x10000000u - 64 && dropped < 0x10000000u + 64);
            entropy = to_float(sum);
        }
        return sure ? entropy : C::float_from(0x7fc00000u);
    }

    // Of a normal float: log2(m) = 2 / ln 2 * atanh((m - 1) / (m + 1)) for m between the roots of 1/2 and 2.
    static VMAF_DEVICE_FN F log2_of(u32 pattern) {
        int exponent = static_cast<int>(pattern >> 23) - 127;
        u32 mantissa = (pattern & 0x7fffffu) | 0x3f800000u;
        if (mantissa > 0x3fb504f3u) {
            mantissa -= 0x00800000u;
            exponent++;
        }
        const F m(C::float_from(mantissa)), one(1.0f);
        const F ratio = C::divide(m - one, m + one), square = ratio * ratio;
        // 2 / ln 2 / (2 i + 1)
        constexpr u64 kSeries[12] = {0x40071547652b82feull, 0x3feec709dc3a03fdull, 0x3fe2776c50ef9bfeull,
                                     0x3fda61762a7aded9ull, 0x3fd484b13d7c02a9ull, 0x3fd0c9a84994022dull,
                                     0x3fcc68f568d31760ull, 0x3fc89f3b1694cffeull, 0x3fc5b9ac9b743f0dull,
                                     0x3fc3703c1f4d0ffeull, 0x3fc1964ec6fc9491ull, 0x3fc00ecd7e080215ull};
        F sum = C::f64_from(kSeries[11]);
        VMAF_UNROLL
        for (int i = 10; i >= 0; i--) sum = sum * square + C::f64_from(kSeries[i]);
        return F(exponent) + ratio * sum;
    }
};

} // namespace kernels
} // namespace vmaf
