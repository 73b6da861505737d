#include "metrics/common/device_real_tiles.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace vmaf {

using namespace kernels;

DeviceRealTiles::DeviceRealTiles(const TileGrid &grid, std::span<const Image> images, std::size_t sums,
                                 FrameMemory &results, Device &device)
    : kernel_(device.load({"real_tiles", "real_tiles_sums"})), sums_(sums), across_(grid.columns()),
      down_(grid.rows()) {
    std::vector<int> table;
    for (const Image &image : images) {
        images_.push_back(
            {RealTiles::columns_of(grid, image.across), RealTiles::rows_of(grid, image.down), table.size()});
        for (const std::vector<int> *edges : {&images_.back().columns, &images_.back().rows})
            table.insert(table.end(), edges->begin(), edges->end());
        const std::vector<int> &rows = images_.back().rows;
        for (std::size_t i = 0; i + 1 < rows.size(); i++) {
            const int threads = kernel_.shape.tile_width, height = std::clamp(rows[i + 1] - rows[i], 1, threads);
            blocks_ = std::max(blocks_, blocks_for(across_, threads / height));
        }
    }
    table_ = upload_table(device, table.data(), table.size() * sizeof table[0]);
    words_ = results.add<u64>(grid.count() * sums * images.size());
}

TileTerms DeviceRealTiles::terms_of(std::size_t image, std::size_t across, std::size_t down) const {
    const int *const columns = reinterpret_cast<const int *>(table_->data()) + images_[image].place;
    TileTerms terms{};
    terms.across = static_cast<u32>(across);
    terms.down = static_cast<u32>(down);
    terms.columns = columns;
    terms.rows = columns + images_[image].columns.size();
    return terms;
}

TileTerms DeviceRealTiles::floats(std::size_t image, FrameArray<float> terms, std::size_t across,
                                  std::size_t down) const {
    TileTerms out = terms_of(image, across, down);
    out.floats = terms;
    return out;
}

TileTerms DeviceRealTiles::doubles(std::size_t image, FrameArray<u64> terms, std::size_t across,
                                   std::size_t down) const {
    TileTerms out = terms_of(image, across, down);
    out.doubles = terms;
    return out;
}

void DeviceRealTiles::enqueue(Queue &queue, const DeviceBatch &batch, std::span<const TileTerms> terms,
                              std::size_t first) const {
    RealTilesArgs args{};
    if (terms.size() > kMaxTileSums) throw invalid("more sums of tiles than fit a launch");
    std::copy(terms.begin(), terms.end(), args.terms);
    args.count = static_cast<int>(terms.size());
    args.tiles_across = across_;
    args.tiles = static_cast<u64>(across_) * static_cast<u64>(down_);
    args.sums = batch.results_of(words_);
    args.sums.first += first * args.tiles;
    launch(queue, kernel_, {blocks_, static_cast<unsigned>(down_ * args.count), batch.count}, args);
}

void DeviceRealTiles::collect(const DeviceResult &from, FrameResult &result) const {
    const u64 *const words = from.of(words_);
    const std::size_t tiles = static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_);
    result.tiles.resize(tiles * images_.size() * sums_ * 2);
    auto out = result.tiles.begin();
    for (std::size_t tile = 0; tile < tiles; tile++) {
        const std::size_t x = tile % static_cast<std::size_t>(across_), y = tile / static_cast<std::size_t>(across_);
        for (std::size_t image = 0; image < images_.size(); image++) {
            const auto &[columns, rows, place] = images_[image];
            const double samples = double(columns[x + 1] - columns[x]) * double(rows[y + 1] - rows[y]);
            for (std::size_t sum = 0; sum < sums_; sum++) {
                *out++ = static_cast<std::int64_t>(words[(image * sums_ + sum) * tiles + tile]);
                *out++ = std::bit_cast<std::int64_t>(samples);
            }
        }
    }
}

} // namespace vmaf
