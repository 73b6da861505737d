// The vector strips of `float_vif`, with the bits of float_vif_scalar.cpp: every output has its own lane, and sums grow
// in the order of vif.md 3.5 and 3.6. A strip is cut into tiles of columns whose working memory stays in L2. Per tile a
// group of rows at a time is filtered downwards from a ring of rows (so that a sample is loaded once for the group),
// then along, then reduced to terms; the row sums of a group, numerators and denominators, are the lanes of one vector.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/aligned.hpp"
#include "metrics/common/float_filter.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/vif/float_vif_strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/vif/float_vif_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS
#include "metrics/vif/float_vif_statistics-inl.hpp"
#include "metrics/vif/vif_segments-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vmaf::float_vif::HWY_NAMESPACE {

constexpr int kGroup = kLanes / 2; // rows at a time
constexpr int kMaxTile = 1024;     // columns
constexpr int kMargin = 64;        // samples kept free on either side of a tile's rows, at least the largest radius
constexpr int kChunk = 64;         // columns between the horizontal filter and the row sums
constexpr int kChannels = 5;       // R, D, R R, D D, R D
constexpr float kSampleOffset = -128.0f;

static_assert(kMaxFilterTaps / 2 <= kMargin && kMargin % kLanes == 0 && kChunk % (4 * kLanes) == 0);

// A vector of every tap, for vertical and horizontal filters.
class TapVectors {
  public:
    TapVectors(std::span<const float> taps, float *memory) : count_(int(taps.size())), memory_(memory) {
        for (int k = 0; k < count_; k++) std::fill_n(memory_ + k * kLanes, kLanes, taps[std::size_t(k)]);
    }
    int count() const { return count_; }
    HWY_INLINE VF at(int k) const { return hn::Load(DF(), memory_ + k * kLanes); }

  private:
    int count_;
    float *memory_;
};

using vif::HWY_NAMESPACE::compute_now;

HWY_INLINE void add_product(VF &sum, VF tap, VF sample, bool first) {
    const VF product = hn::Mul(tap, sample);
    sum = first ? product : hn::Add(sum, product);
    compute_now(sum);
}

// Adds what input row J gives to the output rows that see it, for as many sources as are stated: sums[source][row].
template <int Taps, int J, int Row, int Sources>
HWY_INLINE void add_input_row(const TapVectors &taps, const VF (&samples)[Sources], VF (&sums)[Sources][kGroup]) {
    if constexpr (Row < kGroup) {
        constexpr int k = J - Row;
        if constexpr (k >= 0 && k < Taps) {
            const VF tap = taps.at(k);
            for (int s = 0; s < Sources; s++) add_product(sums[s][Row], tap, samples[s], k == 0);
        }
        add_input_row<Taps, J, Row + 1>(taps, samples, sums);
    }
}

template <int Taps, int J, int Sources, class Load>
HWY_INLINE void filter_rows_from(const TapVectors &taps, const Load &load, VF (&sums)[Sources][kGroup]) {
    if constexpr (J < Taps + kGroup - 1) {
        VF samples[Sources];
        load(J, samples);
        add_input_row<Taps, J, 0>(taps, samples, sums);
        filter_rows_from<Taps, J + 1>(taps, load, sums);
    }
}

// Any number of taps: row after row.
template <int Sources, class Load>
HWY_INLINE void filter_rows_slowly(const TapVectors &taps, const Load &load, VF (&sums)[Sources][kGroup]) {
    for (int row = 0; row < kGroup; row++)
        for (int k = 0; k < taps.count(); k++) {
            VF samples[Sources];
            load(row + k, samples);
            for (int s = 0; s < Sources; s++) add_product(sums[s][row], taps.at(k), samples[s], k == 0);
        }
}

