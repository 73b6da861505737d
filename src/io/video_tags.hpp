// What a file states about its pictures, however it is read: with FFmpeg's libraries (VideoFacts) or by asking ffprobe
// (Source of vmaf-tune).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace vmaf {

enum class SampleRange { unknown, limited, full };

std::string to_string(SampleRange range);
std::string ffmpeg_name(SampleRange range);              // "tv", "pc"; empty if unknown
SampleRange range_of_ffmpeg_name(std::string_view name); // other names are unknown

struct VideoTags {
    std::string container, codec; // FFmpeg's names here and below
    SampleRange range = SampleRange::unknown;
    std::string matrix, primaries, transfer; // empty if not stated

    // High dynamic range: the transfer function says more than the samples show.
    bool is_pq() const;
    bool is_hlg() const;
};

// How a file asks to show its pictures: mirrored left to right, then rotated clockwise.
struct Orientation {
    int rotation = 0; // 0, 90, 180, 270
    bool is_mirrored = false;
    double odd_angle = 0; // degrees clockwise; not 0: instead of the above
};

// As FFmpeg reads a display matrix. `tolerance`: degrees to a quarter turn that still count as one, at most 1.
Orientation orientation_of(const std::array<double, 9> &matrix, double tolerance);

} // namespace vmaf
