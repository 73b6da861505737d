// Whether two clips show the same pictures at the same times, judged by luma thumbnails: constant offsets, different
// content, different levels. Independent of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "picture/picture.hpp"

namespace vmaf {

// Means of blocks in a coarse grid over the luma plane.
struct LumaSignature {
    static constexpr int kColumns = 32, kRows = 18;
    static constexpr std::size_t kBlocks = std::size_t(kColumns) * kRows;
    std::array<float, kBlocks> blocks{}; // in steps of 8-bit samples
    float mean = 0, deviation = 0;
};
LumaSignature luma_signature(const Picture &picture);

// The same in two steps, for pictures elsewhere: sums of the samples of each block, over every kRowStep-th row, then
// the signature.
struct LumaBlockSums {
    static constexpr int kRowStep = 3;                          // enough for a mean
    std::array<std::uint64_t, LumaSignature::kBlocks> blocks{}; // row by row
};
LumaSignature luma_signature(const LumaBlockSums &sums, const PictureFormat &format);

// 0: equal except for brightness and contrast; 1: nothing in common. Empty if a picture is too flat to tell.
std::optional<double> dissimilarity(const LumaSignature &a, const LumaSignature &b);

struct TimedSignature {
    std::int64_t time = 0; // nanoseconds
    LumaSignature signature;
};

struct OffsetSearch {
    std::int64_t largest = 2'000'000'000; // nanoseconds, in both directions
    std::int64_t step = 0;                // the shortest gap between frames
};

struct OffsetFound {
    std::int64_t offset = 0;  // distorted time minus reference time: positive means delayed
    double error = 1;         // mean dissimilarity with the offset
    double error_without = 1; // and without
    unsigned pairs = 0;       // compared with the offset; 0: no comparison was possible
    unsigned pairs_without = 0;
    bool is_clear = false;  // far better than no offset
    bool is_likely = false; // better, but perhaps only due to coarse coding or frozen pictures
    bool is_same = true;    // false: the clips do not match at any offset
};

// Compares the frames of both spans at every offset within the search range. Both must be sorted by time.
OffsetFound find_offset(std::span<const TimedSignature> reference, std::span<const TimedSignature> distorted,
                        const OffsetSearch &search);

// The typical gap between frames; 0 for fewer than two.
std::int64_t usual_gap(std::span<const TimedSignature> frames);

// Checks that two clips are in step, from their latest frames.
class AlignmentWatch {
  public:
    void reference(std::int64_t time, const LumaSignature &signature) { add(reference_, time, signature); }
    void distorted(std::int64_t time, const LumaSignature &signature) { add(distorted_, time, signature); }
    // Uses the last `frames` of each clip.
    OffsetFound check(std::int64_t largest, std::size_t frames = kWindow) const;

    static constexpr std::size_t kWindow = 160;

  private:
    static void add(std::deque<TimedSignature> &window, std::int64_t time, const LumaSignature &signature);

    std::deque<TimedSignature> reference_, distorted_;
};

// Line through the blocks of paired signatures: distorted = gain * reference + lift.
class LevelFit {
  public:
    void add(const LumaSignature &reference, const LumaSignature &distorted);

    struct Line {
        double gain = 1, lift = 0, correlation = 0;
    };
    std::optional<Line> line() const; // empty if there is too little contrast

  private:
    double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
};

// What a line implies about sample ranges.
enum class LevelChange { none, widened, narrowed }; // as by limited to full, by full to limited
LevelChange level_change(const LevelFit::Line &line);

} // namespace vmaf
