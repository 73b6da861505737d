// Device kernels of float_vif (vif.md 3): prescale, reduction to the next scale, statistics. Filters run down and then
// along, every product and sum rounded in the order of the taps.
#pragma once

#include "device/kernel.hpp"
#include "metrics/common/line_sums_kernel.hpp"
#include "metrics/common/resize_kernel.hpp"
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
    u64 pitch;
    float scale, offset;
    VMAF_DEVICE_FN FloatVifPlane(const FloatVifImages<Sample> &images, bool dist, int frame)
        : samples(static_cast<Global<const Sample>>((dist ? images.dist : images.ref).plane[frame])),
          pitch(static_cast<u64>(images.pitch)), scale(images.scale), offset(images.offset) {}
    template <class C> VMAF_DEVICE_FN float at(int x, int y) const {
        return static_cast<float>(C::load(samples + static_cast<u64>(y) * pitch + static_cast<u64>(x))) * scale +
               offset;
    }
};

// Mirror without repeating the border sample; samples that no output needs may lie further outside.
VMAF_DEVICE_FN int float_vif_inside(int i, int n) {
    const int m = i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
    return m < 0 ? 0 : m >= n ? n - 1 : m;
}

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

template <class C, class Sample> struct FloatVifReduceKernel {
    using Args = FloatVifReduceArgs<Sample>;
    static constexpr int kThreads = 256, kMinBlocks = 4, kTileWidth = 32, kTileHeight = 8;
    static constexpr int kInWidth = 2 * kTileWidth + kFloatVifMaxTaps;
    struct SharedMemory {
        float down[kTileHeight][kInWidth];
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int blocks = (a.out.height + kTileHeight - 1) / kTileHeight;
        const bool dist = c.block_y >= blocks;
        const int x0 = c.block_x * kTileWidth, y0 = (c.block_y - (dist ? blocks : 0)) * kTileHeight;
        const int count = a.filter.count, radius = count / 2, columns = 2 * kTileWidth - 1 + 2 * radius;
        const FloatVifPlane<Sample> plane(a.in, dist, c.frame);
        for (int i = c.thread; i < kTileHeight * columns; i += kThreads) {
            const int y = i / columns, x = i % columns;
            const int column = float_vif_inside(2 * x0 - radius + x, a.in.width);
            float sum = 0.0f;
            for (int k = 0; k < count; k++)
                sum = sum + a.filter.taps[k] *
                                plane.template at<C>(column, float_vif_inside(2 * (y0 + y) - radius + k, a.in.height));
            shared->down[y][x] = sum;
        }
        c.barrier();
        const int x = c.thread % kTileWidth, y = c.thread / kTileWidth;
        if (x0 + x >= a.out.width || y0 + y >= a.out.height) return;
        float sum = 0.0f;
        for (int k = 0; k < count; k++) sum = sum + a.filter.taps[k] * shared->down[y][2 * x + k];
        *a.out.at(dist, c.frame, x0 + x, y0 + y) = sum;
    }
};

template <class Sample> struct FloatVifStatisticsArgs {
    FloatVifImages<Sample> in;
    FloatVifFilter filter;
    u64 noise; // bits of f64
    float gain_limit, below_noise;
    FrameArray<float> num, den; // one per line
};

template <class C, class Sample> struct FloatVifStatisticsKernel {
    using Args = FloatVifStatisticsArgs<Sample>;
    using Lines = LineSums<C, 2>;
    static constexpr int kThreads = Lines::kThreads, kMinBlocks = 4, kTileWidth = 0, kTileHeight = Lines::kRows;
    static constexpr int kChannels = 5, kOwn = Lines::kRows * Lines::kColumns / kThreads; // pixels of a thread
    struct SharedMemory {
        typename Lines::SharedMemory lines;
        float down[Lines::kRows][Lines::kColumns + kFloatVifMaxTaps];
    };

    struct Fill {
        C &c;
        Shared<SharedMemory> shared;
        const Args &a;
        int y0;
        VMAF_DEVICE_FN void operator()(int x0) const {
            const FloatVifPlane<Sample> ref(a.in, false, c.frame), dist(a.in, true, c.frame);
            const int count = a.filter.count, radius = count / 2, columns = Lines::kColumns + 2 * radius;
            float means[kChannels][kOwn];
            VMAF_UNROLL
            for (int channel = 0; channel < kChannels; channel++) {
                for (int i = c.thread; i < Lines::kRows * columns; i += kThreads) {
                    const int y = i / columns, x = i % columns;
                    const int column = float_vif_inside(x0 - radius + x, a.in.width);
                    float sum = 0.0f;
                    for (int k = 0; k < count; k++) {
                        const int row = float_vif_inside(y0 + y - radius + k, a.in.height);
                        sum = sum + a.filter.taps[k] * value(ref, dist, channel, column, row);
                    }
                    shared->down[y][x] = sum;
                }
                c.barrier();
                VMAF_UNROLL
                for (int j = 0; j < kOwn; j++) {
                    const int i = c.thread + j * kThreads, y = i / Lines::kColumns, x = i % Lines::kColumns;
                    float sum = 0.0f;
                    for (int k = 0; k < count; k++) sum = sum + a.filter.taps[k] * shared->down[y][x + k];
                    means[channel][j] = sum;
                }
                c.barrier();
            }
            const FloatVifConstants<typename C::f64> constants = {C::f64_from(a.noise), a.gain_limit, a.below_noise};
            VMAF_UNROLL
            for (int j = 0; j < kOwn; j++) {
                const int i = c.thread + j * kThreads, y = i / Lines::kColumns, x = i % Lines::kColumns;
                const FloatVifTerms<C> terms(means[0][j], means[1][j], means[2][j], means[3][j], means[4][j],
                                             constants);
                shared->lines.terms[0][y][x] = terms.num;
                shared->lines.terms[1][y][x] = terms.den;
            }
        }

      private:
        static VMAF_DEVICE_FN float value(const FloatVifPlane<Sample> &ref, const FloatVifPlane<Sample> &dist,
                                          int channel, int x, int y) {
            if (channel == 0) return ref.template at<C>(x, y);
            if (channel == 1) return dist.template at<C>(x, y);
            const float p = channel == 3 ? dist.template at<C>(x, y) : ref.template at<C>(x, y);
            return p * (channel == 4 ? dist.template at<C>(x, y) : p);
        }
    };

    static VMAF_DEVICE_FN void run(C &c, Shared<SharedMemory> shared, const Args &a) {
        const int y0 = c.block_y * kTileHeight;
        const Global<float> out[2] = {a.num.of(c.frame), a.den.of(c.frame)};
        Lines::run(c, &shared->lines, a.in.width, a.in.height, y0, Fill{c, shared, a, y0}, out);
    }
};

template <class C> using float_vif_prescale_8 = FloatVifPrescaleKernel<C, u8>;
template <class C> using float_vif_prescale_16 = FloatVifPrescaleKernel<C, u16>;
template <class C> using float_vif_reduce_8 = FloatVifReduceKernel<C, u8>;
template <class C> using float_vif_reduce_16 = FloatVifReduceKernel<C, u16>;
template <class C> using float_vif_reduce_float = FloatVifReduceKernel<C, float>;
template <class C> using float_vif_statistics_8 = FloatVifStatisticsKernel<C, u8>;
template <class C> using float_vif_statistics_16 = FloatVifStatisticsKernel<C, u16>;
template <class C> using float_vif_statistics_float = FloatVifStatisticsKernel<C, float>;
template <class C> using float_vif_totals = LineTotalsKernel<C>;

} // namespace kernels
} // namespace vmaf
