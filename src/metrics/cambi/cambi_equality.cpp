#include <algorithm>

#include "equality/equality.hpp"
#include "metrics/cambi/cambi_stages.hpp"

namespace vmaf::cambi {
namespace {

using equality::Call;
using equality::Registration;
using equality::Workload;

const Registration widen({
    .name = "cambi.widen",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const std::uint8_t *const from = w.plane<std::uint8_t>(w.width, 1).data;
        std::uint16_t *const to = w.output<std::uint16_t>(std::size_t(w.width));
        return [=, count = w.width, &rows = pick_rows(isa)] { rows.widen(from, to, count); };
    },
    .depths = {8},
});

const Registration convert({
    .name = "cambi.convert",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const std::uint16_t *const from = w.plane<std::uint16_t>(w.width, 1).data;
        std::uint16_t *const to = w.output<std::uint16_t>(std::size_t(w.width));
        return [=, count = w.width, bits = w.bits, &rows = pick_rows(isa)] { rows.convert(from, to, count, bits); };
    },
    .depths = {9, 10, 11, 12, 13, 14, 15, 16},
});

const Registration remove_dither_rows({
    .name = "cambi.remove_dither",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto image = w.plane<std::uint16_t>(w.width, 2);
        std::uint16_t *const row = w.output<std::uint16_t>(std::size_t(w.width));
        return [=, &rows = pick_rows(isa)] {
            std::copy_n(image.row(0), image.width, row);
            rows.remove_dither(row, image.row(1), image.width - 1);
        };
    },
    .depths = {10},
});

const Registration sums_of_four({
    .name = "cambi.sum_of_four",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto image = w.plane<std::uint8_t>(w.width + 1, 2);
        std::uint16_t *const to = w.output<std::uint16_t>(std::size_t(w.width));
        return [=, &rows = pick_rows(isa)] { rows.sum_of_four(image.row(0), image.row(1), to, image.width - 1); };
    },
    .depths = {8},
});

const Registration mask_rows({
    .name = "cambi.mask",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto image = w.plane<std::uint16_t>(w.width + 1, 8);
        const auto size = std::size_t(w.width), half = (size + 1) / 2;
        const int threshold = int(w.random()() % 49);
        std::uint8_t *const flat = w.output<std::uint8_t>(size), *const totals = w.output<std::uint8_t>(size + 6),
                            *const mask = w.output<std::uint8_t>(size), *const halved = w.output<std::uint8_t>(half);
        return [=, count = w.width, &rows = pick_rows(isa)] {
            std::fill_n(totals, size + 6, std::uint8_t(0));
            for (int y = 0; y < 7; y++) {
                std::fill_n(flat, size, std::uint8_t(0));
                rows.mark_flat(image.row(y), image.row(y + 1), flat, totals + 3, count);
            }
            rows.mark_flat(image.row(3), image.row(0), flat, totals + 3, count);
            rows.mask(totals + 3, threshold, mask, count);
            rows.mask_halved(totals + 3, threshold, halved, int(half));
        };
    },
    .depths = {8, 10},
});

const Registration decimate_rows({
    .name = "cambi.decimate",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto image = w.plane<std::uint16_t>(2 * w.width, 1);
        const auto mask = w.plane<std::uint8_t>(2 * w.width, 1);
        std::uint16_t *const small = w.output<std::uint16_t>(std::size_t(w.width)), *const in_place =
                                                                                        w.output<std::uint16_t>(
                                                                                            2 * std::size_t(w.width));
        std::uint8_t *const small_mask = w.output<std::uint8_t>(std::size_t(w.width));
        return [=, count = w.width, &rows = pick_rows(isa)] {
            rows.decimate_image(image.data, small, count);
            std::copy_n(image.data, 2 * count, in_place);
            rows.decimate_image(in_place, in_place, count);
            rows.decimate_mask(mask.data, small_mask, count);
        };
    },
    .depths = {8},
});

const Registration mode_rows({
    .name = "cambi.mode",
    .prepare = [](Workload &w, Isa isa) -> Call {
        // Few levels, so that neighbours are often equal.
        const unsigned levels = 2 + w.random()() % 4;
        const auto fill = [=](Workload::Random &random, std::size_t) { return std::uint16_t(random() % levels); };
        const auto count = std::size_t(w.width);
        const std::uint16_t *const a = w.input<std::uint16_t>(count + 2, fill),
                                   *const b = w.input<std::uint16_t>(count, fill),
                                   *const c = w.input<std::uint16_t>(count, fill);
        std::uint16_t *const along = w.output<std::uint16_t>(count), *const across = w.output<std::uint16_t>(count);
        return [=, &rows = pick_rows(isa)] {
            rows.mode_along(a + 1, along, int(count));
            rows.mode_across(a, b, c, across, int(count));
        };
    },
    .depths = {10},
});

