// Device kernels of ssimulacra2: colour (with the next scale), the recursive blur along rows, the blur down columns
// with the maps. The norms' sums: metrics/common/ordered_sums_kernels.hpp.
#pragma once

#include "device/kernel.hpp"
#include "metrics/ssimulacra2/ssimulacra2_formula.hpp"

namespace vmaf {
namespace kernels {

// Three planes (R, G, B or X, Y, B) of both pictures. Rows are whole quads, which are read past the width.
struct Ssimulacra2Planes {
    FrameArray<float> first; // of the reference
    int width, height, pitch;
    VMAF_DEVICE_FN u64 size() const { return static_cast<u64>(pitch) * static_cast<u64>(height); }
    VMAF_DEVICE_FN Global<float> plane(int frame, int picture, int channel) const {
        return first.of(frame) + static_cast<u64>(picture * 3 + channel) * size();
    }
};

// Sections 3, 4, 6, 7. Linear light comes from samples, or from the scale before, which has made it.
struct ColourArgs {
    PicturePlanes samples[3];
    int width, height, chroma_width, chroma_height;
    float sample_scale;
    YuvMatrix matrix;
    Global<const EotfStep> eotf;
    Ssimulacra2Planes linear; // in
    Ssimulacra2Planes xyb;    // out
    Ssimulacra2Planes half;   // out, linear; first null: there is no further scale
};

// Sample: void for linear light that is there already. A thread takes a square of 2x2 pixels of one picture.
template <class C, class Sample> struct ColourKernel {
    using Args = ColourArgs;
    using Formula = Ssimulacra2<C>;
    using Triple = typename Formula::Triple;
    static constexpr int kThreads = 128, kMinBlocks = 4, kTileWidth = 64, kTileHeight = 8;
    struct SharedMemory {
        u32 unused;
    };

    struct Table {
        Global<const EotfStep> steps;
        VMAF_DEVICE_FN EotfStep operator()(int i) const {
            const Words2 step = C::load(reinterpret_cast<Global<const Words2>>(steps) + i);
            return {C::float_from(step.v[0]), C::float_from(step.v[1])};
        }
    };

    // The distorted picture's blocks lie below the reference's.
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int blocks = (a.height + kTileHeight - 1) / kTileHeight;
        const int picture = c.block_y >= blocks ? 1 : 0;
        const int x = c.block_x * kTileWidth + c.thread % (kTileWidth / 2) * 2;
        const int y = (c.block_y - picture * blocks) * kTileHeight + c.thread / (kTileWidth / 2) * 2;
        if (x >= a.width || y >= a.height) return;
        Triple rgb[4]; // at the right and lower edge positions are the same
        const u32 right = x + 1 < a.width ? 1 : 0, down = y + 1 < a.height ? 1 : 0;
        linear(c, a, picture, x, y, right, down, rgb, Source<Sample>());

        const u32 pitch = static_cast<u32>(a.xyb.pitch), size = static_cast<u32>(a.xyb.size());
        Global<float> out = a.xyb.plane(c.frame, picture, 0) + (static_cast<u32>(y) * pitch + static_cast<u32>(x));
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) {
            const Triple xyb = Formula::xyb(rgb[i]);
            VMAF_UNROLL
            for (u32 n = 0; n < 3; n++) out[n * size + (i % 2 ? right : 0) + (i / 2 ? down * pitch : 0)] = xyb.v[n];
        }
        if (a.half.first.first == nullptr) return;
        Global<float> half = a.half.plane(c.frame, picture, 0) +
                             (static_cast<u32>(y / 2) * static_cast<u32>(a.half.pitch) + static_cast<u32>(x / 2));
        VMAF_UNROLL
        for (int n = 0; n < 3; n++)
            half[static_cast<u32>(n) * static_cast<u32>(a.half.size())] =
                (((rgb[0].v[n] + rgb[1].v[n]) + rgb[2].v[n]) + rgb[3].v[n]) * 0.25f;
    }

