// Chapter 4 of adm.md literally, whole bands: the tests compare the real code with it.
#pragma once

#include "metrics/adm/float_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "metrics/adm/float_sweep.hpp"

namespace vmaf::adm {

class FloatOracle {
  public:
    // Frame sums of the bands' powers before the roots (4.6): den, num, aim.
    struct Sums {
        std::array<float, kBands> den{}, num{}, aim{};
        bool operator==(const Sums &) const = default;
    };

    static std::array<Sums, kScales> sums(const FloatPlan &plan, const Picture &ref, const Picture &dist) {
        FloatOracle oracle(plan);
        std::array<Sums, kScales> out;
        Plane in[2] = {oracle.samples(ref), oracle.samples(dist)};
        for (std::size_t s = 0; s < kScales; s++) {
            Plane low[2], high[2], detail[2][3];
            for (int p = 0; p < 2; p++) {
                low[p] = vertical(in[p], kLo), high[p] = vertical(in[p], kHi);
                detail[p][0] = horizontal(high[p], kLo), detail[p][1] = horizontal(low[p], kHi);
                detail[p][2] = horizontal(high[p], kHi), in[p] = horizontal(low[p], kLo);
            }
            if (s > 0 || !plan.skip_scale0) out[s] = oracle.score(detail[0], detail[1], plan.factor[s]);
        }
        return out;
    }

  private:
    static constexpr float kLo[4] = {0.482962913144690f, 0.836516303737469f, 0.224143868041857f, -0.129409522550921f};
    static constexpr float kHi[4] = {-0.129409522550921f, -0.224143868041857f, 0.836516303737469f, -0.482962913144690f};

    struct Plane {
        int width = 0, height = 0;
        std::vector<float> samples;
        Plane() = default;
        Plane(int w, int h) : width(w), height(h), samples(std::size_t(w * h)) {}
        float &at(int y, int x) { return samples[std::size_t(y * width + x)]; }
        float at(int y, int x) const { return samples[std::size_t(y * width + x)]; }
    };

    explicit FloatOracle(const FloatPlan &plan) : plan_(plan) {}

    Plane samples(const Picture &picture) const {
        Plane out(plan_.width, plan_.height);
        for (int y = 0; y < plan_.height; y++)
            for (int x = 0; x < plan_.width; x++) {
                const float v = plan_.bits == 8 ? float(picture.plane<std::uint8_t>(0).row(y)[x])
                                                : float(picture.plane<std::uint16_t>(0).row(y)[x]);
                out.at(y, x) = v / float(1 << (plan_.bits - 8)) + -128.0f;
            }
        return out;
    }

    static Plane vertical(const Plane &in, const float (&c)[4]) {
        Plane out(in.width, (in.height + 1) / 2);
        for (int y = 0; y < out.height; y++)
            for (int x = 0; x < out.width; x++)
                for (int k = 0; k < 4; k++)
                    out.at(y, x) = out.at(y, x) + c[k] * in.at(fold(2 * y - 1 + k, in.height), x);
        return out;
    }
    static Plane horizontal(const Plane &in, const float (&c)[4]) {
        Plane out((in.width + 1) / 2, in.height);
        for (int y = 0; y < out.height; y++)
            for (int x = 0; x < out.width; x++)
                for (int k = 0; k < 4; k++)
                    out.at(y, x) = out.at(y, x) + c[k] * in.at(y, fold(2 * x - 1 + k, in.width));
        return out;
    }

    float restored(float o, float t, bool flag) const {
        float k = t * refined_reciprocal(o + 1e-30f);
        k = k < 0 ? 0 : k > 1 ? 1 : k;
        const float r = k * o;
        if (flag && r > 0) return float(std::min(double(r) * plan_.gain_limit, double(t)));
        if (flag && r < 0) return float(std::max(double(r) * plan_.gain_limit, double(t)));
        return r;
    }

    template <class Value> float pool(const Window &w, Value value) const {
        float total = 0;
        for (int y = w.top; y < w.bottom; y++) {
            float row = 0;
            for (int x = w.left; x < w.right; x++) {
                const float v = value(y, x);
                row += plan_.exponent == 3.0 ? (v * v) * v : std::pow(v, float(plan_.exponent));
            }
            total += row;
        }
        return total;
    }

    Sums score(const Plane (&o)[3], const Plane (&t)[3], const std::array<float, kBands> &f) const {
        const Window w = window_of(o[0]);
        Plane r[3] = {o[0], o[1], o[2]}, a[3] = {o[0], o[1], o[2]};
        for (std::size_t i = 0; i < o[0].samples.size(); i++) {
            const float oh = o[0].samples[i], ov = o[1].samples[i], th = t[0].samples[i], tv = t[1].samples[i];
            const float dp = oh * th + ov * tv, oo = oh * oh + ov * ov, tt = th * th + tv * tv;
            const bool flag = dp >= 0 && dp * dp >= (0.99969542f * oo) * tt;
            for (int b = 0; b < 3; b++) {
                r[b].samples[i] = restored(o[b].samples[i], t[b].samples[i], flag);
                a[b].samples[i] = t[b].samples[i] - r[b].samples[i];
            }
        }
        Sums out;
        for (std::size_t b = 0; b < 3; b++)
            out.den[b] = pool(w, [&](int y, int x) { return std::fabs(f[b] * o[b].at(y, x)); });
        out.num = numerator(w, r, a, f);
        out.aim = numerator(w, a, r, f);
        return out;
    }

    static Window window_of(const Plane &band) {
        Window w{};
        w.width = band.width, w.height = band.height;
        w.left = int(w.width * 0.1 - 0.5), w.right = w.width - w.left;
        w.top = int(w.height * 0.1 - 0.5), w.bottom = w.height - w.top;
        return w;
    }

    std::array<float, kBands> numerator(const Window &w, const Plane (&v)[3], const Plane (&mask)[3],
                                        const std::array<float, kBands> &f) const {
        const auto edge = [](int at, int size) { return at < 0 ? -at : at >= size ? size - 1 : at; };
        Plane threshold(w.width, w.height);
        for (int y = w.top; y < w.bottom && !plan_.bypass_masking; y++)
            for (int x = w.left; x < w.right; x++)
                for (std::size_t b = 0; b < 3; b++) {
                    float sum = 0.0f;
                    for (int i = 0; i < 9; i++) {
                        const float c =
                            std::fabs(f[b] * mask[b].at(edge(y - 1 + i / 3, w.height), edge(x - 1 + i % 3, w.width)));
                        if (i == 4)
                            sum = float(double(sum) + 0.0666666701 * double(c));
                        else
                            sum = sum + float(0.0333333351 * double(c));
                    }
                    threshold.at(y, x) = threshold.at(y, x) + sum;
                }
        std::array<float, kBands> out;
        for (std::size_t b = 0; b < 3; b++)
            out[b] = pool(w, [&](int y, int x) {
                const float e = std::fabs(v[b].at(y, x) * f[b]) - threshold.at(y, x);
                return e < 0.0f ? 0.0f : e;
            });
        return out;
    }

    const FloatPlan &plan_;
};

} // namespace vmaf::adm
