// Per target: vectors of floats, and of as many doubles. Include it inside `#if VMAF_VECTOR_PASS`. Without a function
// HWY_BEFORE_NAMESPACE would have nothing to mark, which clang reports for WebAssembly.
#if defined(VMAF_SSIM_FLOAT_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef VMAF_SSIM_FLOAT_VECTORS_INL_HPP
#undef VMAF_SSIM_FLOAT_VECTORS_INL_HPP
#else
#define VMAF_SSIM_FLOAT_VECTORS_INL_HPP
#endif

namespace vmaf::float_vectors::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Df = hn::ScalableTag<float>;
using Dd = hn::ScalableTag<double>;
using Dh = hn::Rebind<float, Dd>; // as many floats as a vector has doubles
using Vf = hn::Vec<Df>;
using Vd = hn::Vec<Dd>;

constexpr int kLanes = HWY_LANES(float);
constexpr int kHalf = kLanes / 2;

} // namespace vmaf::float_vectors::HWY_NAMESPACE

#endif
