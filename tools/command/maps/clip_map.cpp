// A map as a YUV4MPEG2 clip: its colours over the dimmed distorted picture.
#include <algorithm>
#include <cmath>

#include "maps/map_files.hpp"

namespace vmaf::cli {

namespace {

constexpr double kMostCover = 0.85; // the worst colour's share

// A colour in limited-range BT.709, and how much of the picture it covers.
struct Paint {
    int y, u, v, cover; // cover: 0 to 256

    explicit Paint(double badness) {
        const Rgb rgb = heat_colour(badness);
        const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
        const double luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        y = int(std::lround(16 + 219 * luma));
        u = int(std::lround(128 + 224 * (b - luma) / 1.8556));
        v = int(std::lround(128 + 224 * (r - luma) / 1.5748));
        cover = int(std::lround(256 * kMostCover * std::sqrt(badness)));
    }
};

class ClipMap final : public MapFile {
  public:
    explicit ClipMap(const MapTarget &target)
        : MapFile(target.path), range_(target.range), width_(int(target.width)), height_(int(target.height)) {
        const long rate = std::lround(target.frame_rate * 1000);
        file_.append("YUV4MPEG2 W" + std::to_string(width_) + " H" + std::to_string(height_) + " F" +
                     (rate > 0 ? std::to_string(rate) + ":1000" : std::string("25:1")) + " Ip A1:1 C420jpeg\n");
    }

    void add(const CellFrame &frame, const std::vector<double> &cells, const std::vector<std::uint8_t> &luma) override {
        const CellLayout &layout = frame.layout;
        const int chroma_width = (width_ + 1) / 2, chroma_height = (height_ + 1) / 2;
        const std::size_t samples = std::size_t(width_) * std::size_t(height_);
        const std::size_t chroma = std::size_t(chroma_width) * std::size_t(chroma_height);
        image_.assign(samples + 2 * chroma, '\x80');
        for (std::size_t cell = 0; cell < cells.size(); cell++) {
            const Paint paint(range_.badness(cells[cell]));
            const std::size_t column = cell % std::size_t(layout.columns()), row = cell / std::size_t(layout.columns());
            const int left = layout.x[column], right = layout.x[column + 1];
            for (int y = layout.y[row]; y < layout.y[row + 1]; y++) {
                const std::size_t line = std::size_t(y) * std::size_t(width_);
                for (int x = left; x < right; x++) {
                    const std::size_t at = line + std::size_t(x);
                    const int dimmed = 16 + (luma.empty() ? 0 : std::max(luma[at] - 16, 0) / 2);
                    image_[at] = char(mixed(dimmed, paint.y, paint.cover));
                }
            }
            for (int y = layout.y[row] / 2; y < (layout.y[row + 1] + 1) / 2; y++)
                for (int x = left / 2; x < (right + 1) / 2; x++) {
                    const std::size_t at = samples + std::size_t(y) * std::size_t(chroma_width) + std::size_t(x);
                    image_[at] = char(mixed(128, paint.u, paint.cover));
                    image_[at + chroma] = char(mixed(128, paint.v, paint.cover));
                }
        }
        file_.append("FRAME\n");
        file_.append(image_);
    }

  private:
    static int mixed(int below, int above, int cover) { return (below * (256 - cover) + above * cover + 128) >> 8; }

    ScoreRange range_;
    int width_, height_;
    std::string image_;
};

} // namespace

std::unique_ptr<MapFile> make_clip_map(const MapTarget &target) { return std::make_unique<ClipMap>(target); }

} // namespace vmaf::cli
