#include "metrics/common/ordered_sums_device.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace vmaf {

using namespace kernels;

namespace {

constexpr const char *kSet = "ordered_sums";

std::size_t chunks_for(std::size_t values) { return (values + kOrderedChunk - 1) / kOrderedChunk; }

} // namespace

OrderedSums::OrderedSums(Device &device, FrameMemory &scratch, std::size_t sums, std::size_t values, Type type)
    : rough_(device.load({kSet, type == Type::f32 ? "ordered_f32_sums_rough" : "ordered_sums_rough"})),
      maps_(device.load({kSet, type == Type::f32 ? "ordered_f32_sums_maps" : "ordered_sums_maps"})),
      join_(device.load({kSet, type == Type::f32 ? "ordered_f32_sums_join" : "ordered_sums_join"})), most_sums_(sums),
      most_chunks_(chunks_for(values)), chunks_(scratch.add<u64>(sums * most_chunks_ * kChunkWords)) {
    if (sums > kMaxOrderedSums) throw invalid("more ordered sums than fit a launch");
}

void OrderedSums::enqueue(Queue &queue, const DeviceBatch &batch, std::span<const OrderedSource> sources,
                          FrameArray<u64> sums) const {
    OrderedSumsArgs args{};
    std::size_t chunks = 0;
    for (std::size_t i = 0; i < sources.size(); i++) {
        args.sources[i] = sources[i];
        chunks = std::max(chunks, chunks_for(static_cast<std::size_t>(sources[i].count)));
    }
    if (sources.size() > most_sums_ || chunks > most_chunks_) throw invalid("more ordered sums than were announced");
    if (chunks == 0) return;
    args.count = static_cast<int>(sources.size());
    args.chunks = batch.scratch_of(chunks_);
    args.most_chunks = most_chunks_;
    args.sums = sums;
    const auto count = static_cast<unsigned>(sources.size());
    // A sum within one chunk needs no preparation: the last step adds the terms.
    if (chunks > 1) {
        launch(queue, rough_, {count * blocks_for(static_cast<int>(chunks), rough_.shape.tile_width), 1, batch.count},
               args);
        launch(queue, maps_, {count * static_cast<unsigned>(chunks), 1, batch.count}, args);
    }
    launch(queue, join_, {count, 1, batch.count}, args);
}

} // namespace vmaf
