// Converts the planes of a stored frame to the planes of a picture: row strides, odd sizes, chroma conversions, depths
// (cli-and-formats.md 10.3, 10.4, 10.6).
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "io/byte_source.hpp"
#include "io/chroma.hpp"
#include "io/crop.hpp"
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

// The layout of a frame in a file: consecutive planes, tightly packed. Chroma sizes are rounded up, unlike those of
// pictures.
struct StoredFrame {
    PictureFormat picture; // the resulting picture, at the file's depth
    ChromaConversion conversion = ChromaConversion::none;
    double frame_rate = 0; // stated by the file; 0 if unknown
    unsigned x = 0, y = 0; // of the picture in the frame

    StoredFrame() = default;
    // Throws Error for sizes and depths that pictures do not support.
    StoredFrame(const PictureFormat &format, ChromaConversion chroma_conversion);

    // Uses only this part of the frames of the clip. Throws Error.
    void crop(const Crop &part, const std::string &clip);

    unsigned plane_count() const { return static_cast<unsigned>(planes_); }
    ChromaSize plane_size(unsigned plane) const { return sizes_[plane]; }
    std::uint64_t row_bytes(unsigned plane) const;
    std::uint64_t plane_bytes(unsigned plane) const;
    std::uint64_t bytes() const; // of all planes

  private:
    std::array<ChromaSize, 4> sizes_{};
    std::size_t planes_ = 0;
};

// Error code: a sample above the bit depth, in a plane whose samples would be shifted.
inline constexpr int kBadSample = ERANGE;

class FrameLoader {
  public:
    // `picture_bits`: depth of the pictures to fill, at least that of the file; samples are shifted left to it.
    // `has_chroma`: if false, reads only luma and skips chroma.
    FrameLoader(const StoredFrame &stored, unsigned picture_bits, bool has_chroma = true);

    // Reads one frame into the picture. False if the source ends early; `got` is then the number of bytes
    // read.
    bool load(ByteSource &source, const Picture &picture, std::uint64_t &got);
    // The same from an offset in a file. Throws Error if it is gone. Both throw Error with kBadSample.
    void load_at(const ByteSource &source, std::uint64_t offset, const Picture &picture);

    // A picture mapped in the file, if everything needed of the frame is stored as in a picture; otherwise an empty
    // one.
    Picture map_at(const ByteSource &source, std::uint64_t offset) const;

  private:
    bool is_laid_out_as_picture() const;
    void stage();
    void plan(const Picture &picture);
    void finish(const Picture &picture);
    bool is_converted(unsigned plane) const;
    void plan_rows(unsigned plane, const Picture &picture);
    // Where a plane of the picture begins in the frame.
    std::size_t first_column(unsigned plane) const;
    std::size_t first_row(unsigned plane) const;
    void convert_chroma(unsigned plane);
    void store_plane(unsigned plane, const Picture &picture) const;
    void shift_plane(unsigned plane, const Picture &picture) const;
    static void fill_chroma(const Picture &picture);

    StoredFrame stored_;
    unsigned picture_bits_;
    unsigned planes_;          // that pictures take from the file
    std::uint64_t tail_bytes_; // of later planes
    bool widens_;              // 8-bit samples become 16-bit ones
    std::vector<system::Buffer> parts_;
    std::vector<std::byte> discarded_; // one row; samples without a place in the picture
    // Planes that cannot be read directly into the picture. Created with the first frame, as pages that cost nothing
    // until samples arrive: a header alone can state any size.
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
