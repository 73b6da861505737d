// `vif`: the vectors of vif.md 4, and equality with a literal transcription of chapter 2.
#include "metrics/vif/vif.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "metrics/common/reflect.hpp"
#include "metrics/vif/vif_log.hpp"
#include "metrics/vif/vif_pixel.hpp"
#include "metrics/vif/vif_strip.hpp"
#include "support/luma_pair.hpp"

namespace vmaf::vif::vif_test {
namespace {

using Sample = std::uint16_t;

unsigned sample_at(const Picture &picture, int y, int x) {
    const std::byte *row = picture.data(0) + y * picture.stride_bytes(0);
    return picture.format().bits > 8 ? reinterpret_cast<const std::uint16_t *>(row)[x] : unsigned(row[x]);
}

// Neighbouring samples are similar, to reach all branches of the pixel formula.
LumaPair random_pair(unsigned bits, int width, int height, unsigned seed) {
    std::mt19937 random(seed);
    LumaPair pair(bits, width, height);
    const int top = int((1u << bits) - 1);
    const int noise = 1 + int(random() % unsigned(top)) / (1 + int(random() % 30));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int base = int(random() % unsigned(noise)) + (x + y) * top / (width + height) - noise / 2;
            const int r = std::clamp(base, 0, top);
            const int d = std::clamp(r * int(80 + seed % 40) / 100 + int(random() % unsigned(noise)) / 4, 0, top);
            set_sample(pair.ref, y, x, r);
            set_sample(pair.dist, y, x, d);
        }
    return pair;
}

class Sink final : public ScoreSink {
  public:
    void score(std::string_view name, unsigned, double value) override {
        names.emplace_back(name);
        values[names.back()] = value;
    }
    void aggregate(std::string_view, double) override {}
    std::vector<std::string> names;
    std::map<std::string, double> values;
};

struct Outcome {
    FrameSums sums;
    Sink scores;
};

Outcome score(const LumaPair &pair, const OptionTexts &options = {}, Isa isa = Isa::scalar, unsigned threads = 1) {
    const auto metric = vif_metric.create(OptionValues("vif", vif_metric.options, options));
    metric->prepare(pair.ref.format());
    BackwardParts parallel(threads);
    FrameResult result;
    metric->make_scorer(isa)->measure({0, pair.ref, pair.dist, {}, {}, parallel}, result);
    Outcome outcome{load_sums(result), {}};
    metric->emit(0, result, outcome.scores);
    return outcome;
}

// Chapter 2 literally, 64-bit sums, plane by plane.
class Oracle {
  public:
    Oracle(const LumaPair &pair, double gain_limit) : limit_(gain_limit), bits_(pair.ref.format().bits) {
        const int width = int(pair.ref.format().width), height = int(pair.ref.format().height);
        for (const Picture *picture : {&pair.ref, &pair.dist}) {
            Image image(width, height);
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++) image.at(y, x) = sample_at(*picture, y, x);
            images_.push_back(image);
        }
        for (int s = 0; s < kScales; s++) {
            if (s > 0) {
                below_ = images_;
                for (Image &image : images_) image = next_scale(image, s);
            }
            statistics(s);
        }
    }

    FrameSums sums;

  private:
    struct Image {
        Image(int w, int h) : width(w), height(h), samples(std::size_t(w) * std::size_t(h)) {}
        std::uint64_t &at(int y, int x) { return samples[std::size_t(y) * std::size_t(width) + std::size_t(x)]; }
        int width, height;
        std::vector<std::uint64_t> samples;
    };

    Image next_scale(Image &image, int scale) const {
        const auto taps = kTapCount[std::size_t(scale)];
        const unsigned v = scale == 1 ? bits_ : 16;
        Image out(image.width / 2, image.height / 2);
        for (int y = 0; y < out.height; y++)
            for (int x = 0; x < out.width; x++) {
                std::uint64_t sum = 32768;
                for (int j = 0; j < taps; j++) {
                    std::uint64_t column = 1ull << (v - 1);
                    for (int k = 0; k < taps; k++)
                        column += tap(scale, k) * image.at(reflect(2 * y - taps / 2 + k, image.height),
                                                           reflect(2 * x - taps / 2 + j, image.width));
                    sum += tap(scale, j) * (column >> v);
                }
                out.at(y, x) = sum >> 16;
            }
        return out;
    }

