// Device kernels of ssimulacra2: colour (with the next scale), the recursive blur along rows, the blur down columns
// with the maps. The norms' sums: metrics/common/ordered_sums_kernels.hpp.
#pragma once

#include "device/kernel.hpp"
#include "metrics/ssimulacra2/ssimulacra2_formula.hpp"

namespace vmaf {
namespace kernels {

// Three planes (R, G, B or X, Y, B) of both pictures, `width` samples a row.
struct Ssimulacra2Planes {
    FrameArray<float> first; // of the reference
    int width, height;
    VMAF_DEVICE_FN u64 size() const { return static_cast<u64>(width) * static_cast<u64>(height); }
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
        VMAF_DEVICE_FN EotfStep operator()(int i) const { return {C::load(&steps[i].value), C::load(&steps[i].rise)}; }
    };

    // The distorted picture's blocks lie below the reference's.
    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int blocks = (a.height + kTileHeight - 1) / kTileHeight;
        const int picture = c.block_y >= blocks ? 1 : 0;
        const int x = c.block_x * kTileWidth + c.thread % (kTileWidth / 2) * 2;
        const int y = (c.block_y - picture * blocks) * kTileHeight + c.thread / (kTileWidth / 2) * 2;
        if (x >= a.width || y >= a.height) return;
        Triple sum = {{0.0f, 0.0f, 0.0f}};
        VMAF_UNROLL
        for (int i = 0; i < 4; i++) {
            const int px = x + i % 2 < a.width ? x + i % 2 : a.width - 1,
                      py = y + i / 2 < a.height ? y + i / 2 : a.height - 1;
            const Triple rgb = linear(c, a, picture, px, py, Source<Sample>());
            VMAF_UNROLL
            for (int n = 0; n < 3; n++) sum.v[n] = i == 0 ? rgb.v[n] : sum.v[n] + rgb.v[n];
            const Triple xyb = Formula::xyb(rgb);
            const u64 at = static_cast<u64>(py) * static_cast<u64>(a.width) + static_cast<u64>(px);
            VMAF_UNROLL
            for (int n = 0; n < 3; n++) a.xyb.plane(c.frame, picture, n)[at] = xyb.v[n];
        }
        if (a.half.first.first == nullptr) return;
        const u64 at = static_cast<u64>(y / 2) * static_cast<u64>(a.half.width) + static_cast<u64>(x / 2);
        VMAF_UNROLL
        for (int n = 0; n < 3; n++) a.half.plane(c.frame, picture, n)[at] = sum.v[n] * 0.25f;
    }

  private:
    template <class T> struct Source {};

