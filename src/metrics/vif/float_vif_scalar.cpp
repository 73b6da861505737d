// The scalar strips of `float_vif`. Every sum is a float, added in the order of vif.md 3.5 and 3.6.
#include <algorithm>
#include <array>
#include <vector>

#include "device/plain_arithmetic.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/vif/float_vif_formula.hpp"
#include "metrics/vif/float_vif_strip.hpp"

namespace vmaf::float_vif {

namespace {

constexpr std::size_t kChannels = 5; // R, D, R R, D D, R D
constexpr float kOffset = -128.0f;

class ScalarWorker final : public StripWorker {
  public:
    ScalarWorker(int width, int max_taps)
        : stride_(round_up<std::ptrdiff_t>(width, 16)), ring_rows_(max_taps),
          ring_(std::size_t(ring_rows_) * kChannels * std::size_t(stride_)), rows_(std::size_t(max_taps)),
          left_(round_up(max_taps / 2, 16)), line_(std::size_t(left_ + stride_ + left_)),
          moments_(kChannels * std::size_t(stride_)), tile_terms_{std::vector<float>(std::size_t(width)),
                                                                  std::vector<float>(std::size_t(width))} {}

    void run(const Strip &strip) override {
        const int radius = int(strip.taps.size()) / 2;
        int entered = std::max(0, strip.first_row - std::max(radius, int(strip.next_taps.size()) / 2));
        for (int y = strip.first_row; y < strip.end_row; y++) {
            for (; entered <= std::min(y + radius, strip.height - 1); entered++) enter_row(strip, entered);
            if (!strip.next_taps.empty() && y % 2 == 0 && y / 2 < strip.next_ref->height()) {
                filter(strip, strip.next_taps, y, 0, 2, strip.next_ref->width(), strip.next_ref->row(y / 2));
                filter(strip, strip.next_taps, y, 1, 2, strip.next_dist->width(), strip.next_dist->row(y / 2));
            }
            if (!strip.statistics) continue;
            for (std::size_t channel = 0; channel < kChannels; channel++)
                filter(strip, strip.taps, y, channel, 1, strip.width, moment_row(channel));
            sum_pixels(strip, y);
        }
    }

  private:
    float *ring_row(int y, std::size_t channel) {
        return ring_.data() + std::ptrdiff_t(std::size_t(y % ring_rows_) * kChannels + channel) * stride_;
    }
    float *moment_row(std::size_t channel) { return moments_.data() + std::ptrdiff_t(channel) * stride_; }

    static void load_row(const Source &source, int y, int width, float *out) {
        const void *row = static_cast<const std::byte *>(source.data) + y * source.stride_bytes;
        if (source.bits == 0)
            std::copy_n(static_cast<const float *>(row), width, out);
        else if (source.bits == 8)
            to_float_row(static_cast<const std::uint8_t *>(row), width, 8, kOffset, out);
        else
            to_float_row(static_cast<const std::uint16_t *>(row), width, source.bits, kOffset, out);
    }

    void enter_row(const Strip &strip, int y) {
        float *ref = ring_row(y, 0), *dist = ring_row(y, 1);
        load_row(strip.ref, y, strip.width, ref);
        load_row(strip.dist, y, strip.width, dist);
        if (!strip.statistics) return;
        float *__restrict rr = ring_row(y, 2), *__restrict dd = ring_row(y, 3), *__restrict rd = ring_row(y, 4);
        for (int x = 0; x < strip.width; x++) {
            rr[x] = ref[x] * ref[x];
            dd[x] = dist[x] * dist[x];
            rd[x] = ref[x] * dist[x];
        }
    }

    // Vertical, then horizontal pass (3.5) for row y; keeps every step-th column.
    void filter(const Strip &strip, std::span<const float> taps, int y, std::size_t channel, int step, int out_width,
                float *out) {
        const int radius = int(taps.size()) / 2;
        for (int k = 0; k < int(taps.size()); k++)
            rows_[std::size_t(k)] = ring_row(reflect(y - radius + k, strip.height), channel);
        float *line = line_.data() + left_;
        filter_rows(rows_.data(), taps, strip.width, line);
        extend_line(line, strip.width, radius);
        horizontal_pass(line, taps, step, out_width, out);
    }

    void sum_pixels(const Strip &strip, int y) {
        float num = 0.0f, den = 0.0f;
        for (int x = 0; x < strip.width; x++) {
            const kernels::FloatVifTerms<PlainArithmetic> terms(
                moment_row(0)[x], moment_row(1)[x], moment_row(2)[x], moment_row(3)[x], moment_row(4)[x],
                {strip.constants.noise, strip.constants.gain_limit, strip.constants.below_noise});
            num += terms.num;
            den += terms.den;
            if (!strip.tiles) continue;
            tile_terms_[0][std::size_t(x)] = terms.num;
            tile_terms_[1][std::size_t(x)] = terms.den;
        }
        for (std::size_t i = 0; strip.tiles && i < tile_terms_.size(); i++)
            strip.tiles->add_row(y, tile_terms_[i].data(), 2 * i);
        strip.row_num[y] = num;
        strip.row_den[y] = den;
    }

    std::ptrdiff_t stride_;
    int ring_rows_;
    AlignedArray<float> ring_; // the channels of the last input rows
    std::vector<const float *> rows_;
    int left_; // room for reflected samples at both ends of the line
    AlignedArray<float> line_, moments_;
    std::array<std::vector<float>, 2> tile_terms_; // numerators and denominators of a row
};

} // namespace

std::unique_ptr<StripWorker> make_scalar_worker(int width, int max_taps) {
    return std::make_unique<ScalarWorker>(width, max_taps);
}

} // namespace vmaf::float_vif
