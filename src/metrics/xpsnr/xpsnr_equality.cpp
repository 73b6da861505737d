#include "equality/equality.hpp"
#include "metrics/xpsnr/xpsnr.hpp"

namespace vmaf::xpsnr {
namespace {

using equality::Call;
using equality::Workload;

template <class T> Call prepare_spatial(Workload &w, Isa isa, bool large) {
    const int margin = large ? 2 : 1;
    const PlaneView<T> plane = w.plane<T>(w.width, 3 * margin);
    std::array<const T *, 6> rows{};
    for (int i = 0; i < 3 * margin; i++) rows[std::size_t(i)] = plane.row(i);
    auto *const scratch = reinterpret_cast<std::int32_t *>(w.scratch(3 * std::size_t(scratch_stride(w.width)) * 4));
    const int end = w.width - margin;
    std::uint32_t *const columns = w.output<std::uint32_t>(std::size_t(end), kOverreadBytes);
    return [=, width = w.width, function = pick_spatial_row<T>(isa, large)] {
        std::fill_n(columns, end, 0u);
        function(rows.data(), width, margin, end, scratch, columns);
    };
}

template <class T> Call prepare_temporal(Workload &w, Isa isa, bool large) {
    const PlaneView<T> planes[3] = {w.plane<T>(w.width, 2), w.plane<T>(w.width, 2), w.plane<T>(w.width, 2)};
    std::array<std::array<const T *, 2>, 3> rows{};
    for (std::size_t p = 0; p < 3; p++) rows[p] = {planes[p].row(0), planes[p].row(1)};
    auto *const scratch = reinterpret_cast<std::int32_t *>(w.scratch(3 * std::size_t(scratch_stride(w.width)) * 4));
    std::uint32_t *const columns = w.output<std::uint32_t>(std::size_t(w.width), kOverreadBytes);
    const bool second_order = w.random()() % 2 == 0;
    return [=, width = w.width, function = pick_temporal_row<T>(isa, large)] {
        std::fill_n(columns, width, 0u);
        function(rows[0].data(), rows[1].data(), second_order ? rows[2].data() : nullptr, width, scratch, columns);
    };
}

template <bool kLarge> Call spatial(Workload &w, Isa isa) {
    return w.bits == 8 ? prepare_spatial<std::uint8_t>(w, isa, kLarge) : prepare_spatial<std::uint16_t>(w, isa, kLarge);
}
template <bool kLarge> Call temporal(Workload &w, Isa isa) {
    return w.bits == 8 ? prepare_temporal<std::uint8_t>(w, isa, kLarge)
                       : prepare_temporal<std::uint16_t>(w, isa, kLarge);
}

const equality::Registration spatial_equality({.name = "xpsnr.spatial_row", .prepare = spatial<false>, .min_width = 3});
const equality::Registration
    large_spatial_equality({.name = "xpsnr.large_spatial_row", .prepare = spatial<true>, .min_width = 5});
const equality::Registration temporal_equality({.name = "xpsnr.temporal_row", .prepare = temporal<false>});
const equality::Registration large_temporal_equality({.name = "xpsnr.large_temporal_row", .prepare = temporal<true>});

} // namespace
} // namespace vmaf::xpsnr
