// Input of the fixed-point adm's device kernels.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

// Two input rows of both pictures, two columns per lane: stored as loaded, so that nothing waits for them yet.
template <class C, int S, class Sample> struct AdmRows {
    static constexpr bool kBytes = sizeof(Sample) == 1;
    static constexpr int kWords = S < 2 ? 1 : 2;            // per row and picture
    static constexpr int kPacked = kBytes ? 1 : 2 * kWords; // per picture, both rows
    u32 raw[2][2][kWords];                                  // [picture][row]

    template <class Args>
    VMAF_DEVICE_FN void load(const Args &a, Global<const Sample> ref, Global<const Sample> dist, u32 column, int row) {
        VMAF_UNROLL
        for (int k = 0; k < 2; k++) {
            int p = row + k; // folded as in section 1
            p = p < 0 ? -p : p;
            p = p >= a.height ? 2 * a.height - 1 - p : p;
            p = p < 0 ? 0 : p;
            const u32 at = static_cast<u32>(p) * static_cast<u32>(a.in.pitch) + column;
            VMAF_UNROLL
            for (int i = 0; i < 2; i++) {
                Global<const Sample> from = (i ? dist : ref) + at;
                if (kBytes)
                    raw[i][k][0] = C::load(reinterpret_cast<Global<const u16>>(from));
                else if (S < 2)
                    raw[i][k][0] = C::load(reinterpret_cast<Global<const u32>>(from));
                else {
                    const Words2 pair = C::load(reinterpret_cast<Global<const Words2>>(from));
                    raw[i][k][0] = pair.v[0];
                    raw[i][k][kWords - 1] = pair.v[1];
                }
            }
        }
    }
    // Orders the columns; `selector` matters only at the borders.
    VMAF_DEVICE_FN void pack(u32 selector, u32 (&out)[2][kPacked]) const {
        VMAF_UNROLL
        for (int i = 0; i < 2; i++) {
            if (kBytes)
                out[i][0] = C::permute_bytes(raw[i][0][0], raw[i][1][0], selector); // a0 b0 a1 b1
            else if (kWords == 1) {
                out[i][0] = C::permute_bytes(raw[i][0][0], 0, selector);
                out[i][kPacked - 1] = C::permute_bytes(raw[i][1][0], 0, selector);
            } else {
                VMAF_UNROLL
                for (int k = 0; k < 2; k++) {
                    const u32 x = raw[i][k][0], y = raw[i][k][kWords - 1];
                    out[i][(2 * k) % kPacked] = selector & 1 ? y : x;
                    out[i][(2 * k + 1) % kPacked] = selector & 2 ? y : x;
                }
            }
        }
    }
    static VMAF_DEVICE_FN u32 selector(u32 first, u32 second) { // which of the two loaded samples goes where
        return S >= 2   ? first | second << 1
               : kBytes ? first | (4 + first) << 4 | second << 8 | (4 + second) << 12
                        : 2 * first | (2 * first + 1) << 4 | (2 * second) << 8 | (2 * second + 1) << 12;
    }
    static VMAF_DEVICE_FN int sample(const u32 *packed, int row, int column) { // not for bytes
        if (S >= 2) return static_cast<int>(packed[2 * row + column]);
        if (S == 1)
            return column ? static_cast<int>(packed[row]) >> 16 : static_cast<int>(static_cast<i16>(packed[row]));
        return static_cast<int>(column ? packed[row] >> 16 : packed[row] & 0xffff);
    }
};

} // namespace kernels
} // namespace vmaf
