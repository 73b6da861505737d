#include <algorithm>
#include <memory>

#include "equality/equality.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/vif/float_vif_strip.hpp"

namespace vmaf::float_vif {
namespace {

using equality::Call;
using equality::Workload;

// What a call needs in addition to the workload's memory.
struct State {
    std::vector<float> taps, next_taps;
    FloatPlane next_ref, next_dist;
    Strip strip;
    std::unique_ptr<StripWorker> scalar;
};

// Filter lengths of a scale and the next one, for the default and some allowed kernel scales.
struct Lengths {
    int taps, next_taps;
};
constexpr Lengths kLengths[] = {{17, 9}, {9, 5}, {5, 3}, {3, 0}, {3, 3}, {13, 7}, {35, 19}};

Call prepare(Workload &w, Isa isa) {
    const auto state = std::make_shared<State>();
    Strip &strip = state->strip;
    const bool timed = w.height >= 900; // large planes: scale 0, whole
    const Lengths lengths = timed ? kLengths[0] : kLengths[w.random()() % std::size(kLengths)];
    const bool floats = !timed && w.random()() % 3 == 0;
    const auto source = [&]() -> Source {
        if (floats) {
            const PlaneView<float> plane = w.float_plane(w.width, w.height, 255.0f, -128.0f);
            return {plane.data, plane.stride * std::ptrdiff_t(sizeof(float)), 0};
        }
        if (w.bits == 8) {
            const PlaneView<std::uint8_t> plane = w.plane<std::uint8_t>();
            return {plane.data, plane.stride, 8};
        }
        const PlaneView<std::uint16_t> plane = w.plane<std::uint16_t>();
        return {plane.data, plane.stride * 2, w.bits};
    };
    strip.ref = source();
    strip.dist = source();
    strip.width = w.width;
    strip.height = w.height;
    strip.end_row = w.height;
    strip.constants = {2.0, 100.0f, 6.15148019e-05f};
    if (!timed) {
        strip.first_row = int(w.random()() % unsigned(w.height)) / 2 * 2;
        strip.end_row = std::min(w.height, strip.first_row + 1 + int(w.random()() % 20));
        if (w.random()() % 4 == 0) strip.constants = {1.7, 1.2f, 4.4e-05f};
    }
    state->taps = gaussian_taps(lengths.taps, float(lengths.taps) / 5.0f);
    strip.taps = state->taps;
    const int next_width = w.width / 2, next_height = w.height / 2;
    if (lengths.next_taps > 0) {
        state->next_taps = gaussian_taps(lengths.next_taps, float(lengths.next_taps) / 5.0f);
        strip.next_taps = state->next_taps;
        state->next_ref = FloatPlane(next_width, next_height);
        state->next_dist = FloatPlane(next_width, next_height);
        strip.next_ref = &state->next_ref;
        strip.next_dist = &state->next_dist;
    }
    const std::size_t rows = std::size_t(w.height);
    strip.row_num = w.output<float>(rows);
    strip.row_den = w.output<float>(rows);
    std::fill_n(strip.row_num, rows, 0.0f);
    std::fill_n(strip.row_den, rows, 0.0f);
    const std::size_t next_samples = std::size_t(next_width) * std::size_t(next_height);
    float *const next = w.output<float>(2 * next_samples);
    std::fill_n(next, 2 * next_samples, 0.0f);

    const StripCode *const code = pick_strip_code(isa);
    auto *const scratch =
        reinterpret_cast<float *>(w.scratch(code ? code->scratch_floats(w.width, lengths.taps) * sizeof(float) : 0));
    state->scalar = make_scalar_worker(w.width, lengths.taps);
    return [=] {
        if (code)
            code->run(state->strip, state->strip.width, int(state->taps.size()), scratch);
        else
            state->scalar->run(state->strip);
        if (state->next_taps.empty()) return;
        for (int y = 0; y < next_height; y++) {
            std::copy_n(state->next_ref.row(y), next_width, next + y * next_width);
            std::copy_n(state->next_dist.row(y), next_width, next + std::ptrdiff_t(next_samples) + y * next_width);
        }
    };
}

const equality::Registration strip_equality({
    .name = "float_vif.strip",
    .prepare = prepare,
    .min_width = 2,
    .min_height = 2,
    .depths = {8, 10, 16},
});

} // namespace
} // namespace vmaf::float_vif