// Four neighbouring vectors; at(k) is where the samples for tap k start.
template <int Taps, class At> HWY_INLINE void filter_four(const TapVectors &taps, const At &at, float *out) {
    const DF d;
    const int count = Taps > 0 ? Taps : taps.count();
    VF sums[4];
    HWY_UNROLL(17)
    for (int k = 0; k < count; k++) {
        const float *from = at(k);
        // Vectors overlap between taps: loading them again is cheaper than GCC's keeping of them in memory.
        __asm__("" : "+r"(from));
        const VF tap = taps.at(k);
        add_product(sums[0], tap, hn::LoadU(d, from), k == 0);
        add_product(sums[1], tap, hn::LoadU(d, from + kLanes), k == 0);
        add_product(sums[2], tap, hn::LoadU(d, from + 2 * kLanes), k == 0);
        add_product(sums[3], tap, hn::LoadU(d, from + 3 * kLanes), k == 0);
    }
    for (int i = 0; i < 4; i++) hn::Store(sums[i], d, out + i * kLanes);
}

HWY_INLINE VF load_samples(const float *from, float) { return hn::LoadU(DF(), from); }
template <class T> HWY_INLINE VF load_samples(const T *from, float scale) {
    const DF d;
    const V32 samples = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<T, D32>(), from));
    return hn::Add(hn::Mul(hn::ConvertTo(d, samples), hn::Set(d, scale)), hn::Set(d, kSampleOffset));
}

// Sizes of the working memory, in floats.
struct Layout {
    Layout(int width, int max_taps)
        : tile(round_up(std::min(width, kMaxTile), kChunk)), pitch(tile + 2 * kMargin + kChunk),
          ring_rows(max_taps + kGroup - 1) {}
    std::size_t ring() const { return std::size_t(2 * ring_rows * pitch); }
    std::size_t filtered() const { return std::size_t(kGroup * kChannels * pitch); }
    static constexpr std::size_t kMoments = kChannels * kChunk, kTerms = 2 * kGroup * kChunk;
    static constexpr std::size_t kTaps = 2 * kMaxFilterTaps * kLanes;
    std::size_t all() const { return ring() + filtered() + kMoments + kTerms + kTaps; }

    int tile, pitch, ring_rows;
};

class StripFilter {
  public:
    StripFilter(const Strip &strip, const Layout &layout, float *memory)
        : strip_(strip), layout_(layout), ring_(memory), filtered_(ring_ + layout.ring()),
          moments_(filtered_ + layout.filtered()), terms_(moments_ + Layout::kMoments),
          taps_(strip.taps, terms_ + Layout::kTerms),
          next_taps_(strip.next_taps, terms_ + Layout::kTerms + kMaxFilterTaps * kLanes),
          pixel_arguments_(strip.constants) {}

    void run() {
        for (left_ = 0; left_ < strip_.width; left_ += layout_.tile) {
            columns_ = std::min(layout_.tile, strip_.width - left_);
            int entered = std::max(0, strip_.first_row - taps_.count() / 2);
            for (int y = strip_.first_row; y < strip_.end_row; y += kGroup) {
                const int rows = std::min(kGroup, strip_.end_row - y);
                for (; entered <= std::min(y + kGroup - 1 + taps_.count() / 2, strip_.height - 1); entered++)
                    enter_row(entered);
                if (next_taps_.count() > 0) next_scale_rows(y, rows);
                if (strip_.statistics) with_taps(taps_.count(), [&](auto taps) { statistics<taps.value>(y, rows); });
            }
        }
    }

  private:
    // Calls work with the number of taps as a constant where that makes code faster, else with 0.
    template <class Work> static void with_taps(int taps, const Work &work) {
        switch (taps) {
        case 17: return work(std::integral_constant<int, 17>());
        case 9: return work(std::integral_constant<int, 9>());
        case 5: return work(std::integral_constant<int, 5>());
        case 3: return work(std::integral_constant<int, 3>());
        default: return work(std::integral_constant<int, 0>());
        }
    }

