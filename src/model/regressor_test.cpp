#include "model/regressor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "base/error.hpp"

namespace vmaf::regressor_test {
namespace {

constexpr std::string_view kExample =
    "svm_type nu_svr\nkernel_type rbf\ngamma 0.05\nnr_class 2\ntotal_sv 3\nrho -0.25\nSV\n"
    "-4 1:0.5 2:0.125 4:1 \n1.5 2:0.75 3:-1e-16 \n2.5 1:1 \n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The formula of models.md 2.3, one support vector after the other.
double by_formula(const SvmText &svm, std::span<const double> x) {
    double sum = 0;
    for (const SupportVector &vector : svm.vectors) {
        double distance = 0, dot = 0;
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.size(); i++) {
            const bool listed = next < vector.components.size() && vector.components[next].index == int(i) + 1;
            const double s = listed ? vector.components[next++].value : 0;
            distance += (x[i] - s) * (x[i] - s);
            if (listed) dot += x[i] * s;
        }
        for (; next < vector.components.size(); next++)
            distance += vector.components[next].value * vector.components[next].value;
        double kernel = 0;
        switch (svm.kernel) {
        case SvmKernel::rbf: kernel = std::exp((-svm.gamma) * distance); break;
        case SvmKernel::linear: kernel = dot; break;
        case SvmKernel::sigmoid: kernel = std::tanh(svm.gamma * dot + svm.coef0); break;
        case SvmKernel::polynomial: {
            kernel = 1;
            double power = svm.gamma * dot + svm.coef0;
            for (int e = svm.degree; e > 0; e /= 2, power *= power)
                if (e % 2 == 1) kernel *= power;
        }
        }
        sum += vector.coefficient * kernel;
    }
    return sum - svm.rho;
}

SvmText random_svm(SvmKernel kernel, int vectors, int features, std::mt19937 &random) {
    std::uniform_real_distribution<double> value(-2, 2);
    SvmText svm{.kernel = kernel, .degree = 3, .gamma = 0.04, .coef0 = 0.5, .rho = -1.25};
    for (int j = 0; j < vectors; j++) {
        SupportVector vector{.coefficient = value(random)};
        for (int i = 1; i <= features; i++)
            if (random() % 4 != 0) vector.components.push_back({i, value(random)});
        svm.vectors.push_back(vector);
    }
    return svm;
}

TEST(SvmText, HoldsWhatTheTextSays) {
    const SvmText svm = parse_svm_text(kExample);
    EXPECT_EQ(svm.kernel, SvmKernel::rbf);
    EXPECT_EQ(svm.gamma, 0.05);
    EXPECT_EQ(svm.rho, -0.25);
    ASSERT_EQ(svm.vectors.size(), 3u);
    EXPECT_EQ(svm.vectors[1].coefficient, 1.5);
    ASSERT_EQ(svm.vectors[1].components.size(), 2u);
    EXPECT_EQ(svm.vectors[1].components[1].index, 3);
    EXPECT_EQ(svm.vectors[1].components[1].value, -1e-16);
}

TEST(SvmText, TextAfterTheLastVectorAndAMissingLastNewlineAreAccepted) {
    EXPECT_EQ(parse_svm_text(std::string(kExample) + "rubbish").vectors.size(), 3u);
    std::string text(kExample);
    text.resize(text.size() - 2);
    EXPECT_EQ(parse_svm_text(text).vectors.size(), 3u);
    EXPECT_EQ(parse_svm_text(replaced(std::string(kExample), "1e-16", "1e-500")).vectors.size(), 3u);
    EXPECT_EQ(parse_svm_text(replaced(std::string(kExample), "SV\n", "label 1 -1\nnr_sv 2 1\nprobA 1\nprobB 2\nSV\n"))
                  .vectors.size(),
              3u);
}

TEST(SvmText, AnEmptyTokenEndsTheHeaderToo) {
    EXPECT_EQ(parse_svm_text(replaced(std::string(kExample), "SV\n", "\n")).vectors.size(), 3u);
    EXPECT_THROW(parse_svm_text(replaced(std::string(kExample), "SV\n", "\nSV\n")), Error);
}

std::string many_vectors() {
    std::string text;
    for (int i = 0; i < 100'001; i++) text += "1 \n";
    return text;
}

TEST(SvmText, BrokenTextsAreRefusedWithENOMEM) {
    const std::string good(kExample);
    const std::array<std::string, 21> broken = {
        "x",
        replaced(good, "total_sv 3", "total_sv 100001") + many_vectors(),
        "SV\n",
        good.substr(0, good.find("SV")),
        replaced(good, "total_sv 3", "total_sv 4"),
        replaced(good, "total_sv 3", "total_sv 2147483647"),
        replaced(good, "total_sv 3", "total_sv -1"),
        replaced(good, "total_sv 3\n", ""),
        replaced(good, "total_sv 3", "total_sv 99999999999999"),
        replaced(good, "nr_class 2", "nr_class 3"),
        replaced(good, "nr_class 2\n", ""),
        replaced(good, "nu_svr", "my_svr"),
        replaced(good, "rbf", "mine"),
        replaced(good, "gamma 0.05", "gamma x"),
        replaced(good, "gamma 0.05\n", ""),
        replaced(good, "rho", "rhu"),
        replaced(good, "2:0.125", "1:0.125"),
        replaced(good, "1:0.5", "0:0.5"),
        replaced(good, "1:0.5", "0.5"),
        replaced(good, "1:0.5", "1:nan"),
        replaced(good, "nu_svr\n", "nu_svr\r\n"),
    };
    for (const std::string &text : broken) try {
            parse_svm_text(text);
            ADD_FAILURE() << text;
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), ENOMEM) << text;
        }
}

