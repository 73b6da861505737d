// Implicit QR steps with the Wilkinson shift; names as in speed.md 6.2. Shared by the CPU and devices, which run it in
// one thread.
#pragma once

#include "device/kernel.hpp"
#include "device/soft_f64.hpp"

namespace vmaf {
namespace kernels {

constexpr int kSpeedSize = 25;                    // order of the covariance matrix
constexpr u64 kSpeedTiny = 0x3eb0c6f7a0b5ed8dull; // 1e-6: smaller eigenvalues and pivots count as zero
constexpr int kSpeedMaxIterations = 500;

// C: the arithmetic of a context. Floats: a pointer to floats.
template <class C, class Floats> struct SpeedQr {
    using F = typename C::f64;

    // Turns the diagonal d of a tridiagonal matrix into its eigenvalues, in the order of the iteration; u are the
    // elements below the diagonal. Returns false if it was abandoned.
    static VMAF_DEVICE_FN bool run(Floats d, Floats u) {
        clip(d, u, kSpeedSize - 1);
        int last = kSpeedSize - 1, iterations = 0;
        while (last > 0 && iterations < kSpeedMaxIterations) {
            if (u[last - 1] == 0.0f) {
                last--;
                continue;
            }
            int first = last - 1;
            while (first > 0 && u[first - 1] != 0.0f) first--;
            step(d + first, u + first, last - first + 1);
            clip(d + first, u + first, last - first);
            iterations++;
        }
        return iterations < kSpeedMaxIterations;
    }

  private:
    static VMAF_DEVICE_FN float size_of(float v) { return v < 0.0f ? -v : v; }
    static VMAF_DEVICE_FN F tiny() { return C::f64_from(kSpeedTiny); }

    struct Rotation {
        float c, s;
    };
    static VMAF_DEVICE_FN float hypotenuse(float a, float b) { return C::square_root(a * a + b * b); }
    // Sum in float, root and reciprocal in double, one rounding at the end.
    static VMAF_DEVICE_FN float reciprocal_root(float t) {
        return to_float(C::divide(F(1.0f), C::square_root(F(1.0f + t * t))));
    }
    static VMAF_DEVICE_FN Rotation rotation(float xi, float zeta) {
        if (zeta == 0.0f) return {1.0f, 0.0f};
        if (size_of(zeta) > size_of(xi)) {
            const float t = C::divide(-xi, zeta), s = reciprocal_root(t);
            return {s * t, s};
        }
        const float t = C::divide(-zeta, xi), c = reciprocal_root(t);
        return {c, c * t};
    }

    // Sets negligible subdiagonal elements to zero.
    static VMAF_DEVICE_FN void clip(Floats d, Floats u, int count) {
        for (int j = 0; j < count; j++)
            if (F(size_of(u[j])) < tiny() * F(size_of(d[j]) + size_of(d[j + 1]))) u[j] = 0.0f;
    }
    static VMAF_DEVICE_FN float wilkinson_shift(Floats d, Floats u, int m) {
        const float e1 = d[m - 2], e2 = d[m - 1], o = u[m - 2];
        const float delta = (e1 - e2) * 0.5f;
        float shift = e2 - size_of(o);
        if (delta > 0.0f) shift = e2 - o * C::divide(o, delta + hypotenuse(delta, o));
        if (delta < 0.0f) shift = e2 + o * C::divide(o, -delta + hypotenuse(delta, o));
        return tiny() * F(size_of(shift)) > F(size_of(d[0]) + size_of(u[0])) ? 0.0f : shift;
    }
    // One step on a block without zeros below its diagonal d.
    static VMAF_DEVICE_FN void step(Floats d, Floats u, int m) {
        float xi = d[0] - wilkinson_shift(d, u, m), zeta = u[0];
        float rho = 0.0f, kappa = 0.0f, phi = d[0], psi = d[1], omega = u[0], eta = m > 2 ? u[1] : 0.0f;
        for (int k = 0; k + 1 < m; k++) {
            const Rotation r = rotation(xi, zeta);
            const float first = r.c * (r.c * phi - r.s * omega) + r.s * (r.s * psi - r.c * omega);
            const float off = r.c * (r.s * phi + r.c * omega) - r.s * (r.s * omega + r.c * psi);
            const float second = r.s * (r.s * phi + r.c * omega) + r.c * (r.s * omega + r.c * psi);
            const float finished = r.c * rho - r.s * kappa;
            rho = off;
            kappa = -r.s * eta;
            phi = second;
            omega = r.c * eta;
            if (k + 2 < m) psi = d[k + 2];
            if (k + 3 < m) eta = u[k + 2];
            d[k] = first;
            if (k > 0) u[k - 1] = finished;
            if (k + 2 < m) u[k + 1] = omega;
            xi = rho;
            zeta = kappa;
        }
        d[m - 1] = phi;
        u[m - 2] = rho;
    }
};

} // namespace kernels
} // namespace vmaf
