// Device kernels of float_vif (vif.md 3): prescale, reduction to the next scale, statistics. Filters run down and then
// along, every product and sum rounded in the order of the taps.
#pragma once

#include "device/kernel.hpp"
#include "metrics/common/line_sums_kernel.hpp"
#include "metrics/common/mirrored.hpp"
#include "metrics/common/resized_sample.hpp"
#include "metrics/vif/float_vif_formula.hpp"

namespace vmaf {
namespace kernels {

constexpr int kFloatVifMaxTaps = 65;

// Samples of pictures, or planes made before.
template <class Sample> struct FloatVifImages {
    FramePlanes ref, dist;
    int width, height, pitch;
    float scale, offset; // make samples floats around 0
};

template <class Sample> struct FloatVifPlane {
    Global<const Sample> samples;
    u32 pitch;
    float scale, offset;
    VMAF_DEVICE_FN FloatVifPlane(const FloatVifImages<Sample> &images, bool dist, int frame)
        : samples(static_cast<Global<const Sample>>((dist ? images.dist : images.ref).plane[frame])),
          pitch(static_cast<u32>(images.pitch)), scale(images.scale), offset(images.offset) {}
    template <class C> VMAF_DEVICE_FN float at(int x, int y) const {
        return static_cast<float>(C::load(samples + (static_cast<u32>(y) * pitch + static_cast<u32>(x)))) * scale +
               offset;
    }
};

// Mirror without repeating the border sample.
VMAF_DEVICE_FN int float_vif_inside(int i, int n) { return mirrored_inside<false, false>(i, n); }

struct FloatVifFilter {
    int count;
    float taps[kFloatVifMaxTaps];
};

// Both planes of a level that is made: the distorted picture's blocks lie below the reference's.
struct FloatVifOut {
    FrameArray<float> ref, dist;
    int width, height, pitch;
    VMAF_DEVICE_FN Global<float> at(bool is_dist, int frame, int x, int y) const {
        return (is_dist ? dist : ref).of(frame) + static_cast<u64>(y) * static_cast<u64>(pitch) + static_cast<u64>(x);
    }
};

template <class Sample> struct FloatVifPrescaleArgs {
    FloatVifImages<Sample> in;
    FloatVifOut out;
    Global<const ResizeTaps> columns, rows;
    int taps;
};

template <class C, class Sample> struct FloatVifPrescaleKernel {
    using Args = FloatVifPrescaleArgs<Sample>;
    static constexpr int kThreads = 128, kMinBlocks = 4, kTileWidth = 32, kTileHeight = 4;
    struct SharedMemory {
        u32 unused;
    };

    struct Source {
        FloatVifPlane<Sample> plane;
        VMAF_DEVICE_FN float operator()(int x, int y) const { return plane.template at<C>(x, y); }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int blocks = (a.out.height + kTileHeight - 1) / kTileHeight;
        const bool dist = c.block_y >= blocks;
        const int x = c.block_x * kTileWidth + c.thread % kTileWidth;
        const int y = (c.block_y - (dist ? blocks : 0)) * kTileHeight + c.thread / kTileWidth;
        if (x >= a.out.width || y >= a.out.height) return;
        const Source source = {FloatVifPlane<Sample>(a.in, dist, c.frame)};
        *a.out.at(dist, c.frame, x, y) = resized_sample<C>(a.columns + x, a.rows + y, a.taps, source);
    }
};

template <class Sample> struct FloatVifReduceArgs {
    FloatVifImages<Sample> in;
    FloatVifOut out;
    FloatVifFilter filter;
};

// kTaps: of the filter, or 0: `filter` says. Known: a thread filters a column down, for all rows of the tile.
template <class C, class Sample, int kTaps> struct FloatVifReduceKernel {
    using Args = FloatVifReduceArgs<Sample>;
    static constexpr int kThreads = kTaps ? 128 : 256, kMinBlocks = 4;
    static constexpr int kTileWidth = kTaps ? (kThreads - kTaps) / 2 + 1 : 32, kTileHeight = 8;
    static constexpr int kInWidth = 2 * kTileWidth + (kTaps ? kTaps : kFloatVifMaxTaps);
    struct SharedMemory {
        float down[kTileHeight][kInWidth];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int blocks = (a.out.height + kTileHeight - 1) / kTileHeight;
        const bool dist = c.block_y >= blocks;
        const int x0 = c.block_x * kTileWidth, y0 = (c.block_y - (dist ? blocks : 0)) * kTileHeight;
        Down<kTaps>::run(c, shared, a, FloatVifPlane<Sample>(a.in, dist, c.frame), x0, y0);
        c.barrier();
        const int count = kTaps ? kTaps : a.filter.count;
        for (int i = c.thread; i < kTileWidth * kTileHeight; i += kThreads) {
            const int x = i % kTileWidth, y = i / kTileWidth;
            if (x0 + x >= a.out.width || y0 + y >= a.out.height) continue;
            float sum = 0.0f;
            VMAF_UNROLL
            for (int k = 0; k < count; k++) sum = sum + a.filter.taps[k] * shared->down[y][2 * x + k];
            *a.out.at(dist, c.frame, x0 + x, y0 + y) = sum;
        }
    }

  private:
    template <int kCount, class Unused = void> struct Down {
        static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a,
                                       const FloatVifPlane<Sample> &plane, int x0, int y0) {
            constexpr int kRows = 2 * kTileHeight - 2 + kCount;
            static_assert(2 * kTileWidth - 2 + kCount <= kThreads, "a thread for each column");
            if (c.thread >= 2 * kTileWidth - 2 + kCount) return;
            const int column = float_vif_inside(2 * x0 - kCount / 2 + c.thread, a.in.width);
            float rows[kRows];
            VMAF_UNROLL
            for (int i = 0; i < kRows; i++)
                rows[i] = plane.template at<C>(column, float_vif_inside(2 * y0 - kCount / 2 + i, a.in.height));
            VMAF_UNROLL
            for (int y = 0; y < kTileHeight; y++) {
                float sum = 0.0f;
                VMAF_UNROLL
                for (int k = 0; k < kCount; k++) sum = sum + a.filter.taps[k] * rows[2 * y + k];
                shared->down[y][c.thread] = sum;
            }
        }
    };
    template <class Unused> struct Down<0, Unused> {
        static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a,
                                       const FloatVifPlane<Sample> &plane, int x0, int y0) {
            const int count = a.filter.count, radius = count / 2, columns = 2 * kTileWidth - 1 + 2 * radius;
            for (int i = c.thread; i < kTileHeight * columns; i += kThreads) {
                const int y = i / columns, x = i % columns;
                const int column = float_vif_inside(2 * x0 - radius + x, a.in.width);
                float sum = 0.0f;
                for (int k = 0; k < count; k++)
                    sum = sum +
                          a.filter.taps[k] *
                              plane.template at<C>(column, float_vif_inside(2 * (y0 + y) - radius + k, a.in.height));
                shared->down[y][x] = sum;
            }
        }
    };
};

