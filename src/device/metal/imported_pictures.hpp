// Collects pictures imported plane by plane as surfaces (backends.md 13.4). Not specific to Metal.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "picture/pool.hpp"

namespace vmaf::metal {

// One component of a plane in the caller's memory. Two chroma components may share a plane; samples of 9 to 15 bits may
// use the upper bits of their words.
struct SurfacePlane {
    const std::byte *data = nullptr;
    std::size_t pitch = 0;          // bytes
    unsigned width = 0, height = 0; // samples of a component
    unsigned components = 1, component = 0;
    unsigned bytes_per_sample = 1, shift = 0;
};

class ImportedPictures {
  public:
    // memory: where to allocate pictures.
    explicit ImportedPictures(PictureMemory memory) : memory_(std::move(memory)) {}

    // Copies a plane of picture `index`, whose luma has width x height samples. The chroma size determines the format.
    // Throws Error(EINVAL) if the plane does not fit earlier ones.
    void add(unsigned index, bool is_ref, unsigned plane, unsigned bits, unsigned width, unsigned height,
             const SurfacePlane &from);
    // The pair, once all three planes of both pictures are imported; otherwise throws Error(EINVAL).
    std::pair<Picture, Picture> take(unsigned index);

  private:
    // Planes are kept separately until a chroma plane determines the format.
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
