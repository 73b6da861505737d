#include "io/surface_converter.hpp"

#include <algorithm>
#include <cstring>

#include "io/surface_kernels.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf {

namespace {

using namespace kernels;

constexpr std::size_t kThumbnailBytes = sizeof(LumaBlockSums::blocks);
constexpr std::ptrdiff_t kWordBytes = 8; // that kernels read at once

bool is_straight(const ComponentView &view) {
    return view.across == (view.is_wide ? 2 : 1) && view.down % kWordBytes == 0 &&
           reinterpret_cast<std::uintptr_t>(view.first) % kWordBytes == 0;
}

} // namespace

SurfaceConverter::SurfaceConverter(Device &device, const VideoOutput &output)
    : device_(device), format_(output.picture),
      convert_(device.load({"surface", format_.bits > 8 ? "surface_to_16" : "surface_to_8"})),
      blocks_(device.load({"surface", format_.bits > 8 ? "luma_blocks_16" : "luma_blocks_8"})) {
    const RangeTables tables = range_tables(output.range_change, format_.bits);
    if (tables.luma.empty()) return;
    luma_table_ = upload_table(device, tables.luma.data(), tables.luma.size() * sizeof tables.luma[0]);
    chroma_table_ = upload_table(device, tables.chroma.data(), tables.chroma.size() * sizeof tables.chroma[0]);
}

SurfaceConverter::Thumbnails SurfaceConverter::make_thumbnails(std::size_t count) const {
    return {device_.allocate(count * kThumbnailBytes), device_.allocate_pinned(count * kThumbnailBytes)};
}

void SurfaceConverter::enqueue(Queue &queue, const DeviceSurface &surface, const Picture &picture,
                               const Thumbnails &thumbnails, std::size_t thumbnail) const {
    SurfaceArgs args{};
    const ComponentView &luma = surface.components[0];
    args.is_wide = luma.is_wide;
    args.right = static_cast<int>(luma.shift);
    args.left = static_cast<int>(format_.bits - luma.bits);
    args.mask = (1u << luma.bits) - 1;
    unsigned columns = 1, rows = 0; // of blocks
    for (unsigned p = 0; p < kSurfacePlanes; p++) {
        args.first_block[p] = static_cast<int>(rows);
        if (p >= format_.planes() || !picture.data(p)) continue; // has no rows of blocks
        const ComponentView &from = surface.components[p];
        args.from[p] = {reinterpret_cast<const u8 *>(from.first), from.across, from.down, is_straight(from)};
        args.to[p] = picture.data(p);
        const auto &table = p == 0 ? luma_table_ : chroma_table_;
        args.table[p] = table ? reinterpret_cast<const u16 *>(table->data()) : nullptr;
        args.pitch[p] = static_cast<int>(picture.stride_bytes(p) / format_.bytes_per_sample());
        args.width[p] = static_cast<int>(format_.plane_width(p));
        args.height[p] = static_cast<int>(format_.plane_height(p));
        columns = std::max(columns, blocks_for(args.width[p], convert_.shape.tile_width));
        rows += blocks_for(args.height[p], convert_.shape.tile_height);
    }
    launch(queue, convert_, {columns, rows, 1}, args);
    std::byte *const sums = thumbnails.on_device->data() + thumbnail * kThumbnailBytes;
    const LumaBlocksArgs blocks{.plane = picture.data(0),
                                .pitch = args.pitch[0],
                                .width = args.width[0],
                                .height = args.height[0],
                                .columns = LumaSignature::kColumns,
                                .rows = LumaSignature::kRows,
                                .row_step = LumaBlockSums::kRowStep,
                                .sums = reinterpret_cast<u64 *>(sums)};
    launch(queue, blocks_, {LumaSignature::kColumns, LumaSignature::kRows, 1}, blocks);
    queue.download(thumbnails.on_host->data() + thumbnail * kThumbnailBytes, 0, sums, 0, {kThumbnailBytes, 1});
}

LumaSignature SurfaceConverter::signature(const Thumbnails &thumbnails, std::size_t thumbnail) const {
    LumaBlockSums sums;
    std::memcpy(sums.blocks.data(), thumbnails.on_host->data() + thumbnail * kThumbnailBytes, kThumbnailBytes);
    return luma_signature(sums, format_);
}

} // namespace vmaf
