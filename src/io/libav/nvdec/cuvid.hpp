// NVIDIA's decoder library, loaded at run time: the functions that we use and their types, declared here so that
// building needs no vendor headers.
#pragma once

#include <memory>

#include "system/dynamic_library.hpp"

namespace vmaf::nvdec {

using Result = int; // of CUDA's driver; 0: success
using DecoderHandle = struct OpaqueDecoder *;
using ParserHandle = struct OpaqueParser *;

enum class Codec : int { mpeg2 = 1, h264 = 4, hevc = 8, vp8 = 9, vp9 = 10, av1 = 11 };
enum class Chroma : int { monochrome = 0, yuv420 = 1, yuv422 = 2, yuv444 = 3 };
enum class Layout : int { nv12 = 0, p016 = 1, yuv444 = 2, yuv444_16 = 3 };

struct Rectangle16 {
    short left, top, right, bottom;
};

struct Capabilities {
    Codec codec;
    Chroma chroma;
    unsigned bits_above_8;
    unsigned reserved1[3];
    unsigned char is_supported, engines;
    unsigned short layouts; // one bit each
    unsigned max_width, max_height, max_blocks;
    unsigned short min_width, min_height;
    unsigned char has_histogram, histogram_bits;
    unsigned short histogram_bins;
    unsigned reserved3[10];
};

struct CreateInfo {
    unsigned long width, height, decode_surfaces;
    Codec codec;
    Chroma chroma;
    unsigned long flags, bits_above_8, intra_only, max_width, max_height, reserved1;
    Rectangle16 display_area;
    Layout layout;
    int deinterlace; // 0: weave
    unsigned long target_width, target_height, output_surfaces;
    void *lock;
    Rectangle16 target;
    unsigned long histogram, reserved2[4];
};

struct Format { // of a sequence
    Codec codec;
    unsigned rate_numerator, rate_denominator;
    unsigned char is_progressive, luma_bits_above_8, chroma_bits_above_8, min_decode_surfaces;
    unsigned coded_width, coded_height;
    struct {
        int left, top, right, bottom;
    } display_area;
    Chroma chroma;
    unsigned bitrate;
    int aspect_x, aspect_y;
    unsigned char signal; // bit 3: full range
    unsigned char primaries, transfer, matrix;
    unsigned header_bytes;
};

struct DisplayInfo {
    int picture, is_progressive, is_top_first, repeat;
    long long timestamp;
};

struct PictureParameters; // from the parser, for the decoder

struct ParserParameters {
    Codec codec;
    unsigned max_decode_surfaces, clock_rate, error_threshold, max_display_delay;
    unsigned flags; // bit 0: AV1 in annex B format
    unsigned reserved1[4];
    void *user;
    int (*on_sequence)(void *user, Format *format);           // 0: failed; above 1: the number of decode surfaces
    int (*on_decode)(void *user, PictureParameters *picture); // 0: failed
    int (*on_display)(void *user, DisplayInfo *picture);      // 0: failed
    int (*on_operating_point)(void *user, void *information);
    void *reserved2[6];
    void *extension;
};

struct SourcePacket {
    static constexpr unsigned long kEndOfStream = 1, kHasTimestamp = 2;
    unsigned long flags, bytes;
    const unsigned char *data;
    long long timestamp;
};

struct MapParameters {
    int is_progressive, is_second_field, is_top_first, is_unpaired;
    unsigned reserved_flags, reserved_zero;
    unsigned long long raw_input;
    unsigned raw_input_pitch, raw_input_format;
    unsigned long long raw_output;
    unsigned raw_output_pitch, reserved1;
    void *stream;
    unsigned reserved[46];
    unsigned long long *histogram;
    void *reserved2[1];
};

struct Status {
    static constexpr int kError = 8, kConcealed = 9; // 0: unknown, 1: in progress, 2: good
    int status;
    unsigned reserved[31];
    void *reserved2[8];
};

struct Library {
    // Throws Error if it is unavailable.
    static std::shared_ptr<const Library> load();

    Result (*capabilities)(Capabilities *);
    Result (*create_decoder)(DecoderHandle *, CreateInfo *);
    Result (*destroy_decoder)(DecoderHandle);
    Result (*decode)(DecoderHandle, PictureParameters *);
    Result (*status)(DecoderHandle, int picture, Status *);
    Result (*map)(DecoderHandle, int picture, unsigned long long *at, unsigned *pitch, MapParameters *);
    Result (*unmap)(DecoderHandle, unsigned long long at);
    Result (*create_parser)(ParserHandle *, ParserParameters *);
    Result (*parse)(ParserHandle, SourcePacket *);
    Result (*destroy_parser)(ParserHandle);

  private:
    explicit Library(std::unique_ptr<system::DynamicLibrary> library);
    std::unique_ptr<system::DynamicLibrary> library_;
};

} // namespace vmaf::nvdec
