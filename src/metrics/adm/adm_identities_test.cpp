// The identities behind the vector code, for all possible arguments (rows of scale 0) or a dense selection (other
// rows).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "metrics/adm/adm.hpp"
#include "metrics/adm/rows.hpp"

namespace vmaf::adm::adm_identities_test {
namespace {

constexpr int kLargest = 22930; // 3.12

template <class T> struct Triple {
    std::array<Row<T>, kBands> rows;
    explicit Triple(int width) {
        for (auto &row : rows) row = Row<T>(width);
    }
    In<T> in() { return inputs(rows); }
    Bands<T> out() { return pointers(rows); }
    T *operator[](std::size_t b) { return rows[b].get(); }
};

std::vector<Isa> vector_isas() {
    std::vector<Isa> list = usable_isas();
    list.erase(list.begin());
    return list;
}

template <class T, class Function>
void expect_same_parts(Triple<T> &o, Triple<T> &t, int width, double gain, Function RowFunctions::*decouple) {
    Triple<T> r(width), a(width), fast_r(width), fast_a(width);
    (scalar_rows().*decouple)(o.in(), t.in(), 0, width, gain, r.out(), a.out());
    for (const Isa isa : vector_isas()) {
        (rows_for(isa).*decouple)(o.in(), t.in(), 0, width, gain, fast_r.out(), fast_a.out());
        for (std::size_t b = 0; b < kBands; b++)
            for (int j = 0; j < width; j++)
                ASSERT_TRUE(r[b][j] == fast_r[b][j] && a[b][j] == fast_a[b][j])
                    << "o " << o[b][j] << ", t " << t[b][j] << ", gain " << gain << ", " << to_string(isa);
    }
}

TEST(AdmIdentities, EveryCoefficientOfScale0IsSplitAlike) {
    std::mt19937 random(1);
    constexpr int kWidth = 2 * kLargest + 1;
    Triple<std::int16_t> o(kWidth), t(kWidth);
    for (int round = 0; round < 24; round++) {
        for (std::size_t b = 0; b < kBands; b++)
            for (int j = 0; j < kWidth; j++) {
                const int x = j - kLargest;
                o[b][j] = std::int16_t(x);
                // Around the reference itself, around rational multiples of it, anywhere, and nearly parallel.
                const int near = x + round - 4, part = x * (round % 7 + 1) / (round % 9 + 2) + round % 3 - 1;
                const int any = int(random() % kWidth) - kLargest;
                const int value = round < 8    ? near
                                  : round < 16 ? part
                                  : round < 20 ? any
                                               : x * 99 / 100 + int(random() % 5);
                t[b][j] = std::int16_t(std::clamp(value, -kLargest, kLargest));
            }
        constexpr double gains[] = {100, 1, 1.2, 33.3, 2, 99.5};
        expect_same_parts(o, t, kWidth, gains[round % 6], &RowFunctions::decouple0);
    }
}

TEST(AdmIdentities, CoefficientsAroundEveryRoundingOfTheLaterScalesAreSplitAlike) {
    std::mt19937 random(2);
    std::vector<std::int32_t> magnitudes;
    for (int e = 0; e < 31; e++)
        for (int d = -200; d <= 200; d++) // around powers of two, where the rounding to 15 bits carries
            if (const std::int64_t m = (std::int64_t(1) << e) + d; m >= 0 && m <= 1500000000)
                magnitudes.push_back(std::int32_t(m));
    for (std::int64_t m = 1; m <= 1500000000; m += 1 + m / 5000) magnitudes.push_back(std::int32_t(m));
    const int width = int(magnitudes.size());
    Triple<std::int32_t> o(width), t(width);
    for (int round = 0; round < 12; round++) {
        for (std::size_t b = 0; b < kBands; b++)
            for (int j = 0; j < width; j++) {
                const std::int64_t m = magnitudes[std::size_t(j)], x = random() % 2 ? m : -m;
                const std::int64_t scaled = x * std::int64_t(random() % 2048) / 1024 + round % 3 - 1;
                const std::int64_t near = x + std::int64_t(random() % 9) - 4;
                o[b][j] = std::int32_t(x);
                t[b][j] = std::int32_t(std::clamp<std::int64_t>(round < 6 ? near : scaled, -1500000000, 1500000000));
            }
        constexpr double gains[] = {100, 1, 1.2, 33.3, 2, 99.5};
        expect_same_parts(o, t, width, gains[round % 6], &RowFunctions::decouple);
    }
}

// A single band, the others 0: exposes its nu and kappa, including wrapped ones.
TEST(AdmIdentities, EveryCoefficientOfScale0MasksAlike) {
    constexpr int kWidth = 2 * kLargest + 1;
    const PictureFormat format = {PixelFormat::yuv400p, 8, 2 * kWidth, 64};
    for (const OptionTexts &texts :
         {OptionTexts{}, OptionTexts{{"adm_csf_mode", "2"}}, OptionTexts{{"adm_norm_view_dist", "4.5"}},
          OptionTexts{{"adm_csf_mode", "1"}, {"adm_csf_scale", "0.0143"}, {"adm_csf_diag_scale", "0.0052"}}}) {
        const ScalePlan plan = make_plan(read_options(OptionValues("adm", adm_metric.options, texts)), format).scale[0];
        ASSERT_TRUE(fits_narrow(plan));
        for (std::size_t band = 0; band < kBands; band++) {
            Triple<std::int16_t> y(kWidth);
            for (int j = 0; j < kWidth; j++) y[band][j] = std::int16_t(j - kLargest);
            Row<std::int32_t> neighbour(kWidth), centre(kWidth), even(kWidth), odd(kWidth);
            Row<std::int16_t> narrow(kWidth);
            scalar_rows().mask0(y.in(), 0, kWidth, plan, {neighbour.get(), centre.get()});
            for (const Isa isa : vector_isas()) {
                rows_for(isa).narrow_mask0(y.in(), 0, kWidth, plan, {narrow.get(), even.get(), odd.get()});
                for (int j = 0; j < kWidth; j++) {
                    ASSERT_EQ(narrow.get()[j] + 32768, neighbour.get()[j]) << j - kLargest << " band " << band;
                    ASSERT_EQ(-9 * 32768 - (j % 2 ? odd : even).get()[j / 2], centre.get()[j]) << j - kLargest;
                }
            }
        }
    }
}

} // namespace
} // namespace vmaf::adm::adm_identities_test
