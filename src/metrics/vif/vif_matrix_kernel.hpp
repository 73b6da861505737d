// vif scale 0 of 8-bit pictures (vif.md 2.5 to 2.8) with every filter as a product of byte matrices, exact in integers:
// banded matrices of taps times matrices of samples, taps and products as two bytes each, vertical sums as four.
//
// A block has 256 columns, of which 240 are scored, and walks down in steps of 16 rows. Each group filters 32 columns
// down and leaves the sums in shared memory as planes of bytes, laid out as matrix operands; then groups take units
// of 16 x 16 pixels, filter across and add up the terms.
#pragma once

#include "device/kernel.hpp"
#include "metrics/vif/vif_args.hpp"
#include "metrics/vif/vif_eight_kernel.hpp"

namespace vmaf {
namespace kernels {

// Operands that are equal for all pictures (vif_matrix_taps.hpp), as offsets in Args::matrix_taps.
constexpr int kVifDownLow = 0, kVifDownHigh = 1, kVifDownNext = 2, kVifAcross = 3, kVifAcrossNext = 5;
constexpr int kVifStart128 = 6, kVifStartNext = 7, kVifStart32768 = 8, kVifMatrixTaps = 9;

struct VifNoTiles { // vif_tiles_kernel.hpp has the other form
    template <class C, class Terms> VMAF_DEVICE_FN void take_unit(C &, int, int, Terms &) const {}
};

template <class C, int kLimits> struct VifMatrixScale0 {
    using Args = VifArgs<PicturePlanes, kLimits>;
    static constexpr int kThreads = 256, kMinBlocks = 2, kGroups = kThreads / 32;
    static constexpr int kTileWidth = 240, kUnits = kTileWidth / 16, kTileHeight = 48;
    // In words. Eight more than a multiple of 32: no bank conflicts on reads.
    static constexpr int kPitch = 136, kPlane = 8 * kPitch;
    // Planes of bytes: four for each of three products, two for each mean, then those of the next level.
    static constexpr int kMeans = 12, kNext = 16, kPlanes = 18;

    struct SharedMemory {
        // A word has four columns: [row % 8][2 * (column / 4) + row / 8]. Next level: the picture instead of row / 8.
        alignas(16) u32 planes[kPlanes * kPlane];
        alignas(16) u16 log_table[kVifLogTableSize];
        Words4 taps[kVifMatrixTaps * 32];
        u64 group_sums[vif_sums(kLimits) * kGroups];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        VifTerms<kLimits> terms = {{0}, 0, 0, 0};
        walk(c, shared, a, terms, VifNoTiles());
        vif_add_up<kThreads>(c, shared->group_sums, a.sums + static_cast<u64>(c.frame) * a.sums_stride, terms);
    }

    // `tiles` may take the terms of each unit.
    template <class Tiles>
    static VMAF_DEVICE_FN void walk(C &c, Shared<SharedMemory> shared, const Args &a, VifTerms<kLimits> &terms,
                                    const Tiles &tiles) {
        for (int i = c.thread; i < kVifLogTableSize / 8; i += kThreads)
            put(reinterpret_cast<Shared<Words4>>(shared->log_table) + i,
                fetched(reinterpret_cast<Global<const Words4>>(a.log_table) + i));
        for (int i = c.thread; i < kVifMatrixTaps * 32; i += kThreads)
            put(shared->taps + i, fetched(a.matrix_taps + i));
        const int lane = c.thread % 32, group = c.thread / 32;
        const int x0 = c.block_x * kTileWidth, y_begin = c.block_y * kTileHeight;
        const int y_end = y_begin + kTileHeight < a.height ? y_begin + kTileHeight : a.height;
        const int x = x0 - 8 + 32 * group + lane / 4 * 4; // of the four columns that the thread loads
        Samples before = load(c, a, x, y_begin - 8 + lane % 4 * 4);
        c.barrier();
        for (int y0 = y_begin; y0 < y_end; y0 += 16) {
            const Samples now = load(c, a, x, y0 + 8 + lane % 4 * 4);
            Shared<u32> to = shared->planes + lane / 4 * kPitch + 16 * group + lane % 4 * 4;
            means_down(c, shared, before, now, to);
            products_down(c, shared, before, now, to);
            before = now;
            c.barrier();
            for (int unit = group; unit < kUnits && x0 + 16 * unit < a.width; unit += kGroups) {
                score(c, shared, a, x0 + 16 * unit, y0, unit, terms);
                tiles.take_unit(c, x0 + 16 * unit, y0, terms);
            }
            c.barrier();
        }
    }

  private:
    struct Samples { // four columns of four rows: a column per word
        u32 r[4], d[4];
    };

    static VMAF_DEVICE_FN u32 load_reflected(Global<const u8> row, int x, int width) {
        u32 v = 0;
        for (int i = 0; i < 4; i++) v |= static_cast<u32>(C::load(row + vif_reflect(x + i, width))) << (8 * i);
        return v;
    }
    static VMAF_DEVICE_FN Samples load(C &c, const Args &a, int x, int y) {
        Global<const u8> ref = static_cast<Global<const u8>>(a.in.ref_of(c.frame));
        Global<const u8> dist = static_cast<Global<const u8>>(a.in.dist_of(c.frame));
        Samples out;
        u32 at[4];
        VMAF_UNROLL
        for (int i = 0; i < 4; i++)
            at[i] = static_cast<u32>(vif_reflect(y + i, a.height)) * static_cast<u32>(a.in.pitch);
        if (x >= 0 && x + 4 <= a.width) {
            VMAF_UNROLL
            for (int i = 0; i < 4; i++) {
                const u32 first = at[i] + static_cast<u32>(x);
                out.r[i] = C::load(reinterpret_cast<Global<const u32>>(ref + first));
                out.d[i] = C::load(reinterpret_cast<Global<const u32>>(dist + first));
            }
        } else {
            VMAF_UNROLL
            for (int i = 0; i < 4; i++) {
                out.r[i] = load_reflected(ref + at[i], x, a.width);
                out.d[i] = load_reflected(dist + at[i], x, a.width);
            }
        }
        c.converge();
        transpose(out.r);
        transpose(out.d);
        return out;
    }

    static VMAF_DEVICE_FN void transpose(u32 (&v)[4]) { // of bytes
        const u32 a = C::permute_bytes(v[0], v[1], 0x5140), b = C::permute_bytes(v[2], v[3], 0x5140);
        const u32 e = C::permute_bytes(v[0], v[1], 0x7362), d = C::permute_bytes(v[2], v[3], 0x7362);
        v[0] = C::permute_bytes(a, b, 0x5410);
        v[1] = C::permute_bytes(a, b, 0x7632);
        v[2] = C::permute_bytes(e, d, 0x5410);
        v[3] = C::permute_bytes(e, d, 0x7632);
    }

    // Four 16-bit values as a word of low bytes and one of high bytes.
    struct BytePair {
        u32 low, high;
    };
    static VMAF_DEVICE_FN BytePair split(u32 v0, u32 v1, u32 v2, u32 v3) {
        const u32 a = C::permute_bytes(v0, v1, 0x5410), b = C::permute_bytes(v2, v3, 0x5410);
        return {C::permute_bytes(a, b, 0x6420), C::permute_bytes(a, b, 0x7531)};
    }
    static VMAF_DEVICE_FN BytePair products(u32 r, u32 d) {
        const u32 r0 = r & 0xff, r1 = r & 0xff00, d0 = d & 0xff, d1 = d & 0xff00;
        const u32 r2 = C::permute_bytes(r, 0, 0x4442), r3 = C::permute_bytes(r, 0, 0x4434);
        const u32 d2 = C::permute_bytes(d, 0, 0x4442), d3 = C::permute_bytes(d, 0, 0x4434);
        const u32 first = r1 * d1 + r0 * d0, second = r3 * d3 + r2 * d2; // two products each
        return {C::permute_bytes(first, second, 0x6420), C::permute_bytes(first, second, 0x7531)};
    }

    static VMAF_DEVICE_FN Words4 taps(C &c, Shared<const SharedMemory> shared, int i) {
        return fetched(shared->taps + 32 * i + c.thread % 32);
    }
    static VMAF_DEVICE_FN Words4 nothing() { return {{0, 0, 0, 0}}; }

    static VMAF_DEVICE_FN void means_down(C &c, Shared<SharedMemory> shared, const Samples &before, const Samples &now,
                                          Shared<u32> to) {
        const Words4 low = taps(c, shared, kVifDownLow), high = taps(c, shared, kVifDownHigh);
        const Words4 next = taps(c, shared, kVifDownNext);
        const Words4 start = taps(c, shared, kVifStart128), next_start = taps(c, shared, kVifStartNext);
        Words4 next_low, next_high;
        VMAF_UNROLL
        for (int picture = 0; picture < 2; picture++) {
            u32 m[4][4], v[4][2];
            VMAF_UNROLL
            for (int n = 0; n < 4; n++) {
                const u32 b0 = picture ? before.d[n] : before.r[n], b1 = picture ? now.d[n] : now.r[n];
                const Words4 l = c.byte_matrix(low, b0, b1, start), h = c.byte_matrix(high, b0, b1, nothing());
                VMAF_UNROLL
                for (int i = 0; i < 4; i++) m[n][i] = h.v[i] + (l.v[i] >> 8);
                const Words4 both = c.byte_matrix(next, b0, b1, next_start); // low taps in rows 0 to 7
                v[n][0] = both.v[2] + (both.v[0] >> 8);
                v[n][1] = both.v[3] + (both.v[1] >> 8);
            }
            Words4 lows, highs;
            VMAF_UNROLL
            for (int i = 0; i < 4; i++) {
                const int from = (i & 1) * 2 + (i >> 1);
                const BytePair bytes = split(m[0][from], m[1][from], m[2][from], m[3][from]);
                lows.v[i] = bytes.low;
                highs.v[i] = bytes.high;
            }
            put(reinterpret_cast<Shared<Words4>>(to + (kMeans + 2 * picture) * kPlane), lows);
            put(reinterpret_cast<Shared<Words4>>(to + (kMeans + 2 * picture + 1) * kPlane), highs);
            VMAF_UNROLL
            for (int i = 0; i < 2; i++) {
                const BytePair bytes = split(v[0][i], v[1][i], v[2][i], v[3][i]);
                next_low.v[2 * i + picture] = bytes.low;
                next_high.v[2 * i + picture] = bytes.high;
            }
        }
        put(reinterpret_cast<Shared<Words4>>(to + kNext * kPlane), next_low);
        put(reinterpret_cast<Shared<Words4>>(to + (kNext + 1) * kPlane), next_high);
    }

    static VMAF_DEVICE_FN void products_down(C &c, Shared<SharedMemory> shared, const Samples &before,
                                             const Samples &now, Shared<u32> to) {
        const Words4 low = taps(c, shared, kVifDownLow), high = taps(c, shared, kVifDownHigh);
        u32 w[3][4][4]; // product, column, place
        VMAF_UNROLL
        for (int n = 0; n < 4; n++) {
            VMAF_UNROLL
            for (int q = 0; q < 3; q++) { // ref * ref, dist * dist, ref * dist
                const BytePair p = products(q == 1 ? before.d[n] : before.r[n], q == 0 ? before.r[n] : before.d[n]);
                const BytePair s = products(q == 1 ? now.d[n] : now.r[n], q == 0 ? now.r[n] : now.d[n]);
                const Words4 l = c.byte_matrix(low, p.low, s.low, nothing());
                Words4 m = c.byte_matrix(high, p.low, s.low, nothing());
                m = c.byte_matrix(low, p.high, s.high, m);
                const Words4 h = c.byte_matrix(high, p.high, s.high, nothing());
                VMAF_UNROLL
                for (int i = 0; i < 4; i++) w[q][n][i] = l.v[i] + (m.v[i] << 8) + (h.v[i] << 16);
            }
        }
        VMAF_UNROLL
        for (int q = 0; q < 3; q++) {
            u32 b[4][4]; // place, byte
            VMAF_UNROLL
            for (int i = 0; i < 4; i++) {
                VMAF_UNROLL
                for (int n = 0; n < 4; n++) b[i][n] = w[q][n][(i & 1) * 2 + (i >> 1)];
                transpose(b[i]);
            }
            VMAF_UNROLL
            for (int byte = 0; byte < 4; byte++)
                put(reinterpret_cast<Shared<Words4>>(to + (4 * q + byte) * kPlane),
                    Words4{{b[0][byte], b[1][byte], b[2][byte], b[3][byte]}});
        }
    }

    static VMAF_DEVICE_FN Words4 operand(Shared<const u32> at) { // 16 rows, 32 columns of a plane
        const Words2 first = fetched(reinterpret_cast<Shared<const Words2>>(at));
        const Words2 second = fetched(reinterpret_cast<Shared<const Words2>>(at + 8));
        return {{first.v[0], first.v[1], second.v[0], second.v[1]}};
    }

    // Sums of 16-bit values from their bytes; `low` and `high` are taps in four words.
    static VMAF_DEVICE_FN Words4 narrow_across(C &c, Shared<const u32> from, const Words4 &taps, const Words4 &start) {
        const Words4 low = operand(from), high = operand(from + kPlane);
        Words4 l = c.byte_matrix(low, taps.v[0], taps.v[1], start);
        Words4 m = c.byte_matrix(low, taps.v[2], taps.v[3], nothing());
        const Words4 h = c.byte_matrix(high, taps.v[2], taps.v[3], nothing());
        m = c.byte_matrix(high, taps.v[0], taps.v[1], m);
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) l.v[i] += (m.v[i] << 8) + (h.v[i] << 16);
        return l;
    }

