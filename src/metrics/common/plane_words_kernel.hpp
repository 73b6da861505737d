// How device kernels read samples of a plane: eight bytes at a time, aligned to eight bytes. Rows may be read up to the
// next multiple of 32 samples; samples past their end are meaningless.
#pragma once

#include "device/kernel.hpp"

namespace vmaf {
namespace kernels {

template <class C, class Sample> class PlaneWords {
  public:
    static constexpr int kSamples = 8 / static_cast<int>(sizeof(Sample));
    explicit VMAF_DEVICE_FN PlaneWords(Global<const Sample> at)
        : words_(C::load(reinterpret_cast<Global<const Words2>>(at))) {}
    VMAF_DEVICE_FN u32 sample(int k) const {
        constexpr int kBits = 8 * static_cast<int>(sizeof(Sample)), kPerWord = 32 / kBits;
        return words_.v[k / kPerWord] >> (kBits * (k % kPerWord)) & ((1u << kBits) - 1);
    }

  private:
    Words2 words_;
};

} // namespace kernels
} // namespace vmaf
