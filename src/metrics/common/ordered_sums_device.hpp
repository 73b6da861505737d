// Sums of values in device memory, in the order in which they lie there, for scorers.
#pragma once

#include <span>

#include "metrics/common/ordered_sums_kernels.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf {

class OrderedSums {
  public:
    enum class Type { f64, f32 }; // of the sums; f32 of floats as they are only

    // The most sums at once, and the most values of each.
    OrderedSums(Device &device, FrameMemory &scratch, std::size_t sums, std::size_t values, Type type = Type::f64);

    // `place`: where the sum goes among the results. `form`: what is added of a value.
    static kernels::OrderedSource doubles(kernels::FrameArray<kernels::u64> values, std::size_t count, int place = 0,
                                          int form = 0) {
        return {values, {}, count, form, place};
    }
    static kernels::OrderedSource floats(kernels::FrameArray<float> values, std::size_t count, int place = 0) {
        return {{}, values, count, 0, place};
    }

    // sums[place] of each frame becomes the sum of the values of a source, as bits of its type.
    void enqueue(Queue &queue, const DeviceBatch &batch, std::span<const kernels::OrderedSource> sources,
                 kernels::FrameArray<kernels::u64> sums) const;

  private:
    LoadedKernel rough_, maps_, join_;
    std::size_t most_sums_, most_chunks_;
    Piece<kernels::u64> chunks_;
};

} // namespace vmaf