    // Rows are addressed by columns of the tile, which start at 0.
    float *ring_row(int y, int image) const {
        return ring_ + (y % layout_.ring_rows * 2 + image) * layout_.pitch + kMargin;
    }
    float *filtered_row(int row, int channel) const {
        return filtered_ + (row * kChannels + channel) * layout_.pitch + kMargin;
    }
    // Columns beside the tile that a filter sees inside of the picture, in whole vectors.
    int before(int radius) const { return left_ > 0 ? round_up(radius, kLanes) : 0; }
    int behind(int radius) const { return std::min(columns_ + radius, strip_.width - left_); }

    template <class T> void load_row(const Source &source, int y, float scale, float *out) const {
        const auto *row =
            reinterpret_cast<const T *>(static_cast<const std::byte *>(source.data) + y * source.stride_bytes) + left_;
        const int end = behind(taps_.count() / 2);
        for (int x = -before(taps_.count() / 2); x < end; x += kLanes)
            hn::Store(load_samples(row + x, scale), DF(), out + x);
    }

    void enter_row(int y) const {
        const auto load = [&](const Source &source, float *out) HWY_ATTR {
            if (source.bits == 0)
                load_row<float>(source, y, 1.0f, out);
            else if (source.bits == 8)
                load_row<std::uint8_t>(source, y, 1.0f, out);
            else
                load_row<std::uint16_t>(source, y, 1.0f / float(1u << (source.bits - 8)), out);
        };
        load(strip_.ref, ring_row(y, 0));
        load(strip_.dist, ring_row(y, 1));
    }

    // Reflected samples where the tile ends at a border of the picture.
    void extend(float *line, int radius) const {
        const auto column = [&](int x) { return line[reflect(left_ + x, strip_.width) - left_]; };
        if (left_ == 0)
            for (int i = 1; i <= radius; i++) line[-i] = column(-i);
        for (int x = strip_.width - left_; x < columns_ + radius; x++) line[x] = column(x);
    }

    template <int Taps, int Sources, class Load>
    HWY_INLINE void filter_group(const Load &load, int x, const std::array<int, Sources> &channels) const {
        VF sums[Sources][kGroup];
        const auto load_at = [&](int j, VF(&samples)[Sources]) HWY_ATTR { load(j, x, samples); };
        if constexpr (Taps > 0)
            filter_rows_from<Taps, 0>(taps_, load_at, sums);
        else
            filter_rows_slowly(taps_, load_at, sums);
        for (int s = 0; s < Sources; s++)
            for (int row = 0; row < kGroup; row++)
                hn::Store(sums[s][row], DF(), filtered_row(row, channels[std::size_t(s)]) + x);
    }

    // Rows y ... of all channels, filtered downwards.
    template <int Taps> void vertical_pass(int y, int rows) const {
        const DF d;
        const int radius = taps_.count() / 2;
        std::array<const float *, kMaxFilterTaps + kGroup> ref, dist;
        for (int j = 0; j < taps_.count() + kGroup - 1; j++) {
            const int row = reflect(y - radius + j, strip_.height);
            ref[std::size_t(j)] = ring_row(row, 0);
            dist[std::size_t(j)] = ring_row(row, 1);
        }
        const auto image_and_square = [&](const float *const *image) HWY_ATTR {
            return [=](int j, int x, VF(&samples)[2]) HWY_ATTR {
                samples[0] = hn::Load(DF(), image[j] + x);
                samples[1] = hn::Mul(samples[0], samples[0]);
            };
        };
        const auto product = [&](int j, int x, VF(&samples)[1]) HWY_ATTR {
            samples[0] = hn::Mul(hn::Load(d, ref[std::size_t(j)] + x), hn::Load(d, dist[std::size_t(j)] + x));
        };
        const int end = behind(radius);
        for (int x = -before(radius); x < end; x += kLanes) {
            filter_group<Taps, 2>(image_and_square(ref.data()), x, {0, 2});
            filter_group<Taps, 2>(image_and_square(dist.data()), x, {1, 3});
            filter_group<Taps, 1>(product, x, {4});
        }
        for (int row = 0; row < rows; row++)
            for (int channel = 0; channel < kChannels; channel++) extend(filtered_row(row, channel), radius);
    }

