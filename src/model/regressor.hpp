// Support-vector regression, read from libsvm's text format (models.md 1.5, 2.3).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned.hpp"
#include "cpu/cpu.hpp"

namespace vmaf {

enum class SvmKernel { linear, polynomial, rbf, sigmoid };

struct SupportVector {
    struct Component {
        int index; // 1-based feature number, ascending
        double value;
    };
    double coefficient = 0;
    std::vector<Component> components; // missing ones are 0
};

// The regressor as written in the text.
struct SvmText {
    SvmKernel kernel = SvmKernel::rbf;
    int degree = 0;
    double gamma = 0, coef0 = 0, rho = 0;
    std::vector<SupportVector> vectors;
};

// Throws Error: ENOMEM for unreadable text (the reference's code), EINVAL if it is not a regression.
SvmText parse_svm_text(std::string_view text);

// Support vectors stored densely, one array per feature: each step works on many vectors, while each vector's own sum
// keeps its order.
class Regressor {
  public:
    Regressor() = default;
    Regressor(const SvmText &text, std::size_t feature_count);

    // Sum of weighted kernels in file order, minus rho; `features` has feature_count normalised values.
    double evaluate(std::span<const double> features) const;
    // The same of `count` inputs, one after the other.
    std::vector<double> evaluate_all(std::span<const double> inputs, std::size_t count, Isa isa) const;

  private:
    double rbf_sum(std::span<const double> features) const;
    double dot_kernel(std::span<const double> features, std::size_t vector) const;

    SvmKernel kernel_ = SvmKernel::rbf;
    int degree_ = 0;
    double gamma_ = 0, coef0_ = 0, rho_ = 0;
    std::vector<double> coefficients_;
    std::size_t stride_ = 0;               // vectors per feature array, padded
    AlignedArray<double> components_;      // [feature][vector]
    std::vector<std::uint64_t> listed_;    // per vector: the features its line has
    std::vector<std::uint32_t> extra_end_; // per vector: end of its part of extra_
    std::vector<double> extra_;            // components above feature_count
};

} // namespace vmaf