    using Moments = std::array<std::uint64_t, 5>;

    Moments filtered_column(int scale, int y, int x) {
        const auto taps = kTapCount[std::size_t(scale)];
        const unsigned v = scale == 0 ? bits_ : 16, p = scale == 0 ? 2 * (bits_ - 8) : 16;
        const std::uint64_t rounding = p == 0 ? 0 : 1ull << (p - 1);
        Moments m = {1ull << (v - 1), 1ull << (v - 1), rounding, rounding, rounding};
        const int height = images_[0].height;
        for (int k = 0; k < taps; k++) {
            const int row = y - taps / 2 + k;
            const bool missing = height == 1 && row != 0; // quirk A
            const std::uint64_t r = missing ? below_[0].at(1, x) : images_[0].at(reflect(row, height), x);
            const std::uint64_t d = missing ? below_[1].at(1, x) : images_[1].at(reflect(row, height), x);
            const Moments terms = {r, d, r * r, d * d, r * d};
            for (std::size_t i = 0; i < 5; i++) m[i] += tap(scale, k) * terms[i];
        }
        for (std::size_t i = 0; i < 5; i++) m[i] >>= i < 2 ? v : p;
        return m;
    }

    void statistics(int scale) {
        const auto taps = kTapCount[std::size_t(scale)];
        const int width = images_[0].width, height = images_[0].height;
        std::vector<Moments> row(static_cast<std::size_t>(width));
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) row[std::size_t(x)] = filtered_column(scale, y, x);
            for (int x = 0; x < width; x++) {
                Moments m = {0, 0, 32768, 32768, 32768};
                for (int k = 0; k < taps; k++) {
                    const int column = x - taps / 2 + k;
                    const bool missing = width == 1 && column != 0; // quirk B
                    const Moments &at = missing ? beside_ : row[std::size_t(reflect(column, width))];
                    for (std::size_t i = 0; i < 5; i++) m[i] += tap(scale, k) * at[i];
                }
                const auto q = [&](std::uint64_t a, std::uint64_t b) { return (a * b + (1ull << 31)) >> 32; };
                pixel(std::int32_t(std::uint32_t((m[2] >> 16) - q(m[0], m[0]))),
                      std::int32_t(std::uint32_t((m[3] >> 16) - q(m[1], m[1]))),
                      std::int32_t(std::uint32_t((m[4] >> 16) - q(m[0], m[1]))), sums[std::size_t(scale)]);
            }
        }
        if (width > 1) beside_ = row[1];
    }

    void pixel(std::int32_t s1, std::int32_t s2, std::int32_t s12, ScaleSums &out) const {
        const auto lg = [](std::int64_t z) {
            int k = 0;
            while (z >> k > 65535) k++;
            return log_table()[std::size_t(z >> k) - 32768] + 2048 * k;
        };
        s2 = std::max(s2, 0);
        if (s1 < 131072) {
            out.num_noise += s2;
            out.den_noise++;
            return;
        }
        out.den_log += lg(131072 + std::int64_t(s1)) - 34816;
        if (s12 <= 0 || s2 <= 0) return;
        double g = double(s12) / (double(s1) + 65536 * 1.0e-10);
        const double product = g * double(s12);
        const std::int64_t sv = std::max(std::int32_t(double(s2) - product), 0);
        g = g < limit_ ? g : limit_;
        const std::int64_t a = sv + 131072, b = a + std::int64_t((g * g) * double(s1));
        out.num_log += lg(b) - lg(a);
    }

    static std::uint64_t tap(int scale, int k) { return kTaps[std::size_t(scale)][std::size_t(k)]; }

    double limit_;
    unsigned bits_;
    std::vector<Image> images_, below_;
    Moments beside_{};
};