    // (sum + 32768) >> 16 of 32-bit values, from their bytes.
    static VMAF_DEVICE_FN Words4 wide_across(C &c, const Words4 (&bytes)[4], const Words4 &taps, const Words4 &start) {
        const Words4 w0 = c.byte_matrix(bytes[0], taps.v[0], taps.v[1], start);
        Words4 w1 = c.byte_matrix(bytes[0], taps.v[2], taps.v[3], nothing());
        Words4 w2 = c.byte_matrix(bytes[1], taps.v[2], taps.v[3], nothing());
        Words4 w3 = c.byte_matrix(bytes[2], taps.v[2], taps.v[3], nothing());
        const Words4 w4 = c.byte_matrix(bytes[3], taps.v[2], taps.v[3], nothing());
        w1 = c.byte_matrix(bytes[1], taps.v[0], taps.v[1], w1);
        w2 = c.byte_matrix(bytes[2], taps.v[0], taps.v[1], w2);
        w3 = c.byte_matrix(bytes[3], taps.v[0], taps.v[1], w3);
        Words4 out;
        VMAF_UNROLL
        for (int i = 0; i < 4; i++)
            out.v[i] = ((w0.v[i] + (w1.v[i] << 8)) >> 16) + w2.v[i] + (w3.v[i] << 8) + (w4.v[i] << 16);
        return out;
    }