    template <class T> static VMAF_DEVICE_FN Triple linear(C &c, const Args &a, int picture, int x, int y, Source<T>) {
        const int cx = ssimulacra2_chroma(x, a.width, a.chroma_width),
                  cy = ssimulacra2_chroma(y, a.height, a.chroma_height);
        return Formula::linear(sample<T>(c, a, picture, 0, x, y), sample<T>(c, a, picture, 1, cx, cy),
                               sample<T>(c, a, picture, 2, cx, cy), a.matrix, Table{a.eotf});
    }
    template <class T>
    static VMAF_DEVICE_FN float sample(C &c, const Args &a, int picture, int plane, int column, int row) {
        const PicturePlanes &planes = a.samples[plane];
        Global<const void> data = picture ? planes.dist_of(c.frame) : planes.ref_of(c.frame);
        const u64 at = static_cast<u64>(row) * static_cast<u64>(planes.pitch) + static_cast<u64>(column);
        return static_cast<float>(C::load(static_cast<Global<const T>>(data) + at)) * a.sample_scale;
    }
    static VMAF_DEVICE_FN Triple linear(C &c, const Args &a, int picture, int x, int y, Source<void>) {
        const u64 at = static_cast<u64>(y) * static_cast<u64>(a.width) + static_cast<u64>(x);
        Triple rgb;
        VMAF_UNROLL
        for (int n = 0; n < 3; n++) rgb.v[n] = C::load(a.linear.plane(c.frame, picture, n) + at);
        return rgb;
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
    FrameArray<u64> structure, edges; // one plane for each channel, bits of f64; null: not wanted

    VMAF_DEVICE_FN Global<float> plane(int frame, int place, int signal) const {
        return blurred.of(frame) + static_cast<u64>(place * signals + signal) * xyb.size();
    }
};

// Along the rows: those of a block go through the picture 32 columns at a time, a thread for each row and signal.
// block_x: the channel.
template <class C, int kSignals> struct RowBlurKernel {
    using Args = BlurArgs;
    static constexpr int kRows = C::kSharedBytes >= 48 * 1024 ? 32 : 16, kColumns = 32;
    static constexpr int kThreads = 192, kMinBlocks = 4; // all of them load and store
    static constexpr int kTileWidth = 0, kTileHeight = kRows;
    struct SharedMemory {
        float in[2][kRows]
                [2 * kColumns + 1]; // the columns of this turn and of the one before, which are still to leave
        float out[kSignals][kRows][kColumns + 1];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int width = a.xyb.width, row = c.thread % kRows, signal = c.thread / kRows;
        for (int i = c.thread; i < 2 * kRows * kColumns; i += kThreads)
            shared->in[i / (kRows * kColumns)][i / kColumns % kRows][kColumns + i % kColumns] = 0.0f;
        typename Ssimulacra2<C>::Recursion recursion;
        recursion.start();
        Lines next = loaded(c, a, 0);
        int half = 0;
        for (int x0 = 0; x0 < width + kBlurAhead; x0 += kColumns, half = kColumns - half) { // samples that enter
            VMAF_UNROLL
            for (int i = 0; i < Lines::kCount; i++)
                if (line_of(c, i) < 2 * kRows)
                    shared->in[line_of(c, i) / kRows][line_of(c, i) % kRows][half + c.thread % kColumns] = next.v[i];
            c.barrier();
            next = loaded(c, a, x0 + kColumns);
            if (signal < kSignals) {
                // Squares and products take two pictures, the others one.
                Shared<const float> p = &shared->in[signal == 1 || signal == 3][row][0];
                Shared<const float> q = &shared->in[signal != 0 && signal != 2][row][0];
                if (signal < 2)
                    blur(recursion, Single{p}, half, &shared->out[signal][row][0]);
                else
                    blur(recursion, Product{p, q}, half, &shared->out[signal][row][0]);
            }
            c.barrier();
            store(c, shared, a, x0 - kBlurAhead);
        }
    }

  private:
    static constexpr int kTeams = kThreads / kColumns; // of threads that read a line, and later write one
    // Of the samples that a thread brings: one column of several rows and pictures.
    struct Lines {
        static constexpr int kCount = (2 * kRows + kTeams - 1) / kTeams;
        float v[kCount];
    };
    struct Single {
        Shared<const float> p;
        VMAF_DEVICE_FN float operator()(int x) const { return p[x]; }
    };
    struct Product {
        Shared<const float> p, q;
        VMAF_DEVICE_FN float operator()(int x) const { return p[x] * q[x]; }
    };

    static VMAF_DEVICE_FN int line_of(C &c, int i) { return c.thread / kColumns + i * kTeams; }
    static VMAF_DEVICE_FN Lines loaded(C &c, const Args &a, int x0) {
        const int width = a.xyb.width, height = a.xyb.height, x = x0 + c.thread % kColumns, y0 = c.block_y * kRows;
        Lines out;
        VMAF_UNROLL
        for (int i = 0; i < Lines::kCount; i++) {
            const int line = line_of(c, i), y = y0 + line % kRows;
            out.v[i] = line < 2 * kRows && x < width && y < height
                           ? C::load(a.xyb.plane(c.frame, line / kRows, a.channels[c.block_x]) +
                                     (static_cast<u64>(y) * static_cast<u64>(width) + static_cast<u64>(x)))
                           : 0.0f;
        }
        return out;
    }

    // `half`: where the columns that enter lie; what leaves is kBlurSpan columns before, at first in the other half.
    // Eight columns are read before the first is written: a compiler cannot know that both lie apart.
    template <class Value>
    static VMAF_DEVICE_FN void blur(typename Ssimulacra2<C>::Recursion &recursion, const Value &value, int half,
                                    Shared<float> out) {
        constexpr int kAtOnce = 8;
        VMAF_UNROLL
        for (int first = 0; first < kColumns; first += kAtOnce) {
            float v[kAtOnce];
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) {
                const int x = first + i;
                v[i] =
                    value(x < kBlurSpan ? 2 * kColumns - half - kBlurSpan + x : half + x - kBlurSpan) + value(half + x);
            }
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) v[i] = recursion.step(v[i]);
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) out[first + i] = v[i];
        }
    }

    static VMAF_DEVICE_FN void store(C &c, Shared<SharedMemory> shared, const Args &a, int x0) {
        const int width = a.xyb.width, y0 = c.block_y * kRows, x = x0 + c.thread % kColumns;
        const int rows = a.xyb.height - y0 < kRows ? a.xyb.height - y0 : kRows;
        if (x < 0 || x >= width) return;
        for (int s = 0; s < kSignals; s++) {
            Global<float> to = a.plane(c.frame, c.block_x, s) + static_cast<u64>(y0) * static_cast<u64>(width);
            VMAF_UNROLL
            for (int i = 0; i < (kRows + kTeams - 1) / kTeams; i++) {
                const int y = c.thread / kColumns + i * kTeams;
                if (y < rows)
                    to[static_cast<u32>(y) * static_cast<u32>(width) + static_cast<u32>(x)] =
                        shared->out[s][y][c.thread % kColumns];
            }
        }
    }
};

