#include "metrics/adm/sweep_parts.hpp"

#include <algorithm>

namespace vmaf::adm {

namespace {

// Input positions that outputs [from, to) of the wavelet need, of `length` (1).
Range wavelet_input(Range out, int length) {
    if (out.empty()) return {};
    // The folds stay inside: -1 becomes 1; `length` and length+1 become length-1 and length-2.
    return {std::max(0, 2 * out.from - 1), std::min(length, 2 * out.to + 1)};
}

Range with_neighbours(Range r, int length) {
    return r.empty() ? r : Range{std::max(0, r.from - 1), std::min(length, r.to + 1)};
}

} // namespace

Range hull(Range a, Range b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.from, b.from), std::max(a.to, b.to)};
}

std::array<Share, kScales> make_shares(const std::array<Window, kScales> &windows, bool skip_scale0, int part,
                                       int parts, bool beyond_window) {
    std::array<Share, kScales> shares{};
    for (int s = kScales - 1; s >= 0; s--) {
        const Window &w = windows[std::size_t(s)];
        Share &share = shares[std::size_t(s)];
        if (s > 0 || !skip_scale0) {
            const Range scored = beyond_window ? Range{0, w.height} : Range{w.top, w.bottom};
            const int rows = scored.to - scored.from;
            share.pooled = {scored.from + rows * part / parts, scored.from + rows * (part + 1) / parts};
            share.detail_rows = with_neighbours(share.pooled, w.height);
            share.detail_columns = beyond_window ? Range{0, w.width} : with_neighbours({w.left, w.right}, w.width);
        }
        if (s + 1 < kScales) {
            share.approx_rows = wavelet_input(shares[std::size_t(s) + 1].rows(), w.height);
            share.approx_columns = wavelet_input(shares[std::size_t(s) + 1].columns(), w.width);
        }
    }
    return shares;
}

int sensible_parts(int height, int threads) { return std::clamp(height / 96, 1, std::max(1, threads)); }

} // namespace vmaf::adm
