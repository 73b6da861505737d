// Chapter 3 of adm.md literally, whole bands, 64-bit sums: the tests compare the real code with it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "metrics/adm/plan.hpp"

namespace vmaf::adm {

class Oracle {
  public:
    static FrameSums sums(const Plan &plan, const Picture &ref, const Picture &dist) {
        Oracle oracle(plan);
        FrameSums out{};
        Band in[2] = {samples(ref), samples(dist)};
        for (int s = 0; s < kScales; s++) {
            Bands bands[2];
            for (int p = 0; p < 2; p++) bands[p] = oracle.wavelet(in[p], s);
            if (s > 0 || !plan.options.skip_scale0) oracle.score(bands[0], bands[1], s, out[std::size_t(s)]);
            for (int p = 0; p < 2; p++) in[p] = bands[p].approx;
        }
        return out;
    }

  private:
    using Band = std::vector<std::int64_t>;
    struct Bands {              // NOLINT(bugprone-reserved-identifier): the compiler's own
        Band approx, detail[3]; // H, V, D
    };

    explicit Oracle(const Plan &plan) : plan_(plan) {}

    static Band samples(const Picture &picture) {
        const PictureFormat &f = picture.format();
        Band out;
        for (unsigned y = 0; y < f.height; y++)
            for (unsigned x = 0; x < f.width; x++)
                out.push_back(f.bits == 8 ? std::int64_t(picture.plane<std::uint8_t>(0).row(int(y))[x])
                                          : std::int64_t(picture.plane<std::uint16_t>(0).row(int(y))[x]));
        return out;
    }

    static int fold(int p, int n) { return p < 0 ? -p : p >= n ? 2 * n - 1 - p : p; }

    Bands wavelet(const Band &in, int s) const {
        constexpr std::int64_t lo[4] = {15826, 27411, 7345, -4240}, hi[4] = {-4240, -7345, 27411, -15826};
        const Window &w = plan_.scale[std::size_t(s)].window;
        const int sv[4] = {plan_.bits, 0, 16, 16}, sh[4] = {16, 15, 16, 15};
        const std::int64_t bias = s == 0 ? std::int64_t(46342) << (plan_.bits - 1) : 0;
        Bands out;
        for (int i = 0; i < w.height; i++) {
            Band low, high;
            for (int x = 0; x < w.in_width; x++) {
                std::int64_t l = half_of(sv[s]) - bias, h = half_of(sv[s]);
                for (int k = 0; k < 4; k++) {
                    const std::int64_t p = in[std::size_t(fold(2 * i - 1 + k, w.in_height) * w.in_width + x)];
                    l += lo[k] * p, h += hi[k] * p;
                }
                low.push_back(l >> sv[s]), high.push_back(h >> sv[s]);
            }
            for (int j = 0; j < w.width; j++) {
                std::int64_t sum[4] = {half_of(sh[s]), half_of(sh[s]), half_of(sh[s]), half_of(sh[s])};
                for (int k = 0; k < 4; k++) {
                    const std::size_t x = std::size_t(fold(2 * j - 1 + k, w.in_width));
                    sum[0] += lo[k] * low[x], sum[1] += lo[k] * high[x];
                    sum[2] += hi[k] * low[x], sum[3] += hi[k] * high[x];
                }
                out.approx.push_back(sum[0] >> sh[s]);
                for (int b = 0; b < 3; b++) out.detail[b].push_back(sum[b + 1] >> sh[s]);
            }
        }
        return out;
    }

    std::int64_t restored(std::int64_t o, std::int64_t t, bool flag, int s) const {
        if (o == 0) return 0;
        std::uint32_t m = std::uint32_t(std::abs(o));
        int e = 0;
        if (s > 0 && m >= 32768) {
            e = 17 - std::countl_zero(m);
            m = (m + (1u << (e - 1))) >> e;
        }
        const std::int64_t reciprocal = (o < 0 ? -1 : 1) * std::int64_t((1 << 30) / m);
        const std::int64_t k =
            std::clamp<std::int64_t>((reciprocal * t + (std::int64_t(1) << (14 + e))) >> (15 + e), 0, 32768);
        const std::int64_t r0 = (k * o + 16384) >> 15;
        if (!flag || k == 0) return r0;
        const double limited = double(r0) * plan_.options.enhn_gain_limit;
        return std::int64_t(o > 0 ? std::min(limited, double(t)) : std::max(limited, double(t)));
    }

    static bool same_angle(std::int64_t oh, std::int64_t th, std::int64_t ov, std::int64_t tv) {
        const double p = double(float(oh * th + ov * tv)) / 4096.0, o = double(float(oh * oh + ov * ov)) / 4096.0;
        const double t = double(float(th * th + tv * tv)) / 4096.0;
        return p >= 0 && p * p >= (double(0.99969542f) * o) * t;
    }