// Down the columns, and the maps: one thread for each column and signal. Ten rows are read at once; what entered
// stays in registers until it leaves. The threads of a column share the maps of its rows. block_y: the channel.
template <class C, int kSignals> struct MapsKernel {
    using Args = BlurArgs;
    using Formula = Ssimulacra2<C>;
    static constexpr int kColumns = 64, kTeams = 5, kThreads = kTeams * kColumns; // kSignals teams blur
    static constexpr int kMinBlocks = 2, kTileWidth = kColumns, kTileHeight = 0;
    struct SharedMemory {
        float out[2][kSignals][kBlurSpan][kColumns]; // used in turn: one barrier is enough
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int column = c.thread % kColumns, team = c.thread / kColumns;
        const int x = c.block_x * kColumns + column, height = a.xyb.height;
        typename Formula::Recursion recursion;
        recursion.start();
        Rows inside, entering = loaded(c, a, team, x, 0); // `inside`: what has entered and not left
        VMAF_UNROLL
        for (int k = 0; k < kBlurSpan; k++) inside.v[k] = 0.0f;
        Pixels next = originals(c, a, x, -kBlurAhead);
        int turn = 0;
        for (int first = 0; first < height + kBlurAhead; first += kBlurSpan, turn = 1 - turn) {
            if (team < kSignals) {
                VMAF_UNROLL
                for (int k = 0; k < kBlurSpan; k++)
                    shared->out[turn][team][k][column] = recursion.step(inside.v[k] + entering.v[k]);
            }
            inside = entering;
            entering = loaded(c, a, team, x, first + kBlurSpan);
            const Pixels pixels = next;
            next = originals(c, a, x, first + kBlurSpan - kBlurAhead);
            c.barrier();
            if (x < a.xyb.width) maps(c, shared, a, x, first - kBlurAhead, turn, pixels);
        }
    }

  private:
    struct Rows {
        float v[kBlurSpan];
    };
    static constexpr int kRowsEach = kBlurSpan / kTeams; // of maps
    struct Pixels {
        float ref[kRowsEach], dist[kRowsEach];
    };

    static VMAF_DEVICE_FN u64 place(const Args &a, int x, int y) {
        return static_cast<u64>(y) * static_cast<u64>(a.xyb.width) + static_cast<u64>(x);
    }
    static VMAF_DEVICE_FN Rows loaded(C &c, const Args &a, int signal, int x, int first) {
        Global<const float> from = a.plane(c.frame, c.block_y, signal);
        const bool wanted = signal < kSignals && x < a.xyb.width;
        Rows out;
        VMAF_UNROLL
        for (int k = 0; k < kBlurSpan; k++)
            out.v[k] = wanted && first + k < a.xyb.height ? C::load(from + place(a, x, first + k)) : 0.0f;
        return out;
    }
    static VMAF_DEVICE_FN Pixels originals(C &c, const Args &a, int x, int first) {
        const int channel = a.channels[c.block_y];
        Global<const float> ref = a.xyb.plane(c.frame, 0, channel), dist = a.xyb.plane(c.frame, 1, channel);
        Pixels out;
        VMAF_UNROLL
        for (int i = 0; i < kRowsEach; i++) {
            const int y = first + c.thread / kColumns + i * kTeams;
            const bool wanted = a.edges.first != nullptr && x < a.xyb.width && y >= 0 && y < a.xyb.height;
            out.ref[i] = wanted ? C::load(ref + place(a, x, y)) : 0.0f;
            out.dist[i] = wanted ? C::load(dist + place(a, x, y)) : 0.0f;
        }
        return out;
    }

    static VMAF_DEVICE_FN void maps(C &c, Shared<SharedMemory> shared, const Args &a, int x, int first, int turn,
                                    const Pixels &pixels) {
        const int column = c.thread % kColumns;
        VMAF_UNROLL
        for (int i = 0; i < kRowsEach; i++) {
            const int k = c.thread / kColumns + i * kTeams, y = first + k;
            if (y < 0 || y >= a.xyb.height) continue;
            float out[kBlurSignals];
            VMAF_UNROLL
            for (int s = 0; s < kSignals; s++) out[s] = shared->out[turn][s][k][column];
            const u64 at = static_cast<u64>(c.block_y) * a.xyb.size() + place(a, x, y);
            if (kSignals == kBlurSignals && a.structure.first != nullptr)
                a.structure.of(c.frame)[at] = C::bits(Formula::structure(out[0], out[1], out[2], out[3], out[4]));
            if (a.edges.first != nullptr)
                a.edges.of(c.frame)[at] = C::bits(Formula::edge_change(pixels.ref[i], out[0], pixels.dist[i], out[1]));
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
