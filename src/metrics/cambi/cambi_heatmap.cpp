#include "metrics/cambi/cambi_heatmap.hpp"

#include <string>

#include "base/error.hpp"

namespace vmaf::cambi {

namespace {

double heatmap_gain(const Setup &setup) {
    const int window = setup.encoded.window;
    const int top = kWeights[std::size_t(setup.steps)] * window * window / 4;
    return top > 0 ? 65535.0 / top : 0.0; // C is 0 only for one-pixel windows, where every c is 0
}

} // namespace

HeatmapFiles::HeatmapFiles(const Setup &setup) : gain_(heatmap_gain(setup)) {
    const std::string &folder = setup.heatmaps_path;
    // Names start at the encode's size even with the speed-up, whose maps are one size smaller.
    int width = setup.encoded.width, height = setup.encoded.height;
    try {
        system::make_folders(folder);
        for (int scale = 0; scale < kScales; scale++) {
            files_.emplace_back(folder + "/cambi_heatmap_scale_" + std::to_string(scale) + "_" + std::to_string(width) +
                                "x" + std::to_string(height) + "_16b.gray");
            width = (width + 1) >> 1;
            height = (height + 1) >> 1;
        }
    } catch (const Error &e) {
        throw invalid(std::string("feature 'cambi': heat maps: ") + e.what() +
                      "; give a heatmaps_path that can be written to");
    }
}

void HeatmapFiles::write(unsigned frame, int scale, std::span<const float> c_values,
                         std::span<std::uint16_t> pixels) const {
    // Values above C wrap, as in section 11.
    for (std::size_t i = 0; i < c_values.size(); i++) pixels[i] = std::uint16_t(int(gain_ * double(c_values[i])));
    write(frame, scale, pixels.first(c_values.size()));
}

void HeatmapFiles::write(unsigned frame, int scale, std::span<const std::uint16_t> pixels) const {
    const auto bytes = std::as_bytes(pixels);
    try {
        files_[std::size_t(scale)].write_at(std::uint64_t(frame) * bytes.size(), bytes);
    } catch (const Error &e) {
        throw Error(EIO, std::string("feature 'cambi': heat maps: ") + e.what());
    }
}

} // namespace vmaf::cambi