// The terms of all positions of a scale, column by column (`pitch` apart), so that threads that add lines side by side
// read neighbours.
struct FloatVifTermPlanes {
    FrameArray<float> num, den;
    int pitch;
};

template <class Sample> struct FloatVifStatisticsArgs {
    FloatVifImages<Sample> in;
    FloatVifFilter filter;
    u64 noise; // bits of f64
    float gain_limit, below_noise, inverse_noise;
    FloatVifTermPlanes out;
};

// kTaps: of the filter, at most 17; 0: `filter` says, and everything is slower. A thread filters a column down, for
// kTileHeight rows at once, then kOwn neighbours along a row.
template <class C, class Sample, int kTaps> struct FloatVifStatisticsKernel {
    using Args = FloatVifStatisticsArgs<Sample>;
    static constexpr int kThreads = kTaps || C::kSharedBytes >= 48 * 1024 ? 128 : 64, kMinBlocks = 4;
    static constexpr int kTileHeight = 8, kOwn = 7;
    static constexpr int kSegments = kThreads / kTileHeight, kTileWidth = kSegments * kOwn;
    static constexpr int kChannels = 5, kMostTaps = kTaps ? kTaps : kFloatVifMaxTaps;
    // Rows 4 words apart in the banks, and segments 7: eight rows of four segments read from different ones.
    static constexpr int kColumns = kTileWidth + kMostTaps - 1, kPitch = (kColumns + 31) / 32 * 32 + 4;
    struct SharedMemory {
        float down[kChannels][kTileHeight][kPitch];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int x0 = c.block_x * kTileWidth, y0 = c.block_y * kTileHeight;
        const FloatVifPlane<Sample> ref(a.in, false, c.frame), dist(a.in, true, c.frame);
        const int count = kTaps ? kTaps : a.filter.count, radius = count / 2;
        for (int x = c.thread; x < kTileWidth + 2 * radius; x += kThreads)
            Down<kTaps>::run(shared, a, ref, dist, x, float_vif_inside(x0 - radius + x, a.in.width), y0);
        c.barrier();

        // Neighbours of a column are written by neighbouring threads.
        const int row = c.thread % kTileHeight, first = c.thread / kTileHeight * kOwn;
        float means[kChannels][kOwn];
        VMAF_UNROLL
        for (int channel = 0; channel < kChannels; channel++)
            Along<kTaps>::run(&shared->down[channel][row][first], a.filter, means[channel]);
        const FloatVifConstants<typename C::f64> constants = {C::f64_from(a.noise), a.gain_limit, a.below_noise,
                                                              a.inverse_noise};
        const u64 at = static_cast<u64>(x0 + first) * static_cast<u64>(a.out.pitch) + static_cast<u64>(y0 + row);
        Global<float> num = a.out.num.of(c.frame) + at, den = a.out.den.of(c.frame) + at;
        const int columns = y0 + row < a.in.height ? a.in.width - x0 - first : 0;
        VMAF_UNROLL
        for (int j = 0; j < kOwn; j++) {
            const FloatVifTerms<C> terms(means[0][j], means[1][j], means[2][j], means[3][j], means[4][j], constants);
            if (j >= columns) continue;
            num[static_cast<u32>(j) * static_cast<u32>(a.out.pitch)] = terms.num;
            den[static_cast<u32>(j) * static_cast<u32>(a.out.pitch)] = terms.den;
        }
    }

  private:
    static VMAF_DEVICE_FN float product(int channel, float p, float q) {
        return channel == 0 ? p : channel == 1 ? q : channel == 2 ? p * p : channel == 3 ? q * q : p * q;
    }

    // Column x of the tile, which is `column` of the pictures.
    template <int kCount, class Unused = void> struct Down {
        static VMAF_DEVICE_FN void run(Shared<SharedMemory> shared, const Args &a, const FloatVifPlane<Sample> &ref,
                                       const FloatVifPlane<Sample> &dist, int x, int column, int y0) {
            constexpr int kRows = kTileHeight + kCount - 1;
            float p[kRows], q[kRows];
            const int above = y0 - kCount / 2;
            if (above >= 0 && above + kRows <= a.in.height) {
                VMAF_UNROLL
                for (int i = 0; i < kRows; i++) {
                    p[i] = ref.template at<C>(column, above + i);
                    q[i] = dist.template at<C>(column, above + i);
                }
            } else {
                VMAF_UNROLL
                for (int i = 0; i < kRows; i++) {
                    const int y = float_vif_inside(above + i, a.in.height);
                    p[i] = ref.template at<C>(column, y);
                    q[i] = dist.template at<C>(column, y);
                }
            }
            VMAF_UNROLL
            for (int channel = 0; channel < kChannels; channel++) {
                float sums[kTileHeight];
                VMAF_UNROLL
                for (int i = 0; i < kTileHeight; i++) sums[i] = 0.0f;
                VMAF_UNROLL
                for (int r = 0; r < kRows; r++) {
                    const float v = product(channel, p[r], q[r]);
                    VMAF_UNROLL
                    for (int i = 0; i < kTileHeight; i++)
                        if (r >= i && r < i + kCount) sums[i] = sums[i] + a.filter.taps[r - i] * v;
                }
                VMAF_UNROLL
                for (int i = 0; i < kTileHeight; i++) shared->down[channel][i][x] = sums[i];
            }
        }
    };
    template <class Unused> struct Down<0, Unused> {
        static VMAF_DEVICE_FN void run(Shared<SharedMemory> shared, const Args &a, const FloatVifPlane<Sample> &ref,
                                       const FloatVifPlane<Sample> &dist, int x, int column, int y0) {
            for (int i = 0; i < kTileHeight; i++) {
                float sums[kChannels] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
                for (int k = 0; k < a.filter.count; k++) {
                    const int y = float_vif_inside(y0 + i - a.filter.count / 2 + k, a.in.height);
                    const float p = ref.template at<C>(column, y), q = dist.template at<C>(column, y);
                    VMAF_UNROLL
                    for (int n = 0; n < kChannels; n++) sums[n] = sums[n] + a.filter.taps[k] * product(n, p, q);
                }
                VMAF_UNROLL
                for (int n = 0; n < kChannels; n++) shared->down[n][i][x] = sums[n];
            }
        }
    };

    // kOwn means along a row from `row` on.
    template <int kCount, class Unused = void> struct Along {
        static VMAF_DEVICE_FN void run(Shared<const float> row, const FloatVifFilter &filter, float *means) {
            VMAF_UNROLL
            for (int j = 0; j < kOwn; j++) means[j] = 0.0f;
            VMAF_UNROLL
            for (int i = 0; i < kOwn + kCount - 1; i++) {
                const float v = row[i];
                VMAF_UNROLL
                for (int j = 0; j < kOwn; j++)
                    if (i >= j && i < j + kCount) means[j] = means[j] + filter.taps[i - j] * v;
            }
        }
    };
    template <class Unused> struct Along<0, Unused> {
        static VMAF_DEVICE_FN void run(Shared<const float> row, const FloatVifFilter &filter, float *means) {
            VMAF_UNROLL
            for (int j = 0; j < kOwn; j++) {
                means[j] = 0.0f;
                for (int k = 0; k < filter.count; k++) means[j] = means[j] + filter.taps[k] * row[j + k];
            }
        }
    };
};

