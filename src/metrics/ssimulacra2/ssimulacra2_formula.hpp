// The arithmetic of ssimulacra2 at one position (sections 3 to 9), shared by CPU and device code, in the dialect of
// device/kernel.hpp. `C` has f64, divide(), bits() and float_from(). Every operation rounds separately.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

// Section 3: from samples to R'G'B'.
struct YuvMatrix {
    float rv, bu, gu, gv;             // chroma weights
    float y_offset, y_scale, c_scale; // range expansion
};

// Section 4: E[i] and E[i+1] - E[i], interleaved.
struct EotfStep {
    float value, rise;
};

// Section 3: the chroma sample of a luma position along one axis.
VMAF_DEVICE_FN int ssimulacra2_chroma(int luma, int luma_size, int chroma_size) {
    if (chroma_size == luma_size) return luma;
    if (2 * chroma_size == luma_size) return luma >> 1;
    const int at = static_cast<int>(static_cast<i64>(luma) * chroma_size / luma_size);
    return at < chroma_size - 1 ? at : chroma_size - 1;
}

// Section 8. A sample enters the filter at its own position plus kBlurAhead and counts again when it leaves kBlurSpan
// samples later; the output is complete at the position of the sample that entered kBlurAhead samples earlier.
constexpr int kBlurAhead = 4, kBlurSpan = 10;
constexpr int kBlurPoles = 3;
// Bits of floats.
VMAF_DEVICE_FN constexpr u32 blur_gain(int k) { return k == 0 ? 0x3d627d42u : k == 1 ? 0xbd70febdu : 0x3c5444a5u; }
VMAF_DEVICE_FN constexpr u32 blur_pole(int k) { return k == 0 ? 0xbff37871u : k == 1 ? 0xbf967918u : 0xa50d3132u; }

template <class C> struct Ssimulacra2 {
    using f64 = typename C::f64;

    struct Triple {
        float v[3];
    };

    // `table` returns step i of the transfer function.
    template <class Table> static VMAF_DEVICE_FN float to_linear(float value, const Table &table) {
        const bool is_inside = value > 0.0f && value < 1.0f;
        const float t = is_inside ? value * 1023.0f : 0.0f;
        const int i = static_cast<int>(t);
        const EotfStep step = table(i);
        const float inside = step.value + step.rise * (t - static_cast<float>(i));
        return is_inside ? inside : value >= 1.0f ? 1.0f : 0.0f;
    }
    template <class Table>
    static VMAF_DEVICE_FN Triple linear(float y, float u, float v, const YuvMatrix &m, const Table &table) {
        const float yn = (y - m.y_offset) * m.y_scale, un = (u - 0.5f) * m.c_scale, vn = (v - 0.5f) * m.c_scale;
        return {{to_linear(yn + m.rv * vn, table), to_linear((yn + m.gu * un) + m.gv * vn, table),
                 to_linear(yn + m.bu * un, table)}};
    }

    // Section 5
    static VMAF_DEVICE_FN float cube_root(float x) {
        const float third = 1.0f / 3.0f;
        float y = C::float_from(C::bits(x) / 3 + 0x2a5137a0u);
        for (int step = 0; step < 2; step++) y = (2.0f * y + C::divide(x, y * y)) * third;
        return x <= 0.0f ? 0.0f : y;
    }

    // Section 6
    static VMAF_DEVICE_FN Triple xyb(const Triple &rgb) {
        const float l = response(rgb, 0.30f, (1.0f - 0.30f) - 0.078f, 0.078f);
        const float m = response(rgb, 0.23f, (1.0f - 0.23f) - 0.078f, 0.078f);
        const float s = response(rgb, 0.24342268924547819f, 0.20476744424496821f,
                                 (1.0f - 0.24342268924547819f) - 0.20476744424496821f);
        const float x0 = 0.5f * (l - m), y0 = 0.5f * (l + m);
        return {{x0 * 14.0f + 0.42f, y0 + 0.01f, (s - y0) + 0.55f}};
    }

    // Section 8: the recursions of one line.
    struct Recursion {
        float last[kBlurPoles], before[kBlurPoles];
        VMAF_DEVICE_FN void start() {
            VMAF_UNROLL
            for (int k = 0; k < kBlurPoles; k++) last[k] = before[k] = 0.0f;
        }
        VMAF_DEVICE_FN float step(float sum) {
            const float o0 = pole(0, sum), o1 = pole(1, sum), o2 = pole(2, sum);
            return (o0 + o1) + o2;
        }

      private:
        VMAF_DEVICE_FN float pole(int k, float sum) {
            const float output =
                (C::float_from(blur_gain(k)) * sum - C::float_from(blur_pole(k)) * last[k]) - before[k];
            before[k] = last[k];
            last[k] = output;
            return output;
        }
    };

    // Section 9, from blurred signals.
    static VMAF_DEVICE_FN f64 structure(float m1, float m2, float s11, float s22, float s12) {
        const float c2 = 0.0009f;
        const float nm = 1.0f - (m1 - m2) * (m1 - m2);
        const float ns = 2.0f * (s12 - m1 * m2) + c2;
        const float ds = ((s11 - m1 * m1) + (s22 - m2 * m2)) + c2;
        return above_zero(f64(1) - C::divide(f64(nm) * f64(ns), f64(ds)));
    }
    // Above 0: an artifact; below: lost detail.
    static VMAF_DEVICE_FN f64 edge_change(float x1, float m1, float x2, float m2) {
        const f64 e1 = size(f64(x1) - f64(m1)), e2 = size(f64(x2) - f64(m2));
        return C::divide(f64(1) + e2, f64(1) + e1) - f64(1);
    }
    static VMAF_DEVICE_FN f64 above_zero(f64 v) { return v < f64(0) ? f64(0) : v; }
    static VMAF_DEVICE_FN f64 fourth_power(f64 v) {
        const f64 square = v * v;
        return square * square;
    }

  private:
    static VMAF_DEVICE_FN f64 size(f64 v) { return v < f64(0) ? -v : v; }
    static VMAF_DEVICE_FN float response(const Triple &rgb, float r, float g, float b) {
        const float bias = 0.0037930732552754493f, root_of_bias = C::float_from(0x3e1fb27bu);
        return cube_root(r * rgb.v[0] + g * rgb.v[1] + b * rgb.v[2] + bias) - root_of_bias;
    }
};

} // namespace kernels
} // namespace vmaf