    void score(const Bands &ref, const Bands &dist, int s, ScaleSums &sums) const {
        const std::size_t n = ref.approx.size();
        Band r[3], a[3];
        for (std::size_t i = 0; i < n; i++) {
            const bool flag = same_angle(ref.detail[0][i], dist.detail[0][i], ref.detail[1][i], dist.detail[1][i]);
            for (int b = 0; b < 3; b++) {
                r[b].push_back(restored(ref.detail[b][i], dist.detail[b][i], flag, s));
                a[b].push_back(dist.detail[b][i] - r[b][i]);
            }
        }
        for (std::size_t b = 0; b < 3; b++) sums.den[b] = denominator(ref.detail[b], s);
        numerator(r, a, s, sums.num);
        if (!plan_.options.skip_aim) numerator(a, r, s, sums.aim);
    }

    std::uint64_t denominator(const Band &o, int s) const {
        const ScalePlan &p = plan_.scale[std::size_t(s)];
        std::uint64_t acc = 0;
        for (int i = p.window.top; i < p.window.bottom; i++) {
            std::uint64_t row = 0;
            for (int j = p.window.left; j < p.window.right; j++) {
                const std::uint64_t x = std::uint64_t(std::abs(o[std::size_t(i * p.window.width + j)]));
                const int q = p.den_square_shift, c = p.den_term_shift;
                if (s == 0)
                    row += x * x * x;
                else
                    row += (((x * x + (std::uint64_t(1) << q)) >> q) * x + std::uint64_t(half_of(c))) >> c;
            }
            acc += (row + std::uint64_t(half_of(p.den_row_shift))) >> p.den_row_shift;
        }
        return acc;
    }

    static std::int64_t weighted(std::int64_t w, int b, std::int64_t v, int s) {
        if (s > 0) return std::int32_t((w * v + (1 << 27)) >> 28);
        return b == 2 ? std::int16_t((w * v + 65535) >> 17) : std::int16_t((w * v + 16384) >> 15);
    }
    static std::int64_t magnitude(std::int64_t c, int s) { // |-2^31| stays
        return s > 0 ? std::int32_t(std::abs(c)) : std::abs(c);
    }

    void numerator(const Band (&x)[3], const Band (&y)[3], int s, std::array<std::int64_t, 3> &acc) const {
        const ScalePlan &p = plan_.scale[std::size_t(s)];
        const int w = p.window.width, h = p.window.height;
        const auto edge = [](int at, int size) { return at < 0 ? -at : at >= size ? size - 1 : at; };
        const auto masks = [&](int b, int i, int j, bool centre) -> std::uint32_t {
            const std::int64_t v = y[b][std::size_t(edge(i, h) * w + edge(j, w))];
            const std::int64_t c = magnitude(weighted(p.weight[std::size_t(b)], b, v, s), s);
            if (s == 0) return std::uint32_t(std::int16_t(((centre ? 8738 : 4369) * c + 2048) >> 12));
            return std::uint32_t(((centre ? 286331153 : 143165577) * c - (std::int64_t(1) << 31)) >> 32);
        };
        for (int i = p.window.top; i < p.window.bottom; i++) {
            std::int64_t row[3] = {};
            for (int j = p.window.left; j < p.window.right; j++) {
                std::uint32_t threshold = 0;
                for (int b = 0; b < 3; b++)
                    for (int di = -1; di <= 1; di++)
                        for (int dj = -1; dj <= 1; dj++) threshold += masks(b, i + di, j + dj, di == 0 && dj == 0);
                for (int b = 0; b < 3; b++) {
                    const std::int64_t v = x[b][std::size_t(i * w + j)], wb = p.weight[std::size_t(b)];
                    const std::int64_t m = s == 0 ? std::abs(wb * v) : magnitude(weighted(wb, b, v, s), s);
                    const std::uint32_t limit = s == 0 ? threshold << (b == 2 ? 12 : 10) : threshold;
                    const std::int64_t e = std::max(0, std::int32_t(std::uint32_t(m) - limit));
                    const int q = s == 0 && b < 2 ? 29 : 30, c = p.num_term_shift[std::size_t(b)];
                    const std::int64_t square = std::int32_t((e * e + (std::int64_t(1) << (q - 1))) >> q);
                    row[b] += (square * e + half_of(c)) >> c;
                }
            }
            for (std::size_t b = 0; b < 3; b++) acc[b] += (row[b] + half_of(p.num_row_shift)) >> p.num_row_shift;
        }
    }

    const Plan &plan_;
};

} // namespace vmaf::adm
