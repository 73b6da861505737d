#include "model/regressor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/rbf.hpp"

namespace vmaf {

namespace {

constexpr std::size_t kBlock = 64; // vectors whose distances are computed together

double integer_power(double base, int exponent) {
    double result = 1, power = base;
    for (int e = exponent; e > 0; e /= 2) {
        if (e % 2 != 0) result *= power;
        power *= power;
    }
    return result;
}

} // namespace

Regressor::Regressor(const SvmText &text, std::size_t feature_count)
    : kernel_(text.kernel), degree_(text.degree), gamma_(text.gamma), coef0_(text.coef0), rho_(text.rho),
      stride_(round_up(text.vectors.size(), kBlock)), components_(feature_count * stride_) {
    for (std::size_t j = 0; j < text.vectors.size(); j++) {
        const SupportVector &vector = text.vectors[j];
        coefficients_.push_back(vector.coefficient);
        std::uint64_t listed = 0;
        for (const auto &[index, value] : vector.components) {
            const std::size_t feature = std::size_t(index) - 1;
            if (feature < feature_count) {
                components_[feature * stride_ + j] = value;
                listed |= std::uint64_t(1) << feature;
            } else {
                extra_.push_back(value);
            }
        }
        listed_.push_back(listed);
        extra_end_.push_back(std::uint32_t(extra_.size()));
    }
}

double Regressor::evaluate(std::span<const double> features) const {
    double sum = 0;
    if (kernel_ == SvmKernel::rbf)
        sum = rbf_sum(features);
    else
        for (std::size_t j = 0; j < coefficients_.size(); j++) sum += coefficients_[j] * dot_kernel(features, j);
    return sum - rho_;
}

std::vector<double> Regressor::evaluate_all(std::span<const double> inputs, std::size_t count, Isa isa) const {
    const std::size_t feature_count = inputs.size() / count;
    std::vector<double> results(count);
    if (kernel_ != SvmKernel::rbf || !extra_.empty()) {
        for (std::size_t n = 0; n < count; n++) results[n] = evaluate(inputs.subspan(n * feature_count, feature_count));
        return results;
    }
    const std::size_t stride = round_up(count, kRbfBatch);
    AlignedArray<double> by_feature(feature_count * stride), sums(stride);
    for (std::size_t n = 0; n < count; n++)
        for (std::size_t i = 0; i < feature_count; i++) by_feature[i * stride + n] = inputs[n * feature_count + i];
    pick_rbf_sums(isa)({.inputs = by_feature.data(),
                        .input_stride = stride,
                        .input_count = stride,
                        .components = components_.data(),
                        .component_stride = stride_,
                        .features = feature_count,
                        .coefficients = coefficients_.data(),
                        .vectors = coefficients_.size(),
                        .gamma = gamma_,
                        .sums = sums.data()});
    for (std::size_t n = 0; n < count; n++) results[n] = sums[n] - rho_;
    return results;
}

double Regressor::rbf_sum(std::span<const double> features) const {
    double sum = 0;
    std::size_t extra = 0;
    for (std::size_t first = 0; first < coefficients_.size(); first += kBlock) {
        std::array<double, kBlock> distance{};
        for (std::size_t i = 0; i < features.size(); i++) {
            const double x = features[i];
            const double *component = components_.data() + i * stride_ + first;
            for (std::size_t j = 0; j < kBlock; j++) {
                const double d = x - component[j];
                distance[j] += d * d;
            }
        }
        const std::size_t count = std::min(kBlock, coefficients_.size() - first);
        if (!extra_.empty())
            for (std::size_t j = 0; j < count; j++)
                for (; extra < extra_end_[first + j]; extra++) distance[j] += extra_[extra] * extra_[extra];
        const double *coefficients = coefficients_.data() + first;
        for (double &d : distance) d *= -gamma_;
        for (std::size_t j = 0; j < count; j++) sum += coefficients[j] * std::exp(distance[j]);
    }
    return sum;
}

// The other kernels need the scalar product over the vector's listed components.
double Regressor::dot_kernel(std::span<const double> features, std::size_t vector) const {
    double dot = 0;
    for (std::size_t i = 0; i < features.size(); i++)
        if (listed_[vector] >> i & 1) dot += features[i] * components_[i * stride_ + vector];
    if (kernel_ == SvmKernel::linear) return dot;
    const double base = gamma_ * dot + coef0_;
    return kernel_ == SvmKernel::polynomial ? integer_power(base, degree_) : std::tanh(base);
}

} // namespace vmaf