// Sums along the lines, from left to right: one thread for each line, block_y for each plane of terms.
struct FloatVifLinesArgs {
    FrameArray<float> terms[kMaxLineTotals];
    int width[kMaxLineTotals], height[kMaxLineTotals], pitch[kMaxLineTotals];
    FrameArray<float> lines[kMaxLineTotals];
};

template <class C> struct float_vif_lines {
    using Args = FloatVifLinesArgs;
    static constexpr int kThreads = 64, kMinBlocks = 4, kTileWidth = kThreads, kTileHeight = 1;
    static constexpr int kAtOnce = 64; // loads under way
    struct SharedMemory {
        u32 unused;
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory>, const Args &a) {
        const int which = c.block_y, line = c.block_x * kThreads + c.thread, width = a.width[which];
        if (line >= a.height[which]) return;
        const u64 pitch = static_cast<u64>(a.pitch[which]);
        Global<const float> at = a.terms[which].of(c.frame) + line;
        float sum = 0.0f;
        int x = 0;
        for (; x + kAtOnce <= width; x += kAtOnce) {
            float terms[kAtOnce];
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) terms[i] = C::load(at + static_cast<u64>(x + i) * pitch);
            VMAF_UNROLL
            for (int i = 0; i < kAtOnce; i++) sum = sum + terms[i];
        }
        for (; x < width; x++) sum = sum + C::load(at + static_cast<u64>(x) * pitch);
        a.lines[which].of(c.frame)[line] = sum;
    }
};