TEST(SvmText, ClassificationAndPrecomputedKernelsAreRefusedWithEINVAL) {
    for (const std::string_view type : {"c_svc", "nu_svc", "one_class", "precomputed"}) try {
            parse_svm_text(replaced(std::string(kExample), type == "precomputed" ? "rbf" : "nu_svr", type));
            ADD_FAILURE() << type;
        } catch (const Error &e) {
            EXPECT_EQ(e.code(), EINVAL) << type;
        }
}

TEST(Regressor, GivesTheBitsOfTheFormulaForEveryKernel) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> value(-1, 3);
    for (const SvmKernel kernel : {SvmKernel::rbf, SvmKernel::linear, SvmKernel::polynomial, SvmKernel::sigmoid})
        for (const int vectors : {0, 1, 3, 63, 64, 65, 211, 300})
            for (const int features : {0, 1, 4, 6, 64}) {
                const SvmText svm = random_svm(kernel, vectors, features + 2, random); // two components too many
                const Regressor regressor(svm, std::size_t(features));
                std::vector<double> x(static_cast<std::size_t>(features));
                for (double &v : x) v = value(random);
                EXPECT_EQ(regressor.evaluate(x), by_formula(svm, x)) << vectors << " " << features;
            }
}

TEST(Regressor, InfiniteFeaturesTouchListedComponentsOnly) {
    SvmText svm{.kernel = SvmKernel::linear};
    svm.vectors.push_back({2.0, {{1, 3.0}}});
    const std::array<double, 2> x = {1.0, std::numeric_limits<double>::infinity()};
    EXPECT_EQ(Regressor(svm, 2).evaluate(x), 6.0);
}

// A regressor that is the exponential function of minus the square of its input.
Regressor exponential_of_minus_square() {
    return {{.kernel = SvmKernel::rbf, .gamma = 1, .vectors = {{.coefficient = 1, .components = {}}}}, 1};
}

TEST(Regressor, ExponentialsOfManyInputsAreThoseOfTheStandardLibrary) {
    std::mt19937_64 random(7);
    std::vector<double> inputs = {0, -0.0, 1e-300, 1e-9, 1e-8, 0.29, 26, 26.4, 26.5, 27, 28, 40, 1e200};
    for (int scale = 1; scale <= 32; scale *= 2)
        for (int i = 0; i < 100'000; i++) inputs.push_back(scale * double(random() >> 11) * 0x1p-53);
    inputs.push_back(std::numeric_limits<double>::infinity());
    const Regressor regressor = exponential_of_minus_square();
    for (const Isa isa : usable_isas()) {
        const std::vector<double> found = regressor.evaluate_all(inputs, inputs.size(), isa);
        std::size_t different = 0;
        for (std::size_t i = 0; i < inputs.size(); i++) different += found[i] != std::exp(-(inputs[i] * inputs[i]));
        EXPECT_EQ(different, 0u) << to_string(isa);
        const double none = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(std::isnan(regressor.evaluate_all({&none, 1}, 1, isa)[0]));
    }
}

TEST(Regressor, ManyInputsGiveTheBitsOfSingleOnes) {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> value(-2, 2);
    for (const SvmKernel kernel : {SvmKernel::rbf, SvmKernel::linear, SvmKernel::sigmoid}) {
        const SvmText svm = random_svm(kernel, 211, 6, random);
        for (const std::size_t features : {6u, 5u}) // 5: the text has components beyond
            for (const std::size_t count : {1u, 15u, 16u, 33u}) {
                const Regressor regressor(svm, features);
                std::vector<double> inputs(features * count);
                for (double &input : inputs) input = value(random);
                for (const Isa isa : usable_isas()) {
                    const std::vector<double> found = regressor.evaluate_all(inputs, count, isa);
                    for (std::size_t n = 0; n < count; n++)
                        EXPECT_EQ(found[n], regressor.evaluate(std::span(inputs).subspan(n * features, features)));
                }
            }
    }
}

} // namespace
} // namespace vmaf::regressor_test
