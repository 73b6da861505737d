// From the planes of a frame as they lie in a file to the planes of a picture: row strides, odd sizes, chroma
// conversions, depths (cli-and-formats.md 10.3, 10.4, 10.6).
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "io/byte_source.hpp"
#include "io/chroma.hpp"
#include "picture/picture.hpp"
#include "picture/sample_range.hpp"

namespace vmaf {

enum class ChromaConversion {
    none,
    move_right,  // YUV4MPEG2 "422"
    paldv,       // "420paldv"
    from_411,    // to 4:2:2
    fill_grey,   // "mono": 4:2:0 with empty chroma
    drop_fourth, // "444alpha"
};

// How a frame lies in a file: one plane after another, tightly packed. Chroma sizes are rounded up, other than those
// of pictures.
struct StoredFrame {
    PictureFormat picture; // what is made of it, at the file's own depth
    ChromaConversion conversion = ChromaConversion::none;
    double frame_rate = 0; // as the file says; 0 where it does not

    StoredFrame() = default;
    // Throws Error for sizes and depths that pictures cannot have.
    StoredFrame(const PictureFormat &format, ChromaConversion chroma_conversion);

    unsigned plane_count() const { return static_cast<unsigned>(planes_); }
    ChromaSize plane_size(unsigned plane) const { return sizes_[plane]; }
    std::uint64_t row_bytes(unsigned plane) const;
    std::uint64_t plane_bytes(unsigned plane) const;
    std::uint64_t bytes() const; // of all planes

  private:
    std::array<ChromaSize, 4> sizes_{};
    std::size_t planes_ = 0;
};

// Of an Error: a sample above the depth, in a plane whose samples would be shifted.
inline constexpr int kBadSample = ERANGE;

class FrameLoader {
  public:
    // `picture_bits`: depth of the pictures to fill, at least that of the file; samples are shifted left to it.
    // `has_chroma`: otherwise only luma is read, and chroma passed over.
    FrameLoader(const StoredFrame &stored, unsigned picture_bits, bool has_chroma = true);

    // Reads one frame into the picture. False if the source ends before its last byte; `got` then says how many bytes
    // there were.
    bool load(ByteSource &source, const Picture &picture, std::uint64_t &got);
    // The same from a place in a file. Throws Error where it is no longer there. Both throw Error with kBadSample.
    void load_at(const ByteSource &source, std::uint64_t offset, const Picture &picture);

    // The frame as a picture that needs no memory of its own: where it lies in the file, if all that is wanted of it
    // lies there as in a picture. Else an empty one.
    Picture map_at(const ByteSource &source, std::uint64_t offset) const;

  private:
    bool is_laid_out_as_picture() const;
    void stage();
    void plan(const Picture &picture);
    void finish(const Picture &picture);
    bool is_converted(unsigned plane) const;
    void plan_rows(unsigned plane, const Picture &picture);
    void convert_chroma(unsigned plane);
    void store_plane(unsigned plane, const Picture &picture) const;
    void shift_plane(unsigned plane, const Picture &picture) const;
    static void fill_chroma(const Picture &picture);

    StoredFrame stored_;
    unsigned picture_bits_;
    unsigned planes_;          // that pictures get from the file
    std::uint64_t tail_bytes_; // of the planes after those
    bool widens_;              // 8-bit samples go to 16-bit ones
    std::vector<system::Part> parts_;
    std::vector<std::byte> discarded_; // one row; samples that no picture has
    // Planes that are not read straight into the picture. Made with the first frame, as pages that cost nothing until
    // samples arrive in them: a header alone can state any size.
    struct Staging {
        std::array<AlignedArray<std::byte>, 3> planes;
        AlignedArray<std::uint8_t> scratch; // between the passes of a conversion
        Staging() = default;
        Staging(const Staging &) {} // each loader has its own
        Staging(Staging &&) = default;
        Staging &operator=(Staging &&) = default;
    };
    Staging staging_;
    std::array<int, 3> staged_width_{}; // after conversion; 0: the plane is not staged
};

} // namespace vmaf
