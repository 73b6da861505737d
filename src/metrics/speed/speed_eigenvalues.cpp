// Implicit QR steps with the Wilkinson shift; names as in speed.md 6.2.
#include "metrics/speed/speed_eigenvalues.hpp"

#include <cmath>

#include "base/log.hpp"

namespace vmaf::speed {

namespace {

constexpr double kEpsilon = 1e-6;
constexpr int kMaxIterations = 500;

float hypotenuse(float a, float b) { return std::sqrt(a * a + b * b); }

// Sets negligible subdiagonal elements to zero.
void clip(std::span<const float> d, std::span<float> u) {
    for (std::size_t j = 0; j < u.size(); j++)
        if (double(std::fabs(u[j])) < kEpsilon * double(std::fabs(d[j]) + std::fabs(d[j + 1]))) u[j] = 0.0f;
}

float wilkinson_shift(std::span<const float> d, std::span<const float> u) {
    const float e1 = d[d.size() - 2], e2 = d.back(), o = u.back();
    const float delta = (e1 - e2) / 2.0f;
    float shift = e2 - std::fabs(o);
    if (delta > 0.0f) shift = e2 - o * (o / (delta + hypotenuse(delta, o)));
    if (delta < 0.0f) shift = e2 + o * (o / (-delta + hypotenuse(delta, o)));
    const bool dominates = kEpsilon * double(std::fabs(shift)) > double(std::fabs(d[0]) + std::fabs(u[0]));
    return dominates ? 0.0f : shift;
}

struct Rotation {
    float c, s;
};

// 1 / sqrt(1 + t*t): sum in float, root and reciprocal in double, one rounding at the end.
float reciprocal_root(float t) { return float(1.0 / std::sqrt(double(1.0f + t * t))); }

Rotation rotation(float xi, float zeta) {
    if (zeta == 0.0f) return {1.0f, 0.0f};
    if (std::fabs(zeta) > std::fabs(xi)) {
        const float t = -xi / zeta, s = reciprocal_root(t);
        return {s * t, s};
    }
    const float t = -zeta / xi, c = reciprocal_root(t);
    return {c, c * t};
}

// The 2x2 block (phi, omega; omega, psi) after the rotation: f1, f2, f3.
struct Rotated {
    float first, off, second;
};

Rotated rotate(Rotation r, float phi, float omega, float psi) {
    const auto [c, s] = r;
    return {c * (c * phi - s * omega) + s * (s * psi - c * omega),
            c * (s * phi + c * omega) - s * (s * omega + c * psi),
            s * (s * phi + c * omega) + c * (s * omega + c * psi)};
}

// One step on a block without zeros below its diagonal d.
void qr_step(std::span<float> d, std::span<float> u) {
    const std::size_t m = d.size();
    float xi = d[0] - wilkinson_shift(d, u), zeta = u[0];
    float rho = 0.0f, kappa = 0.0f, phi = d[0], psi = d[1], omega = u[0], eta = m > 2 ? u[1] : 0.0f;
    if (m == 2) {
        const auto [first, off, second] = rotate(rotation(xi, zeta), phi, omega, psi);
        d[0] = first, u[0] = off, d[1] = second;
        return;
    }
    for (std::size_t k = 0; k + 1 < m; k++) {
        const Rotation r = rotation(xi, zeta);
        const float finished = r.c * rho - r.s * kappa;
        const auto [first, off, second] = rotate(r, phi, omega, psi);
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

} // namespace

void warn_unconverged() { log(LogLevel::warning, "speed: eigenvalues did not converge"); }

Vector eigenvalues(const Matrix &t) {
    Vector diagonal, below;
    for (int j = 0; j < kSize; j++) diagonal[j] = t[j][j];
    for (int j = 0; j + 1 < kSize; j++) below[j] = t[j + 1][j];
    const std::span<float> d(diagonal.data(), kSize), u(below.data(), kSize - 1);
    clip(d, u);
    std::size_t last = kSize - 1;
    int iterations = 0;
    while (last > 0 && iterations < kMaxIterations) {
        if (u[last - 1] == 0.0f) {
            last--;
            continue;
        }
        std::size_t first = last - 1;
        while (first > 0 && u[first - 1] != 0.0f) first--;
        const std::span<float> block = d.subspan(first, last - first + 1);
        const std::span<float> block_below = u.subspan(first, last - first);
        qr_step(block, block_below);
        clip(block, block_below);
        iterations++;
    }
    if (iterations == kMaxIterations) warn_unconverged();
    return diagonal;
}

} // namespace vmaf::speed
