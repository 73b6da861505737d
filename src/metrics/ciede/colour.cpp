#include "metrics/ciede/colour.hpp"

#include <cmath>
#include <numbers>

namespace vmaf {
namespace {

constexpr double kPi = std::numbers::pi;

// 10.2

double linear_light(double c) { return c > 10.0 / 255.0 ? std::pow((c + 0.055) * (1 / 1.055), 2.4) : c * (1 / 12.92); }

float lab_curve(double c) {
    const double value = c > 216.0 / 24389.0 ? std::pow(c, 1.0 / 3.0) : ((24389.0 / 27.0) * c + 16.0) * (1 / 116.0);
    return float(value);
}

Lab lab_from_linear_rgb(double r, double g, double b) {
    const double x = r * 0.4124564390896921 + g * 0.357576077643909 + b * 0.18043748326639894;
    const double y = r * 0.21267285140562248 + g * 0.715152155287818 + b * 0.07217499330655958;
    const double z = r * 0.019333895582329317 + g * 0.119192025881303 + b * 0.9503040785363677;
    const double fx = lab_curve(x * (1 / 0.95047)), fy = lab_curve(y), fz = lab_curve(z * (1 / 1.08883));
    return {float(116 * fy - 16), float(500 * (fx - fy)), float(200 * (fy - fz))};
}

// 10.3. Every named quantity is stored as f32; a product or sum of f32 values is f32 unless an operand is widened.

constexpr float kKL = 0.65f, kKC = 1.0f, kKH = 4.0f;
constexpr float k25ToThe7th = 6103515625.0f; // rounds to 6103515648

double squared(double v) { return v * v; }

float chroma(float a, float b) { return float(std::sqrt(squared(a) + squared(b))); }

// The factor that stretches the a axis for nearly neutral colours.
double a_stretch(float mean_chroma) {
    const double c7 = std::pow(double(mean_chroma), 7.0);
    return 1 - std::sqrt(c7 / (c7 + 6103515625.0));
}

float stretched(float a, double stretch) { return float(a + double(a / 2) * stretch); }

float hue(float b, float a) {
    if (b == 0.0f && a == 0.0f) return 0.0f;
    const float angle = float(std::atan2(double(b), double(a)));
    return angle < 0.0f ? float(angle + 2 * kPi) : angle;
}

bool far_apart(float h1, float h2) { return std::abs(double(h1 - h2)) > kPi; }

float hue_difference(float h1, float h2) {
    const float difference = h2 - h1;
    if (!far_apart(h1, h2)) return difference;
    return float(h2 <= h1 ? difference + 2 * kPi : difference - 2 * kPi);
}

float mean_hue(float h1, float h2) {
    const float sum = h1 + h2;
    return float(far_apart(h1, h2) ? (sum + 2 * kPi) / 2 : double(sum) / 2);
}

float hue_weight(double hm) {
    return float(1 - 0.17 * std::cos(hm - kPi / 6) + 0.24 * std::cos(2 * hm) + 0.32 * std::cos(3 * hm + kPi / 30) -
                 0.20 * std::cos(4 * hm - 7.0 * kPi / 20.0));
}

float rotation(float mean_chroma, float hm) {
    const float degrees = float(hm * (180 / kPi));
    const float g = float((degrees - 275.0) * (1 / 25.0));
    const float exponent = g * g;
    const float e60 = float(60 * std::exp(-double(exponent)));
    const float rho = float(e60 * (kPi / 180));
    const float c7 = std::pow(mean_chroma, 7.0f);
    const float share = c7 / (c7 + k25ToThe7th);
    return float(-2 * std::sqrt(double(share)) * std::sin(double(rho)));
}

float lightness_scale(float mean_lightness) {
    const double z = squared(mean_lightness - 50.0f);
    return float(1 + (0.015 * z) / std::sqrt(20 + z));
}

} // namespace

Lab lab_from_ycbcr(int y, int cb, int cr, unsigned bits) {
    const int k = 1 << (bits - 8);
    const double light = (y - 16 * k) * (1.0 / (219 * k));
    const double U = (cb - 128 * k) * (1.0 / (224 * k));
    const double V = (cr - 128 * k) * (1.0 / (224 * k));
    return lab_from_linear_rgb(linear_light(light + 1.28033 * V), linear_light(light - 0.21482 * U - 0.38059 * V),
                               linear_light(light + 2.12798 * U));
}

float ciede2000_difference(const Lab &one, const Lab &two) {
    const float C1 = chroma(one.a, one.b), C2 = chroma(two.a, two.b);
    const double stretch = a_stretch((C1 + C2) / 2);
    const float A1 = stretched(one.a, stretch), A2 = stretched(two.a, stretch);
    const float P1 = chroma(A1, one.b), P2 = chroma(A2, two.b);
    const float Pm = (P1 + P2) / 2;

    const float h1 = hue(one.b, A1), h2 = hue(two.b, A2);
    const float dh = C1 == 0.0f || C2 == 0.0f ? 0.0f : hue_difference(h1, h2); // the unprimed chromas: a quirk
    const float hm = mean_hue(h1, h2);

    const float dL = two.L - one.L;
    const float dP = P2 - P1;
    const float dH = float(2 * std::sqrt(double(P1 * P2)) * std::sin(double(dh) / 2));
    const float SL = lightness_scale((one.L + two.L) / 2);
    const float SC = float(1 + 0.045 * Pm);
    const float SH = float(1 + 0.015 * Pm * hue_weight(hm));
    const float RT = rotation(Pm, hm);

    const float lightness = dL / (kKL * SL), chroma = dP / (kKC * SC), hue = dH / (kKH * SH);
    const float cross = RT * chroma * hue;
    return float(std::sqrt(squared(lightness) + squared(chroma) + squared(hue) + double(cross)));
}

} // namespace vmaf
