#include <memory>
#include <vector>

#include "equality/equality.hpp"
#include "metrics/ssim/decimate.hpp"
#include "metrics/ssim/ssim.hpp"
#include "metrics/ssim/ssim_core.hpp"

namespace vmaf {
namespace {

using equality::Call;
using equality::Workload;

template <class T> T *row_of(std::byte *memory, std::ptrdiff_t bytes) { return reinterpret_cast<T *>(memory + bytes); }

// Windows along all rows of two planes, then down them: the terms of every position, in groups.
Call prepare_core(Workload &w, Isa isa) {
    const PlaneView<float> a = w.float_plane(w.width, w.height, 487.0f, -116.0f);
    const PlaneView<float> b = w.float_plane(w.width, w.height, 255.0f, 0.0f);
    const int columns = w.width - kSsimTaps + 1, rows = w.height - kSsimTaps + 1;
    const std::ptrdiff_t stride = round_up(w.width, 16);
    const std::size_t plane_bytes = std::size_t(stride) * std::size_t(w.height) * sizeof(double);
    std::vector<SsimRow> windowed(std::size_t(w.height));
    for (SsimRow &row : windowed)
        for (float *&channel : row) channel = row_of<float>(w.scratch(std::size_t(stride) * sizeof(float)), 0);
    std::byte *const terms[4] = {// NOLINT(clang-analyzer-deadcode.DeadStores): read by what is returned
                                 w.scratch(plane_bytes), w.scratch(plane_bytes), w.scratch(plane_bytes),
                                 w.scratch(plane_bytes)};
    float *const scratch = row_of<float>(w.scratch(SsimFunctions::scratch_size(w.width) * sizeof(float)), 0);
    double *const out = w.output<double>(4 * std::size_t(columns) * std::size_t(rows));
    return [=, &functions = ssim_functions(isa), windowed = std::move(windowed)] {
        for (std::size_t y = 0; y < windowed.size(); y++)
            functions.horizontal(a.row(int(y)), b.row(int(y)), columns, windowed[y], scratch);
        for (int y = 0; y < rows; y += kSsimGroup) {
            const int count = std::min(kSsimGroup, rows - y);
            SsimTermRow group[kSsimGroup];
            for (int i = 0; i < count; i++) {
                const std::ptrdiff_t at = (y + i) * stride * std::ptrdiff_t(sizeof(double));
                group[i] = {row_of<double>(terms[0], at), row_of<double>(terms[1], at), row_of<double>(terms[2], at),
                            row_of<float>(terms[3], at)};
            }
            SsimAdder none;
            functions.vertical(windowed.data() + y, columns, count, group, none, scratch);
            for (int i = 0; i < count; i++)
                for (int x = 0; x < columns; x++) {
                    double *const at = out + 4 * (std::ptrdiff_t(y + i) * columns + x);
                    at[0] = group[i].ssim[x];
                    at[1] = group[i].luminance[x];
                    at[2] = group[i].contrast[x];
                    at[3] = double(group[i].structure[x]);
                }
        }
    };
}

const equality::Registration core_equality({
    .name = "ssim.terms",
    .prepare = prepare_core,
    .min_width = kSsimTaps,
    .min_height = kSsimTaps,
    .depths = {8},
});

Call prepare_decimation(Workload &w, Isa isa) {
    const int columns = decimated(w.width);
    const PlaneView<float> samples = w.float_plane(w.width + 2 * kLowPassRadius, 9, 487.0f, -116.0f);
    RowSums sums[9];
    for (RowSums &row : sums)
        for (double *&sum : row) sum = row_of<double>(w.scratch(std::size_t(round_up(columns, 8)) * sizeof(double)), 0);
    double *const scratch = row_of<double>(w.scratch(DecimateFunctions::scratch_size(columns) * sizeof(double)), 0);
    float *const row = row_of<float>(w.scratch(std::size_t(round_up(columns, 16)) * sizeof(float)), 0);
    float *const out = w.output<float>(std::size_t(columns));
    return [=, &functions = decimate_functions(isa)] {
        std::array<const double *, 9> chosen;
        for (int i = 0; i < 9; i++) {
            functions.row_sums(samples.row(i) + kLowPassRadius, columns, i % 2 == 1, sums[i], scratch);
            chosen[std::size_t(i)] = sums[i][std::size_t(std::abs(i - kLowPassRadius) / 2)];
        }
        functions.add_rows(chosen, columns, row);
        std::copy_n(row, columns, out);
    };
}

const equality::Registration decimation_equality({
    .name = "ssim.decimate",
    .prepare = prepare_decimation,
    .depths = {8},
});

FloatPlane copied(const PlaneView<float> &from) {
    FloatPlane to(from.width, from.height);
    for (int y = 0; y < from.height; y++) std::copy_n(from.row(y), from.width, to.row(y));
    return to;
}

// The means of a scale and the plane of the next one, from samples within the limits of narrow.hpp, partly within, or
// far outside.
Call prepare_scale(Workload &w, Isa isa) {
    constexpr float kinds[3][2] = {{230.0f, 20.0f}, {260.0f, 0.0f}, {487.0f, -116.0f}};
    const float *const kind = kinds[w.random()() % 3];
    const auto plane = [&, range = kind[0], least = kind[1]] {
        return std::make_shared<FloatPlane>(copied(w.float_plane(w.width, w.height, range, least)));
    };
    const auto a = plane(), b = plane();
    const bool luminance = w.random()() % 2;
    const int width = decimated(w.width), height = decimated(w.height);
    float *const means = w.output<float>(3), *const out = w.output<float>(std::size_t(width) * std::size_t(height));
    const auto core = std::make_shared<SsimCore>(w.width, isa);
    const auto decimator = std::make_shared<Decimator>(w.width, isa);
    return [=] {
        Parallel one;
        const SsimMeans m = core->means(FloatRows(*a), FloatRows(*b), {false, luminance}, one);
        means[0] = m.luminance, means[1] = m.contrast, means[2] = m.structure;
        FloatPlane next(width, height);
        decimator->decimate(FloatRows(*a), next, one);
        for (int y = 0; y < height; y++) std::copy_n(next.row(y), width, out + y * width);
    };
}

const equality::Registration scale_equality({
    .name = "ssim.scale",
    .prepare = prepare_scale,
    .min_width = kSsimTaps,
    .min_height = kSsimTaps,
    .depths = {8},
});

template <class T, class Row> Call prepare_moments(Workload &w, Row row) {
    MomentRows<T> rows;
    const PlaneView<T> ref = w.plane<T>(w.width, 9), dist = w.plane<T>(w.width, 9);
    const int first = int(w.random()() % 5), last = 4 + int(w.random()() % 5); // rows inside the picture
    double rows_weight = 0;
    for (int i = 0; i < 9; i++) {
        const bool inside = i >= first && i <= last;
        rows.ref[std::size_t(i)] = ref.row(inside ? i : 4);
        rows.dist[std::size_t(i)] = dist.row(inside ? i : 4);
        rows.taps[std::size_t(i)] = inside ? kMomentTaps[std::size_t(i)] : 0;
        rows_weight += rows.taps[std::size_t(i)];
    }
    const auto weight = [](auto &random, std::size_t) { return double(160 + random() % 97); };
    const double *const columns_weight = w.input<double>(std::size_t(w.width), weight);
    const std::size_t scratch_size =
        5 * std::size_t(round_up(w.width + 2 * MomentFunctions::kPad, 16)) * sizeof(double);
    std::byte *const scratch = w.scratch(scratch_size);
    double *const out = w.output<double>(std::size_t(w.width), kOverreadBytes);
    const double peak = double((1u << w.bits) - 1);
    return [=, width = w.width] {
        std::memset(scratch, 0, scratch_size);
        row(rows, {width, peak * peak, rows_weight, columns_weight}, reinterpret_cast<double *>(scratch), out);
    };
}

const equality::Registration moments_equality({
    .name = "ssim.moments",
    .prepare =
        [](Workload &w, Isa isa) {
            const MomentFunctions &functions = moment_functions(isa);
            return w.bits == 8 ? prepare_moments<std::uint8_t>(w, functions.row_u8)
                               : prepare_moments<std::uint16_t>(w, functions.row_u16);
        },
    .depths = {8, 9, 10, 12, 14, 16},
});

} // namespace
} // namespace vmaf