    template <int Taps> void statistics(int y, int rows) const {
        vertical_pass<Taps>(y, rows);
        const DF d;
        alignas(64) float sums[kLanes] = {};
        if (left_ > 0) {
            std::copy_n(strip_.row_num + y, rows, sums);
            std::copy_n(strip_.row_den + y, rows, sums + kGroup);
        }
        VF row_sums = hn::Load(d, sums);
        for (int x = 0; x < columns_; x += kChunk) {
            for (int row = 0; row < rows; row++) chunk_terms<Taps>(row, x);
            row_sums = add_chunk(row_sums, std::min(kChunk, columns_ - x));
        }
        hn::Store(row_sums, d, sums);
        std::copy_n(sums, rows, strip_.row_num + y);
        std::copy_n(sums + kGroup, rows, strip_.row_den + y);
    }

    // Numerators and denominators of kChunk pixels of a row.
    template <int Taps> void chunk_terms(int row, int x) const {
        const DF d;
        for (int channel = 0; channel < kChannels; channel++)
            for (int i = 0; i < kChunk; i += 4 * kLanes) {
                const float *const first = filtered_row(row, channel) + x + i - taps_.count() / 2;
                filter_four<Taps>(
                    taps_, [=](int k) { return first + k; }, moments_ + channel * kChunk + i);
            }
        float *const num = terms_ + row * kChunk, *const den = terms_ + (kGroup + row) * kChunk;
        float *const num_extra = moments_; // a moment that has been read
        for (int i = 0; i < kChunk; i += kLanes) {
            const auto moment = [&](int channel) HWY_ATTR { return hn::Load(d, moments_ + channel * kChunk + i); };
            const Arguments arguments = pixel_arguments_({moment(0), moment(1), moment(2), moment(3), moment(4)});
            hn::Store(arguments.num, d, num + i);
            hn::Store(arguments.num_extra, d, num_extra + i);
            hn::Store(arguments.den, d, den + i);
        }
        for (int i = 0; i < kChunk; i += kLanes) {
            const VF logarithm = log2_approximation(hn::Load(d, num + i));
            hn::Store(hn::Add(logarithm, hn::Load(d, num_extra + i)), d, num + i);
            hn::Store(log2_approximation(hn::Load(d, den + i)), d, den + i);
        }
    }

    // Adds `count` terms of every row to its sum, from left to right.
    HWY_INLINE VF add_chunk(VF row_sums, int count) const {
        namespace layout = vmaf::vif::HWY_NAMESPACE;
        const DF d;
        for (int first = 0; first < count; first += kLanes) {
            layout::VU32 columns[kLanes];
            for (int row = 0; row < kLanes; row++)
                columns[row] = hn::BitCast(layout::DU32(), hn::Load(d, terms_ + row * kChunk + first));
            layout::transpose(columns);
            const int used = std::min(kLanes, count - first);
            if (used == kLanes) {
                HWY_UNROLL(16)
                for (int i = 0; i < kLanes; i++) row_sums = hn::Add(row_sums, hn::BitCast(d, columns[i]));
            } else {
                for (int i = 0; i < used; i++) row_sums = hn::Add(row_sums, hn::BitCast(d, columns[i]));
            }
        }
        return row_sums;
    }

    // The even rows and columns of both images, filtered for the next scale.
    void next_scale_rows(int y, int rows) const {
        const int end = std::min(rows, 2 * strip_.next_ref->height() - y);
        for (int row = 0; row < end; row += 2)
            for (int image = 0; image < 2; image++) {
                FloatPlane &next = image == 0 ? *strip_.next_ref : *strip_.next_dist;
                float *const out = next.row((y + row) / 2);
                with_taps(next_taps_.count(), [&](auto taps) { next_scale_row<taps.value>(y + row, image, out); });
            }
    }

