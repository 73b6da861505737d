// RBF sums of many inputs, one in each lane. Exponentials are made to some 2^-59 and rounded; where that leaves open
// what a library with errors of up to 0.515 of a last place gives, the library is asked.
#include "model/rbf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/aligned.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/rbf_simd.cpp"
#include "cpu/simd.hpp"

#if VMAF_VECTOR_PASS && HWY_TARGET != HWY_WASM // which has no fused operations
HWY_BEFORE_NAMESPACE();
namespace vmaf::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF64 = hn::ScalableTag<double>;
using DBits = hn::ScalableTag<std::uint64_t>;
using VF64 = hn::Vec<DF64>;
constexpr std::size_t kLanes64 = HWY_LANES(double);

HWY_INLINE VF64 setd(double v) { return hn::Set(DF64(), v); }

// 2^(i/4) as the sum of two numbers.
alignas(64) constexpr double kPowers[4][2] = {{1, 0},
                                              {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
                                              {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
                                              {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54}};

struct TwoParts {
    VF64 high, low;
};

// e^x = 2^(k/4) e^r: k, and e^r - 1 in two parts. |r| < 0.087.
struct Reduced {
    hn::Vec<DBits> k; // its lowest bits
    TwoParts rest;
};
HWY_INLINE Reduced reduced(VF64 x) {
    const VF64 integer = setd(0x1.8p52); // moves what is left of the point to the lowest bits
    const VF64 shifted = hn::MulAdd(x, setd(0x1.71547652b82fep+2), integer), k = hn::Sub(shifted, integer);
    const VF64 first = hn::NegMulAdd(k, setd(0x1.62e42fee00000p-3), x), more = hn::Mul(k, setd(0x1.a39ef35793c76p-35));
    const VF64 r = hn::Sub(first, more), r_low = hn::Sub(hn::Sub(first, r), more);
    const VF64 r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
    const VF64 c01 = hn::MulAdd(r, setd(1.0 / 6), setd(1.0 / 2)), c23 = hn::MulAdd(r, setd(1.0 / 120), setd(1.0 / 24));
    const VF64 c45 = hn::MulAdd(r, setd(1.0 / 5040), setd(1.0 / 720));
    const VF64 c67 = hn::MulAdd(r, setd(1.0 / 362880), setd(1.0 / 40320));
    const VF64 upper = hn::MulAdd(r4, setd(1.0 / 3628800), hn::MulAdd(r2, c67, c45));
    const VF64 second = hn::Mul(r2, hn::MulAdd(r4, upper, hn::MulAdd(r2, c23, c01)));
    const VF64 tail = hn::Add(second, hn::MulAdd(r_low, r, r_low)), sum = hn::Add(r, tail);
    return {hn::BitCast(DBits(), shifted), {sum, hn::Sub(tail, hn::Sub(sum, r))}};
}

HWY_INLINE TwoParts power_of(hn::Vec<DBits> k) {
    const DBits d;
    const auto is_odd = hn::MaskFromVec(hn::BitCast(DF64(), hn::VecFromMask(d, hn::TestBit(k, hn::Set(d, 1)))));
    const auto is_upper = hn::MaskFromVec(hn::BitCast(DF64(), hn::VecFromMask(d, hn::TestBit(k, hn::Set(d, 2)))));
    const auto chosen = [&](int part) HWY_ATTR {
        const VF64 lower = hn::IfThenElse(is_odd, setd(kPowers[1][part]), setd(kPowers[0][part]));
        return hn::IfThenElse(is_upper, hn::IfThenElse(is_odd, setd(kPowers[3][part]), setd(kPowers[2][part])), lower);
    };
    return {chosen(0), chosen(1)};
}

struct Exponential {
    VF64 value;
    hn::Mask<DF64> is_open; // the library may give one of its neighbours
};
HWY_INLINE Exponential exponential(VF64 x) {
    const DBits bits;
    const Reduced e = reduced(x);
    const TwoParts power = power_of(e.k);
    const VF64 product = hn::Mul(power.high, e.rest.high);
    const VF64 lost = hn::MulSub(power.high, e.rest.high, product);
    const VF64 small = hn::MulAdd(power.high, e.rest.low, hn::MulAdd(power.low, e.rest.high, power.low));
    const VF64 high = hn::Add(power.high, product);
    const VF64 low = hn::Add(hn::Add(hn::Sub(power.high, high), product), hn::Add(lost, small));
    // A 32nd of the last place.
    const auto binade = hn::And(hn::BitCast(bits, high), hn::Set(bits, std::uint64_t(0x7ff) << 52));
    const VF64 margin = hn::Mul(hn::BitCast(DF64(), binade), setd(0x1p-57));
    const VF64 rounded = hn::Add(high, hn::Add(low, margin)), other = hn::Add(high, hn::Sub(low, margin));
    // Results below the normal numbers, above all numbers and none at all are open, too.
    const auto is_open = hn::Not(hn::And(hn::Eq(rounded, other), hn::Le(hn::Abs(x), setd(700))));
    const auto exponent = hn::ShiftLeft<50>(hn::AndNot(hn::Set(bits, 3), e.k)); // k / 4, moved to its place
    return {hn::BitCast(DF64(), hn::Add(hn::BitCast(bits, rounded), exponent)), is_open};
}

// Inputs of one vector, and some of the support vectors at a time.
class SomeKernels {
  public:
    static constexpr std::size_t kMost = 128; // support vectors

    // Of support vectors first .. first + count - 1. `Features`: their number, 0 if it is another one.
    template <std::size_t Features>
    HWY_INLINE void make(const RbfBatch &b, const double *inputs, std::size_t first, std::size_t count) {
        const DF64 d;
        for (std::size_t j = 0; j < count; j++) {
            VF64 distance = hn::Zero(d);
            HWY_UNROLL(6)
            for (std::size_t i = 0; i < (Features ? Features : b.features); i++) {
                const VF64 component = setd(b.components[i * b.component_stride + first + j]);
                const VF64 difference = hn::Sub(hn::Load(d, inputs + i * b.input_stride), component);
                distance = hn::Add(distance, hn::Mul(difference, difference));
            }
            const VF64 exponent = hn::Mul(distance, setd(-b.gamma));
            const Exponential kernel = exponential(exponent);
            hn::Store(exponent, d, exponents_ + j * kLanes64);
            hn::Store(kernel.value, d, kernels_ + j * kLanes64);
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, kernel.is_open, bits);
            open_[j] = bits[0];
        }
        close(count);
    }
    HWY_INLINE VF64 at(std::size_t j) const { return hn::Load(DF64(), kernels_ + j * kLanes64); }

  private:
    // Asks the library. One in sixteen is open: a branch for each vector would often be predicted wrongly.
    void close(std::size_t count) {
        std::fill(open_ + count, open_ + round_up<std::size_t>(count, 8), std::uint8_t{0});
        for (std::size_t first = 0; first < count; first += 8) {
            std::uint64_t left;
            std::memcpy(&left, open_ + first, sizeof left);
            for (; left != 0; left &= left - 1) {
                const auto bit = std::size_t(std::countr_zero(left));
                const std::size_t i = (first + bit / 8) * kLanes64 + bit % 8;
                kernels_[i] = std::exp(exponents_[i]);
            }
        }
    }

    alignas(64) double exponents_[kMost * kLanes64], kernels_[kMost * kLanes64];
    std::uint8_t open_[kMost]; // lanes of each vector
    static_assert(kMost % 8 == 0 && kLanes64 <= 8 && std::endian::native == std::endian::little);
};

template <std::size_t Features> HWY_INLINE void rbf_sums_of(const RbfBatch &b) {
    static_assert(kRbfBatch % kLanes64 == 0);
    SomeKernels kernels;
    for (std::size_t input = 0; input < b.input_count; input += kLanes64) {
        VF64 sum = hn::Zero(DF64());
        for (std::size_t first = 0; first < b.vectors; first += SomeKernels::kMost) {
            const std::size_t count = std::min(SomeKernels::kMost, b.vectors - first);
            kernels.make<Features>(b, b.inputs + input, first, count);
            for (std::size_t j = 0; j < count; j++)
                sum = hn::Add(sum, hn::Mul(setd(b.coefficients[first + j]), kernels.at(j)));
        }
        hn::Store(sum, DF64(), b.sums + input);
    }
}

// Six: adm2, motion2 and four scales of vif.
void rbf_sums(const RbfBatch &b) { b.features == 6 ? rbf_sums_of<6>(b) : rbf_sums_of<0>(b); }

} // namespace vmaf::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace vmaf {

namespace {

void scalar_rbf_sums(const RbfBatch &b) {
    for (std::size_t n = 0; n < b.input_count; n++) {
        double sum = 0;
        for (std::size_t j = 0; j < b.vectors; j++) {
            double distance = 0;
            for (std::size_t i = 0; i < b.features; i++) {
                const double difference = b.inputs[i * b.input_stride + n] - b.components[i * b.component_stride + j];
                distance += difference * difference;
            }
            sum += b.coefficients[j] * std::exp(distance * -b.gamma);
        }
        b.sums[n] = sum;
    }
}

} // namespace

RbfSums *pick_rbf_sums(Isa isa) {
#if defined(__wasm__)
    static constexpr SimdTable<RbfSums> kTable = {.scalar = &scalar_rbf_sums};
#else
    static constexpr SimdTable<RbfSums> kTable = {.scalar = &scalar_rbf_sums, VMAF_VECTOR_VERSIONS(rbf_sums)};
#endif
    return kTable.pick(isa);
}

} // namespace vmaf
#endif