void expect_equal(const FrameSums &got, const FrameSums &wanted, const std::string &what) {
    for (std::size_t s = 0; s < kScales; s++) {
        EXPECT_EQ(got[s].num_log, wanted[s].num_log) << what << " scale " << s;
        EXPECT_EQ(got[s].den_log, wanted[s].den_log) << what << " scale " << s;
        EXPECT_EQ(got[s].num_noise, wanted[s].num_noise) << what << " scale " << s;
        EXPECT_EQ(got[s].den_noise, wanted[s].den_noise) << what << " scale " << s;
    }
}

TEST(VifLogarithm, TableHasTheChecksumOfTheSpecification) {
    const auto table = log_table();
    EXPECT_EQ(table[0], 30720);
    EXPECT_EQ(table[40000 - 32768], 31309);
    EXPECT_EQ(table[49152 - 32768], 31918);
    EXPECT_EQ(table[60000 - 32768], 32507);
    EXPECT_EQ(table[32767], 32768);
    std::uint32_t crc = ~0u;
    for (std::uint16_t entry : table)
        for (unsigned byte : {unsigned(entry) & 255, unsigned(entry) >> 8}) {
            crc ^= byte;
            for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    EXPECT_EQ(~crc, 0x42ad4d4fu);
    EXPECT_EQ(scaled_log2(131072, table.data()), kLogOfNoise);
}

TEST(VifLogarithm, VectorCodeAgreesWithEveryTableEntryAtEveryMagnitude) {
    const std::uint16_t *const table = log_table().data();
    std::mt19937 random(1);
    for (Isa isa : usable_isas()) {
        const StripCode *const code = pick_strip_code(isa);
        if (!code) continue;
        std::vector<std::int32_t> z(65536), got(65536);
        for (int shift = 2; shift < 16; shift++) {
            for (std::size_t i = 0; i < 65536; i += 2) { // lowest and some other bits below the 16 that count
                z[i] = std::int32_t((32768 + i / 2) << shift);
                z[i + 1] = z[i] | std::int32_t(i % 4 ? random() % (1u << shift) : (1u << shift) - 1);
            }
            code->logarithms(z.data(), 65536, got.data());
            for (std::size_t i = 0; i < 65536; i++)
                ASSERT_EQ(got[i], scaled_log2(std::uint32_t(z[i]), table)) << to_string(isa) << " " << z[i];
        }
    }
}

// The arithmetic of the 512-bit version, on any processor.
TEST(VifLogarithm, SixteenBitPiecesAgreeWithEveryTableEntry) {
    const auto upper = [](unsigned a, unsigned b) { return a * b >> 16; };
    for (int i = 0; i < 32768; i++) {
        const std::size_t piece = std::size_t(i) / 1024;
        const unsigned x = unsigned(i % 1024) << 6 | unsigned(kLogOffset16);
        const unsigned slope = kLog16[1][piece] - upper(x, kLog16[2][piece]);
        const unsigned sum = kLog16[0][piece] + upper(x, slope);
        ASSERT_LT(sum, 65536u);
        ASSERT_EQ(30720 + 64 * int(piece) + int(sum >> 8), log_table()[std::size_t(i)]) << i;
    }
}

TEST(Vif, GivesTheSumsAndScoresOfTheTestVector) {
    const Outcome got = score(vif_vector_pair(8), {{"debug", "true"}});
    const FrameSums wanted = {
        {{20243264, 23550961, 0, 0}, {1756778, 2151499, 0, 0}, {264057, 349732, 0, 0}, {38084, 50659, 49187, 2}}};
    expect_equal(got.sums, wanted, "8 bit");
    const auto &scores = got.scores.values;
    EXPECT_EQ(scores.at("VMAF_integer_feature_vif_scale0_score"), 0.85955154895782471);
    EXPECT_EQ(scores.at("VMAF_integer_feature_vif_scale1_score"), 0.81653672456741333);
    EXPECT_EQ(scores.at("VMAF_integer_feature_vif_scale2_score"), 0.75502669811248779);
    EXPECT_EQ(scores.at("VMAF_integer_feature_vif_scale3_score"), 0.77033889293670654);
    EXPECT_EQ(scores.at("integer_vif"), 0.85441931454755371);
    EXPECT_EQ(scores.at("integer_vif_num"), 10891.737747192383);
    EXPECT_EQ(scores.at("integer_vif_den"), 12747.5322265625);
    EXPECT_EQ(scores.at("integer_vif_num_scale3"), 20.595657348632812);
    EXPECT_EQ(scores.at("integer_vif_den_scale0"), 11499.4921875);
    const std::vector<std::string> order(got.scores.names.begin() + 4, got.scores.names.end());
    EXPECT_EQ(order,
              (std::vector<std::string>{"integer_vif", "integer_vif_num", "integer_vif_den", "integer_vif_num_scale0",
                                        "integer_vif_den_scale0", "integer_vif_num_scale1", "integer_vif_den_scale1",
                                        "integer_vif_num_scale2", "integer_vif_den_scale2", "integer_vif_num_scale3",
                                        "integer_vif_den_scale3"}));
}

TEST(Vif, GivesTheSumsOfTheTenBitTestVector) {
    const Outcome got = score(vif_vector_pair(10));
    const FrameSums wanted = {
        {{20332022, 23550608, 0, 0}, {1731480, 2151318, 0, 0}, {264389, 349317, 0, 0}, {38824, 50569, 51236, 2}}};
    expect_equal(got.sums, wanted, "10 bit");
    EXPECT_EQ(got.scores.values.at("VMAF_integer_feature_vif_scale3_score"), 0.78514409065246582);
    EXPECT_EQ(got.scores.names.size(), 4u);
}

TEST(Vif, GainLimitTakesTheCreditForEnhancement) {
    LumaPair pair = vif_vector_pair(8);
    std::swap(pair.ref, pair.dist);
    const Outcome free = score(pair), limited = score(pair, {{"vif_enhn_gain_limit", "1.0"}});
    constexpr std::int64_t free_num[] = {21124560, 2145840, 349514, 41949};
    constexpr std::int64_t limited_num[] = {19412960, 1754323, 263459, 32663};
    for (std::size_t s = 0; s < kScales; s++) {
        EXPECT_EQ(free.sums[s].num_log, free_num[s]);
        EXPECT_EQ(limited.sums[s].num_log, limited_num[s]);
        EXPECT_EQ(free.sums[s].den_log, limited.sums[s].den_log);
    }
    EXPECT_EQ(free.scores.values.at("VMAF_integer_feature_vif_scale1_score"), 1.2193256616592407);
    EXPECT_EQ(limited.scores.values.at("VMAF_integer_feature_vif_scale2_score"), 0.99780714511871338);
}

TEST(Vif, SkippingScale0LeavesTheOtherScalesAlone) {
    const Outcome all = score(vif_vector_pair(8)),
                  some = score(vif_vector_pair(8), {{"vif_skip_scale0", "true"}, {"debug", "true"}});
    for (std::size_t s = 1; s < kScales; s++) EXPECT_EQ(all.sums[s], some.sums[s]);
    const auto &scores = some.scores.values;
    EXPECT_EQ(scores.at("VMAF_integer_feature_vif_scale0_score"), 0.0);
    EXPECT_EQ(scores.at("integer_vif_num_scale0"), 0.0);
    EXPECT_EQ(scores.at("integer_vif_den_scale0"), -1.0);
    EXPECT_EQ(scores.at("integer_vif_num"),
              double(857.8017578125f) + double(128.93408203125f) + double(20.595657348632812f));
}

TEST(Vif, EqualsTheTextOfTheSpecificationAtEveryDepth) {
    for (unsigned bits = 8; bits <= 16; bits++)
        for (const auto &[width, height] : {std::pair(47, 35), {64, 16}, {16, 40}}) {
            const LumaPair pair = random_pair(bits, width, height, bits);
            expect_equal(score(pair, {{"vif_enhn_gain_limit", "1.1"}}).sums, Oracle(pair, 1.1).sums,
                         std::to_string(bits) + " bit");
        }
}

TEST(Vif, EqualsTheTextOfTheSpecificationAtSmallSizes) {
    unsigned seed = 0;
    for (int height = 8; height <= 34; height += height < 18 ? 1 : 5)
        for (int width = 8; width <= 34; width += width < 18 ? 1 : 5) {
            const LumaPair pair = random_pair(seed % 2 ? 8 : 10, width, height, seed);
            seed++;
            expect_equal(score(pair).sums, Oracle(pair, 100.0).sums,
                         std::to_string(width) + "x" + std::to_string(height));
        }
}

TEST(Vif, ExtremeSamplesDoNotOverflow) {
    for (unsigned bits : {8u, 12u, 16u}) {
        LumaPair pair(bits, 40, 40);
        const unsigned top = (1u << bits) - 1;
        for (int y = 0; y < 40; y++)
            for (int x = 0; x < 40; x++) {
                set_sample(pair.ref, y, x, x < 20 ? 0 : top);
                set_sample(pair.dist, y, x, (x / 10 + y / 10) % 2 ? 0 : top);
            }
        expect_equal(score(pair).sums, Oracle(pair, 100.0).sums, std::to_string(bits) + " bit edges");
        for (int y = 0; y < 40; y++)
            for (int x = 0; x < 40; x++) {
                set_sample(pair.ref, y, x, top);
                set_sample(pair.dist, y, x, top);
            }
        expect_equal(score(pair).sums, Oracle(pair, 100.0).sums, std::to_string(bits) + " bit white");
    }
}

TEST(Vif, StripsDoNotChangeTheSums) {
    const LumaPair pair = random_pair(8, 83, 301, 5);
    const FrameSums whole = score(pair).sums;
    for (unsigned threads : {2u, 3u, 8u, 64u})
        expect_equal(score(pair, {}, Isa::scalar, threads).sums, whole, "strips");
}

TEST(Vif, VectorCodeGivesTheSameSums) {
    unsigned seed = 0;
    for (Isa isa : usable_isas())
        for (const auto &[width, height] : {std::pair(176, 144), {161, 97}, {33, 17}, {300, 20}, {1003, 41}, {16, 300}})
            for (unsigned bits : {8u, 10u, 16u}) {
                const LumaPair pair = random_pair(bits, width, height, seed++);
                const FrameSums scalar = score(pair, {{"vif_enhn_gain_limit", "1.2"}}).sums;
                const std::string what = std::string(to_string(isa)) + " " + std::to_string(width) + "x" +
                                         std::to_string(height) + " " + std::to_string(bits) + " bit";
                expect_equal(score(pair, {{"vif_enhn_gain_limit", "1.2"}}, isa).sums, scalar, what);
                expect_equal(score(pair, {{"vif_enhn_gain_limit", "1.2"}}, isa, 3).sums, scalar, what + " strips");
            }
}

TEST(Vif, RefusesPicturesBelowEightPixelsWithTheirSize) {
    for (const auto &[width, height] : {std::pair(7u, 40u), {40u, 7u}, {1u, 1u}}) {
        const auto metric = vif_metric.create(OptionValues("vif", vif_metric.options, {}));
        try {
            metric->prepare({PixelFormat::yuv420p, 8, width, height});
            ADD_FAILURE();
        } catch (const Error &e) {
            EXPECT_NE(std::string(e.what()).find("8x8"), std::string::npos);
        }
    }
    EXPECT_THROW(OptionValues("vif", vif_metric.options, {{"vif_enhn_gain_limit", "0.9"}}), Error);
}

} // namespace
} // namespace vmaf::vif::vif_test