    template <int Taps> void next_scale_row(int y, int image, float *out) const {
        const DF d;
        const int count = Taps > 0 ? Taps : next_taps_.count(), radius = count / 2;
        std::array<const float *, kMaxFilterTaps> rows;
        for (int k = 0; k < count; k++) rows[std::size_t(k)] = ring_row(reflect(y - radius + k, strip_.height), image);
        float *const line = filtered_row(0, 0);
        const int end = behind(radius);
        for (int x = -before(radius); x < end; x += 4 * kLanes)
            filter_four<Taps>(
                next_taps_, [&](int k) { return rows[std::size_t(k)] + x; }, line + x);
        extend(line, radius);

        // Samples at even and odd distance from the outputs, apart.
        float *const even = filtered_row(0, 1), *const odd = filtered_row(0, 2);
        const int half = round_up(radius, 2 * kLanes) / 2;
        const int wanted = std::min((columns_ + 1) / 2, strip_.width / 2 - left_ / 2);
        for (int x = -half; x < wanted + half; x += kLanes) {
            const VF low = hn::LoadU(d, line + 2 * x), high = hn::LoadU(d, line + 2 * x + kLanes);
            hn::Store(hn::ConcatEven(d, high, low), d, even + x);
            hn::Store(hn::ConcatOdd(d, high, low), d, odd + x);
        }
        const int pad = radius % 2; // makes offsets from the first tap's sample non-negative multiples of 2
        const float *const first = pad ? odd - (radius + 1) / 2 : even - radius / 2;
        const float *const second = pad ? even - radius / 2 : odd - radius / 2;
        float *const decimated = filtered_row(1, 0);
        for (int x = 0; x < wanted; x += 4 * kLanes)
            filter_four<Taps>(
                next_taps_, [&](int k) { return (k % 2 == 0 ? first : second) + k / 2 + x; }, decimated + x);
        std::copy_n(decimated, wanted, out + left_ / 2);
    }

    const Strip &strip_;
    Layout layout_;
    float *ring_, *filtered_, *moments_, *terms_;
    TapVectors taps_, next_taps_;
    PixelArguments pixel_arguments_;
    int left_ = 0, columns_ = 0; // of the current tile
};

std::size_t scratch_floats(int width, int max_taps) { return Layout(width, max_taps).all(); }

void run_strip(const Strip &strip, int width, int max_taps, float *scratch) {
    StripFilter(strip, Layout(width, max_taps), scratch).run();
}

constexpr StripCode kCode = {run_strip, scratch_floats};

} // namespace vmaf::float_vif::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf::float_vif {

namespace {

class VectorWorker final : public StripWorker {
  public:
    VectorWorker(int width, int max_taps, const StripCode &code)
        : code_(code), width_(width), max_taps_(max_taps), scratch_(code.scratch_floats(width, max_taps)) {}

    void run(const Strip &strip) override { code_.run(strip, width_, max_taps_, scratch_.data()); }

  private:
    const StripCode &code_;
    int width_, max_taps_;
    AlignedArray<float> scratch_;
};

} // namespace

const StripCode *pick_strip_code(Isa isa) {
    static constexpr SimdTable<const StripCode> kTable = {.scalar = nullptr, VMAF_VECTOR_VERSIONS(kCode)};
    return kTable.pick(isa);
}

std::unique_ptr<StripWorker> make_worker(int width, int max_taps, Isa isa) {
    const StripCode *code = pick_strip_code(isa);
    if (!code) return make_scalar_worker(width, max_taps);
    return std::make_unique<VectorWorker>(width, max_taps, *code);
}

} // namespace vmaf::float_vif
#endif
