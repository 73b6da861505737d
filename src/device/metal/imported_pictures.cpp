#include "device/metal/imported_pictures.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace vmaf::metal {

namespace {

constexpr unsigned kAllPlanes = 7;
constexpr std::size_t kMostWaiting = 64; // incomplete pairs

// The format with chroma planes of this size.
PixelFormat format_with_chroma(unsigned width, unsigned height, unsigned chroma_width, unsigned chroma_height) {
    // Surfaces with odd sizes round chroma up; our pictures round down.
    const bool is_halved_across = chroma_width == width / 2 || chroma_width == (width + 1) / 2;
    const bool is_halved_down = chroma_height == height / 2 || chroma_height == (height + 1) / 2;
    if (is_halved_across && is_halved_down) return PixelFormat::yuv420p;
    if (is_halved_across && chroma_height == height) return PixelFormat::yuv422p;
    if (chroma_width == width && chroma_height == height) return PixelFormat::yuv444p;
    throw invalid("surface: chroma planes of " + std::to_string(chroma_width) + "x" + std::to_string(chroma_height) +
                  " fit no format of a picture of " + std::to_string(width) + "x" + std::to_string(height));
}

template <class Sample>
void copy_samples(const SurfacePlane &from, std::byte *to, std::size_t pitch, unsigned width, unsigned height) {
    for (unsigned y = 0; y < height; y++) {
        const std::byte *source = from.data + y * from.pitch + from.component * sizeof(Sample);
        std::byte *target = to + y * pitch;
        if (from.components == 1 && from.shift == 0) {
            std::memcpy(target, source, width * sizeof(Sample));
            continue;
        }
        for (unsigned x = 0; x < width; x++) {
            Sample sample;
            std::memcpy(&sample, source + std::size_t{x} * from.components * sizeof(Sample), sizeof sample);
            sample = static_cast<Sample>(sample >> from.shift);
            std::memcpy(target + x * sizeof(Sample), &sample, sizeof sample);
        }
    }
}

} // namespace

void ImportedPictures::copy(const SurfacePlane &from, std::byte *to, std::size_t pitch, unsigned width,
                            unsigned height) {
    if (from.bytes_per_sample == 1)
        copy_samples<std::uint8_t>(from, to, pitch, width, height);
    else
        copy_samples<std::uint16_t>(from, to, pitch, width, height);
}

void ImportedPictures::add(unsigned index, bool is_ref, unsigned plane, unsigned bits, unsigned width, unsigned height,
                           const SurfacePlane &from) {
    if (plane > 2) throw invalid("surface: planes are 0, 1 and 2");
    const PictureFormat luma{PixelFormat::yuv400p, bits, width, height};
    check_format(luma);
    if (luma.bytes_per_sample() != from.bytes_per_sample)
        throw invalid("surface: its samples have " + std::to_string(from.bytes_per_sample) + " bytes, " +
                      std::to_string(bits) + " bits need " + std::to_string(luma.bytes_per_sample()));
    if (plane == 0 && (from.width < width || from.height < height))
        throw invalid("surface: its luma plane is smaller than the picture");
    const PixelFormat pixel_format =
        plane == 0 ? PixelFormat::unknown : format_with_chroma(width, height, from.width, from.height);

    const std::lock_guard lock(mutex_);
    if (!waiting_.contains(index) && waiting_.size() >= kMostWaiting)
        throw invalid("surface: " + std::to_string(kMostWaiting) +
                      " pictures were imported and not read (vmaf_metal_read_imported_pictures)");
    auto &[ref, dist] = waiting_[index];
    Waiting &w = is_ref ? ref : dist;
    if (w.planes && (w.bits != bits || w.width != width || w.height != height ||
                     (plane && w.pixel_format != PixelFormat::unknown && w.pixel_format != pixel_format)))
        throw invalid("surface: this plane does not fit those that were imported before it for picture " +
                      std::to_string(index));
    w.bits = bits;
    w.width = width;
    w.height = height;
    const std::size_t luma_pitch = std::size_t{width} * from.bytes_per_sample;
    if (plane && !w.picture) {
        w.pixel_format = pixel_format;
        const PictureFormat format{pixel_format, bits, width, height};
        if (!pool_ || pool_->format() != format) pool_ = std::make_unique<PicturePool>(format, 2, memory_);
        w.picture = pool_->fetch_or_add();
        for (unsigned y = 0; y < height && !w.luma.empty(); y++)
            std::memcpy(w.picture.data(0) + std::ptrdiff_t{y} * w.picture.stride_bytes(0),
                        w.luma.data() + y * luma_pitch, luma_pitch);
        w.luma.clear();
    }
    if (w.picture)
        copy(from, w.picture.data(plane), static_cast<std::size_t>(w.picture.stride_bytes(plane)),
             w.picture.format().plane_width(plane), w.picture.format().plane_height(plane));
    else {
        w.luma.resize(luma_pitch * height);
        copy(from, w.luma.data(), luma_pitch, width, height);
    }
    w.planes |= 1u << plane;
}

std::pair<Picture, Picture> ImportedPictures::take(unsigned index) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(index);
    if (found == waiting_.end() || found->second.first.planes != kAllPlanes ||
        found->second.second.planes != kAllPlanes)
        throw invalid("picture " + std::to_string(index) +
                      ": all three planes of both pictures must be imported first");
    std::pair<Picture, Picture> pair{found->second.first.picture, found->second.second.picture};
    waiting_.erase(found);
    return pair;
}

} // namespace vmaf::metal