  private:
    template <class T> struct Source {};

    // Of the square whose first position is (x, y).
    template <class T>
    static VMAF_DEVICE_FN void linear(C &c, const Args &a, int picture, int x, int y, u32 right, u32 down,
                                      Triple (&out)[4], Source<T>) {
        float chroma[2][4];
        if (2 * a.chroma_width == a.width && 2 * a.chroma_height == a.height) { // one sample for all
            VMAF_UNROLL
            for (int n = 0; n < 2; n++) {
                chroma[n][0] = sample<T>(c, a, picture, n + 1, x >> 1, y >> 1);
                VMAF_UNROLL
                for (int i = 1; i < 4; i++) chroma[n][i] = chroma[n][0];
            }
        } else {
            VMAF_UNROLL
            for (int i = 0; i < 4; i++) {
                const int cx = ssimulacra2_chroma(x + (i % 2 ? static_cast<int>(right) : 0), a.width, a.chroma_width),
                          cy = ssimulacra2_chroma(y + (i / 2 ? static_cast<int>(down) : 0), a.height, a.chroma_height);
                VMAF_UNROLL
                for (int n = 0; n < 2; n++) chroma[n][i] = sample<T>(c, a, picture, n + 1, cx, cy);
            }
        }
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) {
            const float luma = sample<T>(c, a, picture, 0, x + (i % 2 ? static_cast<int>(right) : 0),
                                         y + (i / 2 ? static_cast<int>(down) : 0));
            out[i] = Formula::linear(luma, chroma[0][i], chroma[1][i], a.matrix, Table{a.eotf});
        }
    }
    template <class T>
    static VMAF_DEVICE_FN float sample(C &c, const Args &a, int picture, int plane, int column, int row) {
        const PicturePlanes &planes = a.samples[plane];
        Global<const void> data = picture ? planes.dist_of(c.frame) : planes.ref_of(c.frame);
        const u32 at = static_cast<u32>(row) * static_cast<u32>(planes.pitch) + static_cast<u32>(column);
        return static_cast<float>(C::load(static_cast<Global<const T>>(data) + at)) * a.sample_scale;
    }
    static VMAF_DEVICE_FN void linear(C &c, const Args &a, int picture, int x, int y, u32 right, u32 down,
                                      Triple (&out)[4], Source<void>) {
        const u32 pitch = static_cast<u32>(a.linear.pitch), size = static_cast<u32>(a.linear.size());
        Global<const float> from =
            a.linear.plane(c.frame, picture, 0) + (static_cast<u32>(y) * pitch + static_cast<u32>(x));
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) {
            VMAF_UNROLL
            for (u32 n = 0; n < 3; n++)
                out[i].v[n] = C::load(from + (n * size + (i % 2 ? right : 0) + (i / 2 ? down * pitch : 0)));
        }
    }
};

// What is blurred of a channel: both pictures, and for the structure map their squares and their product.
constexpr int kEdgeSignals = 2, kBlurSignals = 5;

// Channels that go through the blurs in one launch, with the same memory for each: one plane for each signal.
struct BlurArgs {
    Ssimulacra2Planes xyb;
    int channels[3];
    int signals;
    FrameArray<float> blurred;
    FrameArray<u64> structure, edges; // one plane for each channel, `width` values a row, bits of f64

    VMAF_DEVICE_FN u64 pixels() const { return static_cast<u64>(xyb.width) * static_cast<u64>(xyb.height); }
    VMAF_DEVICE_FN Global<float> plane(int frame, int place, int signal) const {
        return blurred.of(frame) + static_cast<u64>(place * signals + signal) * xyb.size();
    }
};

