// Pictures that come plane by plane as surfaces (backends.md 13.4), until they are scored. Nothing here is Metal's own.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "picture/pool.hpp"

namespace vmaf::metal {

// One component of a plane in a caller's memory. Two chroma components may share a plane, and samples of 9 to 15 bits
// may lie in the upper bits of their words.
struct SurfacePlane {
    const std::byte *data = nullptr;
    std::size_t pitch = 0;          // bytes
    unsigned width = 0, height = 0; // samples of a component
    unsigned components = 1, component = 0;
    unsigned bytes_per_sample = 1, shift = 0;
};

class ImportedPictures {
  public:
    // memory: where the pictures lie.
    explicit ImportedPictures(PictureMemory memory) : memory_(std::move(memory)) {}

    // Copies a plane of picture `index`, which has width x height samples of luma. The size of a chroma plane decides
    // between the formats. Throws Error(EINVAL) where it does not fit the planes that came before.
    void add(unsigned index, bool is_ref, unsigned plane, unsigned bits, unsigned width, unsigned height,
             const SurfacePlane &from);
    // The pair, when all three planes of both pictures have come; else throws Error(EINVAL).
    std::pair<Picture, Picture> take(unsigned index);

  private:
    // Planes wait in memory of their own until the format is known from a chroma plane.
    struct Waiting {
        unsigned bits = 0, width = 0, height = 0, planes = 0;
        PixelFormat pixel_format = PixelFormat::unknown;
        Picture picture;
        std::vector<std::byte> luma;
    };
    static void copy(const SurfacePlane &from, std::byte *to, std::size_t pitch, unsigned width, unsigned height);

    PictureMemory memory_;
    std::mutex mutex_;
    std::map<unsigned, std::pair<Waiting, Waiting>> waiting_;
    std::unique_ptr<PicturePool> pool_;
};

} // namespace vmaf::metal
