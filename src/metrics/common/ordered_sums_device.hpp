// Sums of values in device memory, in their memory order, for scorers.
#pragma once

#include <span>

#include "metrics/common/ordered_sums_kernels.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf {

class OrderedSums {
  public:
    enum class Type { f64, f32 }; // of the sums; f32 only for floats

    // `sums`: most sums at once; `values`: most values of each.
    OrderedSums(Device &device, FrameMemory &scratch, std::size_t sums, std::size_t values, Type type = Type::f64);

    // `place`: index of the sum in the results. `form`: which function of a value is added.
    static kernels::OrderedSource doubles(kernels::FrameArray<kernels::u64> values, std::size_t count, int place = 0,
                                          int form = 0) {
        return {values, {}, count, form, place};
    }
    static kernels::OrderedSource floats(kernels::FrameArray<float> values, std::size_t count, int place = 0) {
        return {{}, values, count, 0, place};
    }

    // Sets sums[place] of each frame to the sum of a source's values, as bits of its type.
    void enqueue(Queue &queue, const DeviceBatch &batch, std::span<const kernels::OrderedSource> sources,
                 kernels::FrameArray<kernels::u64> sums) const;

  private:
    LoadedKernel rough_, maps_, join_;
    std::size_t most_sums_, most_chunks_;
    Piece<kernels::u64> chunks_;
};

} // namespace vmaf
