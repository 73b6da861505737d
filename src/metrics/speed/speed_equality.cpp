#include <algorithm>
#include <cmath>

#include "equality/equality.hpp"
#include "metrics/speed/speed_steps.hpp"

namespace vmaf::speed {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare_filter(Workload &w, Isa isa) {
    constexpr std::size_t kMostTaps = 35;
    const std::size_t count = 3 + 2 * (w.random()() % 17);
    auto taps = std::make_shared<std::vector<float>>(count);
    for (float &tap : *taps) tap = float(w.random()() % 1000) / 1000.0f;
    const bool change = w.random()() % 2 == 0;
    auto rows = std::make_shared<std::array<const T *, kMostTaps>>();
    auto earlier = std::make_shared<std::array<const T *, kMostTaps>>();
    PlaneView<T> plane, before;
    if constexpr (std::is_same_v<T, float>) {
        plane = before = w.float_plane(w.width, w.height, 256.0f, -128.0f);
    } else {
        plane = w.plane<T>();
        before = w.plane<T>();
    }
    for (std::size_t k = 0; k < count; k++) {
        const int y = int(k) % w.height;
        (*rows)[k] = plane.row(y);
        (*earlier)[k] = before.row(y);
    }
    float *const sums = w.output<float>(std::size_t(w.width), kOverreadBytes);
    const FilterRows<T> source = {.rows = {rows->data(), count},
                                  .earlier = {earlier->data(), change ? count : 0},
                                  .taps = *taps,
                                  .scale = 1.0f / float(1u << (w.bits - 8)),
                                  .width = w.width};
    return [=, &steps = steps_for(isa)] {
        (void)taps, (void)rows, (void)earlier; // `source` refers to these
        if constexpr (sizeof(T) == 1)
            steps.filter_bytes(source, sums);
        else if constexpr (sizeof(T) == 2)
            steps.filter_words(source, sums);
        else
            steps.filter_floats(source, sums);
    };
}

const equality::Registration filter_equality({
    .name = "speed.filter",
    .prepare =
        [](Workload &w, Isa isa) {
            return w.bits == 8 ? prepare_filter<std::uint8_t>(w, isa) : prepare_filter<std::uint16_t>(w, isa);
        },
    .depths = {8, 9, 10, 12, 16},
});
const equality::Registration filter_floats_equality({
    .name = "speed.filter_floats",
    .prepare = prepare_filter<float>,
    .depths = {8},
});

void copy_out(const Matrix &m, float *out) {
    for (int i = 0; i < kSize; i++)
        for (int j = 0; j < kSize; j++) out[kSize * i + j] = m[i][j];
}

const equality::Registration covariance_equality({
    .name = "speed.covariance",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const WindowPlane plane = {w.float_plane(w.width, w.height, 200.0f, -100.0f), w.width - (kSide - 1),
                                   w.height - (kSide - 1)};
        float *const means_out = w.output<float>(kSize), *const k_out = w.output<float>(kSize * kSize);
        return [=, &steps = steps_for(isa)] {
            Vector means;
            Matrix k;
            steps.window_means(plane, means);
            steps.covariance(plane, means, k);
            std::copy_n(means.data(), kSize, means_out);
            copy_out(k, k_out);
        };
    },
    .min_width = kSide,
    .min_height = kSide,
    .depths = {8},
});

// A symmetric matrix with a heavy diagonal; sometimes flat, as for flat pictures.
Matrix random_covariance(Workload &w) {
    Matrix k;
    const float diagonal = w.pattern == equality::Pattern::opposite ? 0.0f : 60.0f;
    for (int e = 0; e < kSize; e++)
        for (int f = 0; f <= e; f++) {
            const float value = float(w.random()() % 2000) / 100.0f - 10.0f;
            k[e][f] = k[f][e] = e == f ? std::fabs(value) + diagonal : diagonal > 0.0f ? value : 1.0f;
        }
    return k;
}

const equality::Registration tridiagonalise_equality({
    .name = "speed.tridiagonalise",
    .prepare = [](Workload &w, Isa isa) -> Call {
        float *const out = w.output<float>(2 * kSize);
        return [=, k = random_covariance(w), &steps = steps_for(isa)] {
            Matrix t = k;
            steps.tridiagonalise(t);
            for (int i = 0; i < kSize; i++) {
                out[i] = t[i][i];
                out[kSize + i] = i > 0 ? t[i][i - 1] : 0.0f;
            }
        };
    },
    .depths = {8},
});

const equality::Registration solve_equality({
    .name = "speed.solve",
    .prepare = [](Workload &w, Isa isa) -> Call {
        auto y = std::make_shared<BlockMatrix>(w.width);
        for (int e = 0; e < kSize; e++)
            for (int b = 0; b < w.width; b++) y->row(e)[b] = float(w.random()() % 20000) / 100.0f - 100.0f;
        float *const q_out = w.output<float>(kSize * kSize), *const r_out = w.output<float>(kSize * kSize),
                     *const energies = w.output<float>(std::size_t(w.width));
        return [=, k = random_covariance(w), &steps = steps_for(isa)] {
            Matrix q, r;
            steps.orthogonal_factor(k, q, r);
            copy_out(q, q_out);
            for (int i = 0; i < kSize; i++)
                for (int j = 0; j < kSize; j++) r_out[kSize * i + j] = j < i ? 0.0f : r[i][j];
            steps.block_energies(q, r, *y, energies);
        };
    },
    .depths = {8},
});

} // namespace
} // namespace vmaf::speed
