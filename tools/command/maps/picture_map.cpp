// The mean of a map over time, as a PNG in picture size.

#include "base/error.hpp"
#include "maps/map_files.hpp"

#if HAVE_LIBPNG
#include <algorithm>
#include <cmath>
#include <png.h>
#endif

namespace vmaf::cli {

#if HAVE_LIBPNG

namespace {

class PictureMap final : public MapFile {
  public:
    explicit PictureMap(const MapTarget &target) : MapFile(target.path), target_(target) {}

    void add(const CellFrame &frame, const std::vector<double> &cells, const std::vector<std::uint8_t> &) override {
        layout_ = frame.layout;
        sums_.resize(cells.size());
        counts_.resize(cells.size());
        for (std::size_t i = 0; i < cells.size(); i++) {
            if (std::isnan(cells[i])) continue;
            sums_[i] += cells[i];
            counts_[i]++;
        }
    }

    void finish() override {
        file_.append(encoded(pixels()));
        MapFile::finish();
    }

  private:
    std::vector<std::uint8_t> pixels() const {
        std::vector<std::uint8_t> image(std::size_t(target_.width) * target_.height * 3);
        for (std::size_t cell = 0; cell < sums_.size(); cell++) {
            const Rgb colour = heat_colour(target_.range.badness(sums_[cell] / counts_[cell]));
            const std::size_t column = cell % std::size_t(layout_.columns()),
                              row = cell / std::size_t(layout_.columns());
            for (int y = layout_.y[row]; y < layout_.y[row + 1]; y++)
                for (int x = layout_.x[column]; x < layout_.x[column + 1]; x++)
                    std::copy(colour.begin(), colour.end(),
                              image.begin() + 3 * (std::ptrdiff_t(y) * std::ptrdiff_t(target_.width) + x));
        }
        return image;
    }

    std::string encoded(const std::vector<std::uint8_t> &image) const {
        png_image header{};
        header.version = PNG_IMAGE_VERSION;
        header.width = target_.width;
        header.height = target_.height;
        header.format = PNG_FORMAT_RGB;
        png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
        std::string bytes(size, '\0');
        if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, image.data(), 0, nullptr))
            throw Error(EIO, std::string("cannot encode the map as PNG: ") + header.message);
        bytes.resize(size);
        return bytes;
    }

    MapTarget target_;
    CellLayout layout_;
    std::vector<double> sums_, counts_;
};

} // namespace

std::unique_ptr<MapFile> make_picture_map(const MapTarget &target) { return std::make_unique<PictureMap>(target); }

#else

std::unique_ptr<MapFile> make_picture_map(const MapTarget &target) {
    throw invalid("this build has no libpng, so '" + target.path + "' cannot be written; use .npy, .csv or .y4m");
}

#endif

} // namespace vmaf::cli
