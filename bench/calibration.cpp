#include "calibration.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "interleaved.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#define VMAF_PLAIN_LOOPS __attribute__((noinline, optimize("O2", "no-tree-vectorize")))
#else
#define VMAF_PLAIN_LOOPS __attribute__((noinline))
#endif

namespace vmaf::bench {

namespace {

constexpr int kWidth = 1920, kHeight = 1080, kRadius = 8;
using Taps = std::array<std::uint16_t, 2 * kRadius + 1>;
constexpr Taps kTaps = {489,  935,  1640, 2640, 3896, 5274, 6547, 7455, 7784,
                        7455, 6547, 5274, 3896, 2640, 1640, 935,  489};

// Keep the work the same for every compiler and set of flags: figures are compared with old ones.
VMAF_PLAIN_LOOPS void filter(const std::uint8_t *in, std::uint16_t *out, const std::uint16_t *taps) {
    for (int y = kRadius; y < kHeight - kRadius; y++)
        for (int x = 0; x < kWidth; x++) {
            std::uint32_t sum = 128;
#ifdef __clang__
#pragma clang loop vectorize(disable)
#endif
            for (int k = 0; k <= 2 * kRadius; k++) sum += std::uint32_t(taps[k]) * in[(y - kRadius + k) * kWidth + x];
            out[y * kWidth + x] = std::uint16_t(sum >> 8);
        }
}

} // namespace

double calibration() {
    std::vector<std::uint8_t> in(std::size_t(kWidth) * kHeight);
    std::vector<std::uint16_t> out(in.size());
    std::uint32_t state = 1;
    for (std::uint8_t &v : in) v = std::uint8_t((state = state * 1664525u + 1013904223u) >> 24);
    const auto work = [&] { filter(in.data(), out.data(), kTaps.data()); };
    return best_times({{Isa::scalar, work}}, 0.3)[0] * 1e9 / (double(kWidth) * kHeight);
}

} // namespace vmaf::bench