// Along the rows: those of a block go through the picture 32 columns at a time, a thread for each row and signal. All
// memory is read and written four samples at once. block_x: the channel.
template <class C, int kSignals> struct RowBlurKernel {
    using Args = BlurArgs;
    using Recursion = typename Ssimulacra2<C>::Recursion;
    static constexpr int kRows = 32, kColumns = 32, kQuads = kColumns / 4;
    static constexpr int kThreads = (kSignals * kRows + 63) / 64 * 64, kMinBlocks = 4; // all of them load and store
    static constexpr int kTileWidth = 0, kTileHeight = kRows;
    struct SharedMemory { // the quad too many keeps neighbouring rows in different banks
        Words4 in[2][kRows][kQuads + 1], out[kSignals][kRows][kQuads + 1];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int width = a.xyb.width, row = c.thread % kRows, signal = c.thread / kRows;
        const Source source(c, a);
        Recursion recursion;
        recursion.start();
        float inside[kBlurSpan]; // what has entered and not left
        VMAF_UNROLL
        for (int i = 0; i < kBlurSpan; i++) inside[i] = 0.0f;
        Quads next = source.loaded(c, a, 0);
        for (int x0 = 0; x0 < width + kBlurAhead; x0 += kColumns) { // samples that enter
            VMAF_UNROLL
            for (int i = 0; i < kLoads; i++) {
                const int item = c.thread + i * kThreads, line = item / kQuads;
                if (line < 2 * kRows) put(&shared->in[line / kRows][line % kRows][item % kQuads], next.v[i]);
            }
            c.barrier();
            next = source.loaded(c, a, x0 + kColumns);
            // Squares and products take two pictures, the others one.
            Shared<const Words4> p = &shared->in[signal == 1 || signal == 3][row][0];
            Shared<const Words4> q = &shared->in[signal != 0 && signal != 2][row][0];
            if (signal < 2)
                blur<false>(recursion, inside, p, q, &shared->out[signal][row][0]);
            else if (signal < kSignals)
                blur<true>(recursion, inside, p, q, &shared->out[signal][row][0]);
            c.barrier();
            leave(c, shared, a, x0 - kBlurAhead);
        }
    }

  private:
    static constexpr int kLoads = (2 * kRows * kQuads + kThreads - 1) / kThreads; // of a thread and turn
    static constexpr int kStores = (kSignals * kRows * kQuads + kThreads - 1) / kThreads;
    struct Quads {
        Words4 v[kLoads];
    };
    // What a thread brings: one quad of several rows and pictures.
    struct Source {
        Global<const float> channel; // of the reference
        u32 at[kLoads];              // where its lines begin

        VMAF_DEVICE_FN Source(C &c, const Args &a) : channel(a.xyb.plane(c.frame, 0, a.channels[c.block_x])) {
            VMAF_UNROLL
            for (int i = 0; i < kLoads; i++) {
                const int item = c.thread + i * kThreads, line = item / kQuads, y = c.block_y * kRows + line % kRows;
                const u32 picture = line >= kRows ? 3 * static_cast<u32>(a.xyb.size()) : 0;
                at[i] =
                    picture + static_cast<u32>(y < a.xyb.height ? y : a.xyb.height - 1) * static_cast<u32>(a.xyb.pitch);
            }
        }
        VMAF_DEVICE_FN Quads loaded(C &c, const Args &a, int x0) const {
            const int x = x0 + c.thread % kQuads * 4; // kThreads is a multiple of kQuads
            Quads out;
            VMAF_UNROLL
            for (int i = 0; i < kLoads; i++) {
                const bool wanted = x < a.xyb.width && (c.thread + i * kThreads) / kQuads < 2 * kRows;
                out.v[i] = Words4{{0, 0, 0, 0}};
                if (wanted)
                    out.v[i] = C::load(reinterpret_cast<Global<const Words4>>(channel + at[i] + static_cast<u32>(x)));
            }
            if (x0 + kColumns > a.xyb.width) { // zeros beyond the picture
                VMAF_UNROLL
                for (int i = 0; i < kLoads; i++) {
                    VMAF_UNROLL
                    for (int k = 1; k < 4; k++) out.v[i].v[k] = x + k < a.xyb.width ? out.v[i].v[k] : 0;
                }
            }
            return out;
        }
    };

    template <bool kProduct>
    static VMAF_DEVICE_FN void blur(Recursion &recursion, float (&inside)[kBlurSpan], Shared<const Words4> p,
                                    Shared<const Words4> q, Shared<Words4> out) {
        float entering[kColumns];
        VMAF_UNROLL
        for (int quad = 0; quad < kQuads; quad++) {
            const Words4 one = fetched(p + quad), two = kProduct ? fetched(q + quad) : one;
            Words4 blurred;
            VMAF_UNROLL
            for (int k = 0; k < 4; k++) {
                const int x = 4 * quad + k;
                const float v = C::float_from(one.v[k]);
                entering[x] = kProduct ? v * C::float_from(two.v[k]) : v;
                const float leaving =
                    x < kBlurSpan ? inside[x % kBlurSpan] : entering[x < kBlurSpan ? 0 : x - kBlurSpan];
                blurred.v[k] = C::bits(recursion.step(leaving + entering[x]));
            }
            put(out + quad, blurred);
        }
        VMAF_UNROLL
        for (int i = 0; i < kBlurSpan; i++) inside[i] = entering[kColumns - kBlurSpan + i];
    }

    static VMAF_DEVICE_FN void leave(C &c, Shared<SharedMemory> shared, const Args &a, int x0) {
        const int x = x0 + c.thread % kQuads * 4;
        if (x < 0 || x >= a.xyb.width) return;
        Global<float> to = a.plane(c.frame, c.block_x, 0) + x;
        VMAF_UNROLL
        for (int i = 0; i < kStores; i++) {
            const int item = c.thread + i * kThreads, line = item / kQuads;
            const int signal = line / kRows, row = line % kRows, y = c.block_y * kRows + row;
            if (signal >= kSignals || y >= a.xyb.height) continue;
            const u32 at = static_cast<u32>(signal) * static_cast<u32>(a.xyb.size()) +
                           static_cast<u32>(y) * static_cast<u32>(a.xyb.pitch);
            put(reinterpret_cast<Global<Words4>>(to + at), fetched(&shared->out[signal][row][item % kQuads]));
        }
    }
};

