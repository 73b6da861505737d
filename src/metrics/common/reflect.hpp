// The sample that replaces a position outside a line: mirrored at the ends, without repeating the edge.
#pragma once

namespace vmaf {

// Mirrors as often as needed, so that lines shorter than a filter work too (vif.md 2.4). A line of one sample repeats
// it.
constexpr int reflect(int position, int length) {
    if (position >= 0 && position < length) return position;
    if (length <= 1) return 0;
    const int period = 2 * (length - 1);
    int folded = position % period;
    if (folded < 0) folded += period;
    return folded < length ? folded : period - folded;
}

} // namespace vmaf