template <class C> using float_vif_prescale_8 = FloatVifPrescaleKernel<C, u8>;
template <class C> using float_vif_prescale_16 = FloatVifPrescaleKernel<C, u16>;
// By the filters of the four scales; `any`: of other lengths.
template <class C> using float_vif_reduce_9_8 = FloatVifReduceKernel<C, u8, 9>;
template <class C> using float_vif_reduce_9_16 = FloatVifReduceKernel<C, u16, 9>;
template <class C> using float_vif_reduce_5 = FloatVifReduceKernel<C, float, 5>;
template <class C> using float_vif_reduce_3 = FloatVifReduceKernel<C, float, 3>;
template <class C> using float_vif_reduce_any_8 = FloatVifReduceKernel<C, u8, 0>;
template <class C> using float_vif_reduce_any_16 = FloatVifReduceKernel<C, u16, 0>;
template <class C> using float_vif_reduce_any = FloatVifReduceKernel<C, float, 0>;
template <class C> using float_vif_statistics_17_8 = FloatVifStatisticsKernel<C, u8, 17>;
template <class C> using float_vif_statistics_17_16 = FloatVifStatisticsKernel<C, u16, 17>;
template <class C> using float_vif_statistics_9 = FloatVifStatisticsKernel<C, float, 9>;
template <class C> using float_vif_statistics_5 = FloatVifStatisticsKernel<C, float, 5>;
template <class C> using float_vif_statistics_3 = FloatVifStatisticsKernel<C, float, 3>;
template <class C> using float_vif_statistics_any_8 = FloatVifStatisticsKernel<C, u8, 0>;
template <class C> using float_vif_statistics_any_16 = FloatVifStatisticsKernel<C, u16, 0>;
template <class C> using float_vif_statistics_any = FloatVifStatisticsKernel<C, float, 0>;
template <class C> using float_vif_totals = LineTotalsKernel<C>;

} // namespace kernels
} // namespace vmaf
