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

// Along the rows: 32 of a block go through the picture 32 columns at a time, a thread for each row and signal. block_x:
// the channel.
template <class C> struct RowBlurKernel {
    using Args = BlurArgs;
    static constexpr int kRows = 32, kColumns = 32, kThreads = 192, kMinBlocks = 4; // 160 of them blur
    static constexpr int kTileWidth = 0, kTileHeight = kRows;
    struct SharedMemory {
        float in[2][kRows][kBlurSpan + kColumns + 1]; // with what is still to leave
        float out[kBlurSignals][kRows][kColumns + 1];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int width = a.xyb.width, height = a.xyb.height, y0 = c.block_y * kRows;
        for (int i = c.thread; i < 2 * kRows * kBlurSpan; i += kThreads)
            shared->in[i / (kRows * kBlurSpan)][i / kBlurSpan % kRows][i % kBlurSpan] = 0.0f;
        const int row = c.thread % kRows, signal = c.thread / kRows;
        typename Ssimulacra2<C>::Recursion recursion;
        recursion.start();
        for (int x0 = 0; x0 < width + kBlurAhead; x0 += kColumns) { // of the samples that enter
            for (int i = c.thread; i < 2 * kRows * kColumns; i += kThreads) {
                const int picture = i / (kRows * kColumns), y = i / kColumns % kRows, x = i % kColumns;
                const bool inside = x0 + x < width && y0 + y < height;
                shared->in[picture][y][kBlurSpan + x] =
                    inside ? C::load(a.xyb.plane(c.frame, picture, a.channels[c.block_x]) +
                                     static_cast<u64>(y0 + y) * static_cast<u64>(width) + static_cast<u64>(x0 + x))
                           : 0.0f;
            }
            c.barrier();
            if (signal < a.signals)
                for (int x = 0; x < kColumns; x++)
                    shared->out[signal][row][x] =
                        recursion.step(value(shared, signal, row, x) + value(shared, signal, row, x + kBlurSpan));
            c.barrier();
            for (int i = c.thread; i < a.signals * kRows * kColumns; i += kThreads) {
                const int s = i / (kRows * kColumns), y = i / kColumns % kRows, x = i % kColumns,
                          t = x0 + x - kBlurAhead;
                if (t < 0 || t >= width || y0 + y >= height) continue;
                a.plane(c.frame, c.block_x,
                        s)[static_cast<u64>(y0 + y) * static_cast<u64>(width) + static_cast<u64>(t)] =
                    shared->out[s][y][x];
            }
            // The last samples are still to leave.
            float kept[kKeptEach];
            VMAF_UNROLL
            for (int k = 0; k < kKeptEach; k++) {
                const int i = c.thread + k * kThreads;
                kept[k] = i < kKept
                              ? shared->in[i / (kRows * kBlurSpan)][i / kBlurSpan % kRows][kColumns + i % kBlurSpan]
                              : 0.0f;
            }
            c.barrier();
            VMAF_UNROLL
            for (int k = 0; k < kKeptEach; k++) {
                const int i = c.thread + k * kThreads;
                if (i < kKept) shared->in[i / (kRows * kBlurSpan)][i / kBlurSpan % kRows][i % kBlurSpan] = kept[k];
            }
        }
    }

  private:
    static constexpr int kKept = 2 * kRows * kBlurSpan, kKeptEach = (kKept + kThreads - 1) / kThreads;

    static VMAF_DEVICE_FN float value(Shared<SharedMemory> shared, int signal, int row, int x) {
        const float p = shared->in[0][row][x], q = shared->in[1][row][x];
        return signal == 0 ? p : signal == 1 ? q : signal == 2 ? p * p : signal == 3 ? q * q : p * q;
    }
};

// Down the columns, and the maps: one thread for each column. What enters stays in registers until it leaves, and as
// many rows are read at once. block_y: the channel.
template <class C, int kSignals> struct MapsKernel {
    using Args = BlurArgs;
    using Formula = Ssimulacra2<C>;
    static constexpr int kThreads = 64, kMinBlocks = 4, kTileWidth = kThreads, kTileHeight = 0;
    struct SharedMemory {
        u32 unused;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int x = c.block_x * kThreads + c.thread, width = a.xyb.width, height = a.xyb.height;
        if (x >= width) return;
        const int channel = a.channels[c.block_y];
        Global<const float> x1 = a.xyb.plane(c.frame, 0, channel) + x, x2 = a.xyb.plane(c.frame, 1, channel) + x;
        const u64 map = static_cast<u64>(c.block_y) * a.xyb.size() + static_cast<u64>(x);
        Global<u64> structure = a.structure.first != nullptr ? a.structure.of(c.frame) + map : nullptr;
        Global<u64> edges = a.edges.first != nullptr ? a.edges.of(c.frame) + map : nullptr;
        typename Formula::Recursion recursions[kSignals];
        float inside[kSignals][kBlurSpan]; // what has entered and not left
        VMAF_UNROLL
        for (int s = 0; s < kSignals; s++) {
            recursions[s].start();
            VMAF_UNROLL
            for (int k = 0; k < kBlurSpan; k++) inside[s][k] = 0.0f;
        }
        for (int first = 0; first < height + kBlurAhead; first += kBlurSpan) {
            float entering[kSignals][kBlurSpan], at1[kBlurSpan], at2[kBlurSpan];
            VMAF_UNROLL
            for (int k = 0; k < kBlurSpan; k++) {
                const u64 row = static_cast<u64>(first + k) * static_cast<u64>(width);
                VMAF_UNROLL
                for (int s = 0; s < kSignals; s++)
                    entering[s][k] =
                        first + k < height ? C::load(a.plane(c.frame, c.block_y, s) + row + static_cast<u64>(x)) : 0.0f;
                const int y = first + k - kBlurAhead;
                const bool wanted = edges != nullptr && y >= 0 && y < height;
                const u64 here = static_cast<u64>(y) * static_cast<u64>(width);
                at1[k] = wanted ? C::load(x1 + here) : 0.0f;
                at2[k] = wanted ? C::load(x2 + here) : 0.0f;
            }
            VMAF_UNROLL
            for (int k = 0; k < kBlurSpan; k++) {
                float out[kBlurSignals];
                VMAF_UNROLL
                for (int s = 0; s < kSignals; s++) {
                    out[s] = recursions[s].step(inside[s][k] + entering[s][k]);
                    inside[s][k] = entering[s][k];
                }
                const int y = first + k - kBlurAhead;
                if (y < 0 || y >= height) continue;
                const u64 at = static_cast<u64>(y) * static_cast<u64>(width);
                if (kSignals == kBlurSignals && structure != nullptr)
                    structure[at] = C::bits(Formula::structure(out[0], out[1], out[2], out[3], out[4]));
                if (edges != nullptr) edges[at] = C::bits(Formula::edge_change(at1[k], out[0], at2[k], out[1]));
            }
        }
    }
};

template <class C> using ssimulacra2_colour_8 = ColourKernel<C, u8>;
template <class C> using ssimulacra2_colour_16 = ColourKernel<C, u16>;
template <class C> using ssimulacra2_colour_later = ColourKernel<C, void>;
template <class C> using ssimulacra2_row_blur = RowBlurKernel<C>;
template <class C> using ssimulacra2_edge_maps = MapsKernel<C, kEdgeSignals>;
template <class C> using ssimulacra2_maps = MapsKernel<C, kBlurSignals>;

} // namespace kernels
} // namespace vmaf
