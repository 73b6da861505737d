#include "metrics/ansnr/ansnr.hpp"

#include <algorithm>
#include <cmath>

#include "base/aligned.hpp"
#include "metrics/common/float_plane.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/format_checks.hpp"
#include "metrics/psnr/float_psnr.hpp"
#include "metrics/psnr/psnr.hpp"
#include "metrics/strips.hpp"

namespace vmaf {

namespace ansnr {

namespace {

constexpr float kOffset = -128.0f;
constexpr int kRing = 2 * kRadius + 1;

// A row as floats with kRadius mirrored samples at both ends.
template <class T> void float_row(const PlaneView<T> &plane, int y, unsigned bits, float *row) {
    const int width = plane.width;
    to_float_row(plane.row(y), width, bits, kOffset, row);
    for (int i = 1; i <= kRadius; i++) {
        row[-i] = row[mirrored(-i, width)];
        row[width - 1 + i] = row[mirrored(width - 1 + i, width)];
    }
}

// Sums of an input row under the three tap rows.
void row_sums(const float *row, int width, float *const sums[kRows]) {
    for (std::size_t v = 0; v < kRows; v++)
        for (int x = 0; x < width; x++) {
            float sum = 0.0f;
            for (int u = 0; u < kColumns; u++) sum += kTaps[v][std::size_t(u)] * row[x - kRadius + u];
            sums[v][x] = sum;
        }
}

struct Scratch {
    Scratch(std::byte *memory, int width) {
        const std::size_t stride = round_up(std::size_t(width), kAlignment) + 2 * kPadding;
        float *next = reinterpret_cast<float *>(memory) + kPadding;
        const auto row = [&] {
            float *const here = next;
            next += stride;
            return here;
        };
        for (float *&r : ref) r = row();
        for (auto &slot : dist)
            for (float *&r : slot) r = row();
        line = row();
    }
    static constexpr std::size_t kPadding = kAlignment / sizeof(float);

    float *ref[kRing];         // reference rows, row y in slot y % kRing
    float *dist[kRing][kRows]; // sums of the distorted rows under each tap row
    float *line;
};

} // namespace

template <class T>
void row_energies(const PlaneView<T> &ref, const PlaneView<T> &dist, unsigned bits, int begin, int end, float *signal,
                  float *noise, std::byte *memory) {
    const int width = ref.width, height = ref.height;
    const Scratch scratch(memory, width);
    const auto add_row = [&](int y) {
        float_row(ref, y, bits, scratch.ref[y % kRing]);
        float_row(dist, y, bits, scratch.line);
        row_sums(scratch.line, width, scratch.dist[y % kRing]);
    };
    for (int y = std::max(0, begin - kRadius); y < std::min(height, begin + kRadius); y++) add_row(y);
    for (int y = begin; y < end; y++) {
        if (y + kRadius < height) add_row(y + kRadius);
        const auto slot = [&](int dy) { return mirrored(y + dy, height) % kRing; };
        const float *above = scratch.ref[slot(-1)], *here = scratch.ref[slot(0)], *below = scratch.ref[slot(1)];
        const float *const sums[5] = {scratch.dist[slot(-2)][0], scratch.dist[slot(-1)][1], scratch.dist[slot(0)][2],
                                      scratch.dist[slot(1)][1], scratch.dist[slot(2)][0]};
        const auto column = [&](int x) { return above[x] + 2 * here[x] + below[x]; };
        float row_signal = 0.0f, row_noise = 0.0f;
        for (int x = 0; x < width; x++) {
            // The taps 1 2 1 by 1 2 1 over 16: exact in any order.
            const float r = (column(x - 1) + 2 * column(x) + column(x + 1)) * 0.0625f;
            const float d = sums[0][x] + sums[1][x] + sums[2][x] + sums[3][x] + sums[4][x];
            row_signal += r * r;
            row_noise += (r - d) * (r - d);
        }
        signal[y] = row_signal;
        noise[y] = row_noise;
    }
}

void store_energies(float signal, float noise, FrameResult &result) {
    result.values[0] = double(signal / noise);
    result.values[1] = double(noise);
}

template RowEnergies<std::uint8_t> row_energies<std::uint8_t>;
template RowEnergies<std::uint16_t> row_energies<std::uint16_t>;

} // namespace ansnr

namespace {

using namespace ansnr;

constexpr std::string_view kName = "float_ansnr", kAnpsnr = "float_anpsnr";
constexpr std::array<std::string_view, 1> kProvides = {kName};

class Scorer final : public FrameScorer {
  public:
    Scorer(const PictureFormat &format, Isa isa)
        : isa_(isa), scratch_bytes_(round_up(scratch_bytes(int(format.width)), kAlignment)), signal_(format.height),
          noise_(format.height) {}

    void measure(const FrameInput &frame, FrameResult &result) override {
        if (frame.ref.format().bits == 8)
            measure_rows<std::uint8_t>(frame);
        else
            measure_rows<std::uint16_t>(frame);
        float signal = 0.0f, noise = 0.0f;
        for (std::size_t y = 0; y < signal_.size(); y++) {
            signal += signal_[y];
            noise += noise_[y];
        }
        store_energies(signal, noise, result);
    }

  private:
    static constexpr int kMinStrip = 32; // rows; each strip reads 4 more

    template <class T> void measure_rows(const FrameInput &frame) {
        const PlaneView<T> ref = frame.ref.plane<T>(0), dist = frame.dist.plane<T>(0);
        const unsigned strips = strip_count(frame.parallel, ref.height, kMinStrip);
        if (scratch_.size() < strips * scratch_bytes_) scratch_ = AlignedArray<std::byte>(strips * scratch_bytes_);
        for_each_strip(frame.parallel, ref.height, strips, [&](unsigned strip, int begin, int end) {
            pick_row_energies<T>(isa_)(ref, dist, frame.ref.format().bits, begin, end, signal_.data(), noise_.data(),
                                       scratch_.data() + strip * scratch_bytes_);
        });
    }

    Isa isa_;
    std::size_t scratch_bytes_;
    AlignedArray<float> signal_, noise_; // one sum per row
    AlignedArray<std::byte> scratch_;
};

class FloatAnsnr final : public Metric {
    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        require_depth_8_10_12_16(kName, format);
        require_size(kName, format, 3, 3);
        format_ = format;
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override { return std::make_unique<Scorer>(format_, isa); }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return ansnr::make_device_scorer(format_, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const auto [peak, ceiling] = psnr::peak_and_ceiling(format_.bits);
        const double quotient = result.values[0], noise = result.values[1];
        sink.score(kName, index, noise == 0.0 ? ceiling : 10.0 * std::log10(quotient));
        const double most = peak * peak * format_.width * format_.height;
        sink.score(kAnpsnr, index, psnr::lesser(10 * std::log10(most / psnr::greater(noise, 1e-10)), ceiling));
    }

    PictureFormat format_;
};

} // namespace

const MetricInfo float_ansnr_metric = {
    .name = kName,
    .summary = "signal-to-noise ratio of luma after smoothing",
    .options = {},
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<FloatAnsnr>(); },
};

} // namespace vmaf