    static VMAF_DEVICE_FN void next_level(C &c, Shared<SharedMemory> shared, const Args &a, Shared<const u32> from,
                                          const Words4 &start, int x, int y) {
        const Words4 sums = narrow_across(c, from + kNext * kPlane, taps(c, shared, kVifAcrossNext), start);
        if (y < a.height / 2 && x < a.width / 2) { // the padding may be written
            const u64 at = static_cast<u64>(c.frame) * a.next.frame_stride + static_cast<u64>(y) * a.next.pitch + x;
            put(reinterpret_cast<Global<u32>>(a.next.ref + at), C::permute_bytes(sums.v[0], sums.v[1], 0x7632));
            put(reinterpret_cast<Global<u32>>(a.next.dist + at), C::permute_bytes(sums.v[2], sums.v[3], 0x7632));
        }
        c.converge();
    }

    // A unit: a lane has two columns of two rows, 8 rows apart, and the same again eight columns further.
    static VMAF_DEVICE_FN void score(C &c, Shared<SharedMemory> shared, const Args &a, int x, int y, int unit,
                                     VifTerms<kLimits> &terms) {
        const int g = c.thread % 32 / 4, t = c.thread % 4;
        Shared<const u32> from = shared->planes + g * kPitch + 8 * unit + 2 * t;
        const Words4 start = taps(c, shared, kVifStart32768);
        next_level(c, shared, a, from, start, x / 2 + 2 * t, y / 2 + g);
        u32 sums[3][8], means[2][8];
        const Words4 first = taps(c, shared, kVifAcross), second = taps(c, shared, kVifAcross + 1);
        VMAF_UNROLL
        for (int q = 0; q < 3; q++) {
            Words4 bytes[4];
            VMAF_UNROLL
            for (int byte = 0; byte < 4; byte++) bytes[byte] = operand(from + (4 * q + byte) * kPlane);
            VMAF_UNROLL
            for (int half = 0; half < 2; half++) {
                const Words4 v = wide_across(c, bytes, half ? second : first, start);
                VMAF_UNROLL
                for (int i = 0; i < 4; i++) sums[q][4 * half + i] = v.v[i];
            }
        }
        VMAF_UNROLL
        for (int picture = 0; picture < 2; picture++) {
            VMAF_UNROLL
            for (int half = 0; half < 2; half++) {
                const Words4 v =
                    narrow_across(c, from + (kMeans + 2 * picture) * kPlane, half ? second : first, nothing());
                VMAF_UNROLL
                for (int i = 0; i < 4; i++) means[picture][4 * half + i] = v.v[i];
            }
        }
        u32 valid = 255;
        if (x + 16 > a.width || y + 16 > a.height) {
            valid = 0;
            VMAF_UNROLL
            for (int j = 0; j < 8; j++)
                if (x + 8 * (j >> 2) + 2 * t + (j & 1) < a.width && y + g + 8 * (j >> 1 & 1) < a.height)
                    valid |= 1u << j;
        }
        VifVariances v[8];
        VMAF_UNROLL
        for (int j = 0; j < 8; j++) v[j] = vif_variances(means[0][j], means[1][j], sums[0][j], sums[1][j], sums[2][j]);
        VifEight<C, kLimits, C::kFastF64>::run(v, valid, shared->log_table, a.limits, terms);
        c.converge();
    }
};

} // namespace kernels
} // namespace vmaf