Call prepare_c_values(Workload &w, Isa isa) {
    const auto draw = [&](unsigned limit) { return unsigned(w.random()() % limit); };
    const int log_steps = draw(3) == 0 ? int(draw(6)) : 2, radius = int(draw(33));
    Setup setup = make_setup(OptionValues("cambi", kOptions,
                                          {{"max_log_contrast", std::to_string(log_steps)},
                                           {"cambi_vis_lum_threshold", draw(4) == 0 ? "1" : "0"},
                                           {"eotf", draw(4) == 0 ? "pq" : "bt1886"}}),
                             {PixelFormat::yuv400p, 8, 640, 360});
    setup.encoded = setup.source = {w.width, w.height, 2 * radius + 1};

    const auto pixels = std::size_t(w.width) * std::size_t(w.height);
    const unsigned spreads[] = {1, 3, 10, 40, 1025}, spread = spreads[draw(5)], lowest = draw(1025 - spread + 1);
    const unsigned shown = 1 + draw(8); // eighths of the pixels within the mask
    const std::uint16_t *const image = w.input<std::uint16_t>(
        pixels, [=](Workload::Random &random, std::size_t) { return std::uint16_t(lowest + random() % spread); });
    const std::uint8_t *const mask = w.input<std::uint8_t>(
        pixels, [=](Workload::Random &random, std::size_t) { return std::uint8_t(random() % 8 < shown); });
    const int begin = w.height > 900 ? 0 : int(draw(unsigned(w.height))); // large ones: whole, for timing
    std::byte *const memory = w.scratch(counts_bytes(setup, w.width, isa));
    float *const c = w.output<float>(std::size_t(w.width) * std::size_t(w.height - begin));
    const Canvas canvas{w.width,
                        w.height,
                        w.width,
                        w.height,
                        w.width,
                        const_cast<std::uint16_t *>(image),
                        const_cast<std::uint8_t *>(mask)};
    float *const not_zero = w.output<float>(std::size_t(w.width) * std::size_t(w.height - begin));
    const std::size_t most = std::size_t(w.width) * std::size_t(w.height - begin);
    float *const some = reinterpret_cast<float *>(w.scratch(most * sizeof(float)));
    return [=, function = pick_c_values(isa)] {
        function(canvas, radius, setup, begin, canvas.height, memory, c, Wanted::all);
        const std::size_t count = function(canvas, radius, setup, begin, canvas.height, memory, some, Wanted::not_zero);
        std::fill(std::copy_if(some, some + count, not_zero, [](float v) { return v != 0.0f; }), not_zero + most, 0.0f);
    };
}

const Registration c_values({
    .name = "cambi.c_values",
    .prepare = prepare_c_values,
    .depths = {10},
});

const Registration pool({
    .name = "cambi.pool",
    .prepare = [](Workload &w, Isa isa) -> Call {
        const auto count = std::size_t(w.width) * std::size_t(w.height);
        // Some zeros, the others with many ties or hardly any; sometimes sums beyond 2^29.
        const unsigned zeros = unsigned(w.random()() % 5), steps = w.random()() % 2 ? 20 : 1u << 20;
        const float largest = w.random()() % 4 == 0 ? 9506.0f : 100.0f;
        const float *const values = w.input<float>(count, [=](Workload::Random &random, std::size_t) {
            if (random() % 4 < zeros) return 0.0f;
            return 0.5f + (largest - 0.5f) * float(random() % steps) / float(steps);
        });
        const double topk = w.random()() % 8 == 0 ? 1.0 : double(1 + w.random()() % 99) / 100;
        const std::span<float> room(reinterpret_cast<float *>(w.scratch(count * sizeof(float))), count);
        double *const pooled = w.output<double>(2);
        return [=, function = pick_pool(isa)] {
            std::copy_n(values, count, room.begin());
            pooled[0] = function(room, count, topk).value();
            // Without zeros, if possible.
            const auto end = std::copy_if(values, values + count, room.begin(), [](float v) { return v != 0.0f; });
            pooled[1] = function(std::span(room.begin(), end), count, topk).value_or(pooled[0]);
        };
    },
    .depths = {10},
});

} // namespace
} // namespace vmaf::cambi