// Down the columns, and the maps: one thread for each column and signal. Ten rows are read at once; what entered
// stays in registers until it leaves. The threads of a column share the maps of its rows. block_y: the channel.
template <class C, int kSignals> struct MapsKernel {
    using Args = BlurArgs;
    using Formula = Ssimulacra2<C>;
    static constexpr int kColumns = 64, kThreads = kSignals * kColumns;
    static constexpr int kMinBlocks = kSignals == kBlurSignals ? 2 : 5, kTileWidth = kColumns, kTileHeight = 0;
    struct SharedMemory {
        float out[2][kSignals][kBlurSpan][kColumns]; // used in turn: one barrier is enough
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int column = c.thread % kColumns, signal = c.thread / kColumns;
        const int x = c.block_x * kColumns + column, height = a.xyb.height;
        const int near = x < a.xyb.width ? x : a.xyb.width - 1; // what further columns read
        typename Formula::Recursion recursion;
        recursion.start();
        Global<const float> from = a.plane(c.frame, c.block_y, signal) + near;
        Rows inside, entering = loaded(a, from, 0); // `inside`: what has entered and not left
        VMAF_UNROLL
        for (int k = 0; k < kBlurSpan; k++) inside.v[k] = 0.0f;
        Pixels next = originals(c, a, near, -kBlurAhead);
        int turn = 0;
        for (int first = 0; first < height + kBlurAhead; first += kBlurSpan, turn = 1 - turn) {
            VMAF_UNROLL
            for (int k = 0; k < kBlurSpan; k++)
                shared->out[turn][signal][k][column] = recursion.step(inside.v[k] + entering.v[k]);
            inside = entering;
            entering = loaded(a, from, first + kBlurSpan);
            const Pixels pixels = next;
            next = originals(c, a, near, first + kBlurSpan - kBlurAhead);
            c.barrier();
            if (x < a.xyb.width) maps(c, shared, a, x, first - kBlurAhead, turn, pixels);
        }
    }

  private:
    struct Rows {
        float v[kBlurSpan];
    };
    static constexpr int kRowsEach = kBlurSpan / kSignals; // of maps
    struct Pixels {
        float ref[kRowsEach], dist[kRowsEach];
    };

    static VMAF_DEVICE_FN Rows loaded(const Args &a, Global<const float> from, int first) {
        const u32 pitch = static_cast<u32>(a.xyb.pitch);
        Rows out;
        if (first + kBlurSpan <= a.xyb.height) {
            VMAF_UNROLL
            for (int k = 0; k < kBlurSpan; k++) out.v[k] = C::load(from + static_cast<u32>(first + k) * pitch);
        } else {
            VMAF_UNROLL
            for (int k = 0; k < kBlurSpan; k++)
                out.v[k] = first + k < a.xyb.height ? C::load(from + static_cast<u32>(first + k) * pitch) : 0.0f;
        }
        return out;
    }
    // Of rows beyond the picture anything.
    static VMAF_DEVICE_FN Pixels originals(C &c, const Args &a, int x, int first) {
        Global<const float> ref = a.xyb.plane(c.frame, 0, a.channels[c.block_y]) + x;
        Global<const float> dist = ref + 3 * a.xyb.size();
        Pixels out;
        VMAF_UNROLL
        for (int i = 0; i < kRowsEach; i++) {
            int y = first + c.thread / kColumns + i * kSignals;
            y = y < 0 ? 0 : y < a.xyb.height ? y : a.xyb.height - 1;
            const u32 at = static_cast<u32>(y) * static_cast<u32>(a.xyb.pitch);
            out.ref[i] = C::load(ref + at);
            out.dist[i] = C::load(dist + at);
        }
        return out;
    }

    static VMAF_DEVICE_FN void maps(C &c, Shared<SharedMemory> shared, const Args &a, int x, int first, int turn,
                                    const Pixels &pixels) {
        const int column = c.thread % kColumns;
        const u64 map = static_cast<u64>(c.block_y) * a.pixels() + static_cast<u64>(x);
        Global<u64> structure = a.structure.of(c.frame) + map, edges = a.edges.of(c.frame) + map;
        VMAF_UNROLL
        for (int i = 0; i < kRowsEach; i++) {
            const int k = c.thread / kColumns + i * kSignals, y = first + k;
            if (y < 0 || y >= a.xyb.height) continue;
            float out[kBlurSignals];
            VMAF_UNROLL
            for (int s = 0; s < kSignals; s++) out[s] = shared->out[turn][s][k][column];
            const u32 at = static_cast<u32>(y) * static_cast<u32>(a.xyb.width);
            if (kSignals == kBlurSignals)
                structure[at] = C::bits(Formula::structure(out[0], out[1], out[2], out[3], out[4]));
            edges[at] = C::bits(Formula::edge_change(pixels.ref[i], out[0], pixels.dist[i], out[1]));
        }
    }
};

template <class C> using ssimulacra2_colour_8 = ColourKernel<C, u8>;
template <class C> using ssimulacra2_colour_16 = ColourKernel<C, u16>;
template <class C> using ssimulacra2_colour_later = ColourKernel<C, void>;
template <class C> using ssimulacra2_edge_row_blur = RowBlurKernel<C, kEdgeSignals>;
template <class C> using ssimulacra2_row_blur = RowBlurKernel<C, kBlurSignals>;
template <class C> using ssimulacra2_edge_maps = MapsKernel<C, kEdgeSignals>;
template <class C> using ssimulacra2_maps = MapsKernel<C, kBlurSignals>;

} // namespace kernels
} // namespace vmaf
