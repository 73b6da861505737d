#include "io/alignment.hpp"

#include <algorithm>
#include <cmath>

namespace vmaf {

namespace {

constexpr int kBlocks = LumaSignature::kColumns * LumaSignature::kRows;

// Below the first deviation a picture has no structure to compare; a flat picture counts as different only from one
// with much structure, since noise and the start of a fade have a little.
constexpr float kFlat = 2.0f, kStructured = 8.0f;

// An offset is clear if frames match several times better with it than without, by more than noise.
constexpr double kClearRatio = 3, kLikelyRatio = 1.4, kNoise = 2e-5;
constexpr double kUnalike = 0.6; // mean dissimilarity of unrelated clips
constexpr unsigned kFewPairs = 6;

// Extent of a block along one side of the picture.
struct Span {
    int begin, end;
};
Span block_span(int size, int block, int blocks) {
    const int begin = size * block / blocks;
    return {begin, std::max(size * (block + 1) / blocks, begin + 1)};
}

template <class T> void sum_blocks(const PlaneView<T> &plane, LumaBlockSums &sums) {
    constexpr int columns = LumaSignature::kColumns, rows = LumaSignature::kRows;
    for (int by = 0; by < rows; by++) {
        const Span lines = block_span(plane.height, by, rows);
        for (int y = lines.begin; y < lines.end; y += LumaBlockSums::kRowStep) {
            const T *const row = plane.row(y);
            for (int bx = 0; bx < columns; bx++) {
                const Span across = block_span(plane.width, bx, columns);
                std::uint32_t sum = 0;
                for (int x = across.begin; x < across.end; x++) sum += row[x];
                sums.blocks[by * columns + bx] += sum;
            }
        }
    }
}

} // namespace

LumaSignature luma_signature(const Picture &picture) {
    LumaBlockSums sums;
    if (picture.format().bits > 8)
        sum_blocks(picture.plane<std::uint16_t>(0), sums);
    else
        sum_blocks(picture.plane<std::uint8_t>(0), sums);
    return luma_signature(sums, picture.format());
}

LumaSignature luma_signature(const LumaBlockSums &sums, const PictureFormat &format) {
    constexpr int columns = LumaSignature::kColumns, rows = LumaSignature::kRows;
    LumaSignature signature;
    const double scale = std::ldexp(1.0, 8 - static_cast<int>(format.bits));
    for (int by = 0; by < rows; by++) {
        const Span lines = block_span(static_cast<int>(format.height), by, rows);
        const int used = (lines.end - lines.begin + LumaBlockSums::kRowStep - 1) / LumaBlockSums::kRowStep;
        for (int bx = 0; bx < columns; bx++) {
            const Span across = block_span(static_cast<int>(format.width), bx, columns);
            const int at = by * columns + bx;
            signature.blocks[at] = static_cast<float>(static_cast<double>(sums.blocks[at]) * scale /
                                                      (static_cast<double>(across.end - across.begin) * used));
        }
    }
    double sum = 0, squares = 0;
    for (const float b : signature.blocks) {
        sum += b;
        squares += static_cast<double>(b) * b;
    }
    const double mean = sum / kBlocks;
    signature.mean = static_cast<float>(mean);
    signature.deviation = static_cast<float>(std::sqrt(std::max(0.0, squares / kBlocks - mean * mean)));
    return signature;
}

std::optional<double> dissimilarity(const LumaSignature &a, const LumaSignature &b) {
    if (a.deviation < kFlat || b.deviation < kFlat)
        return std::max(a.deviation, b.deviation) > kStructured ? std::optional(1.0) : std::nullopt;
    constexpr int kLanes = 8; // parallel sums, to fill vector registers
    static_assert(kBlocks % kLanes == 0);
    std::array<float, kLanes> products{};
    for (int i = 0; i < kBlocks; i += kLanes)
        for (int lane = 0; lane < kLanes; lane++)
            products[lane] += (a.blocks[i + lane] - a.mean) * (b.blocks[i + lane] - b.mean);
    double sum = 0;
    for (const float product : products) sum += product;
    const double correlation = sum / kBlocks / (static_cast<double>(a.deviation) * b.deviation);
    return std::clamp(1 - correlation, 0.0, 1.0);
}

namespace {

struct Comparison {
    double sum = 0;
    unsigned pairs = 0;
    double mean() const { return pairs ? sum / pairs : 1; }
};

// Compares frames whose times differ by the offset.
Comparison compare_at(std::span<const TimedSignature> reference, std::span<const TimedSignature> distorted,
                      std::int64_t offset, std::int64_t tolerance) {
    Comparison result;
    std::size_t r = 0, d = 0;
    while (r < reference.size() && d < distorted.size()) {
        const std::int64_t apart = distorted[d].time - (reference[r].time + offset);
        if (std::abs(apart) > tolerance) {
            apart > 0 ? r++ : d++;
            continue;
        }
        if (const auto e = dissimilarity(reference[r].signature, distorted[d].signature)) {
            result.sum += *e;
            result.pairs++;
        }
        r++;
        d++;
    }
    return result;
}

} // namespace

OffsetFound find_offset(std::span<const TimedSignature> reference, std::span<const TimedSignature> distorted,
                        const OffsetSearch &search) {
    OffsetFound found;
    if (search.step <= 0) return found;
    const std::int64_t tolerance = search.step / 3;
    const Comparison plain = compare_at(reference, distorted, 0, tolerance);
    found.error = found.error_without = plain.mean();
    found.pairs = found.pairs_without = plain.pairs;
    if (plain.pairs == 0) return found;
    // Fewer pairs could match by chance.
    const unsigned fewest = std::max(kFewPairs, plain.pairs / 4);
    for (std::int64_t n = 1; n * search.step <= search.largest; n++)
        for (const std::int64_t offset : {n * search.step, -n * search.step}) {
            const Comparison there = compare_at(reference, distorted, offset, tolerance);
            if (there.pairs < fewest || there.mean() >= found.error) continue;
            found.error = there.mean();
            found.offset = offset;
            found.pairs = there.pairs;
        }
    found.is_clear = found.offset != 0 && found.error_without > kClearRatio * found.error + kNoise;
    found.is_likely = found.offset != 0 && found.error_without > kLikelyRatio * found.error + kNoise;
    found.is_same = plain.pairs < kFewPairs || found.error < kUnalike;
    return found;
}

void AlignmentWatch::add(std::deque<TimedSignature> &window, std::int64_t time, const LumaSignature &signature) {
    window.push_back({time, signature});
    if (window.size() > kWindow) window.pop_front();
}

OffsetFound AlignmentWatch::check(std::int64_t largest, std::size_t frames) const {
    const auto last = [&](const std::deque<TimedSignature> &window) {
        const auto count = static_cast<std::ptrdiff_t>(std::min(frames, window.size()));
        return std::vector<TimedSignature>(window.end() - count, window.end());
    };
    const std::vector<TimedSignature> reference = last(reference_), distorted = last(distorted_);
    const std::int64_t a = usual_gap(reference), b = usual_gap(distorted);
    return find_offset(reference, distorted, {largest, a && b ? std::min(a, b) : std::max(a, b)});
}

std::int64_t usual_gap(std::span<const TimedSignature> frames) {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < frames.size(); i++) gaps.push_back(frames[i].time - frames[i - 1].time);
    if (gaps.empty()) return 0;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    // The mean of ordinary gaps, since containers round each of them.
    const std::int64_t longest = *middle + *middle / 2;
    std::int64_t sum = 0, count = 0;
    for (const std::int64_t gap : gaps)
        if (gap <= longest) {
            sum += gap;
            count++;
        }
    return sum / count;
}

void LevelFit::add(const LumaSignature &reference, const LumaSignature &distorted) {
    for (int i = 0; i < kBlocks; i++) {
        const double x = reference.blocks[i], y = distorted.blocks[i];
        x_ += x;
        y_ += y;
        xx_ += x * x;
        xy_ += x * y;
        yy_ += y * y;
    }
    n_ += kBlocks;
}

std::optional<LevelFit::Line> LevelFit::line() const {
    if (n_ == 0) return std::nullopt;
    const double vx = xx_ / n_ - x_ / n_ * (x_ / n_), vy = yy_ / n_ - y_ / n_ * (y_ / n_);
    const double cxy = xy_ / n_ - x_ / n_ * (y_ / n_);
    constexpr double kLeastDeviation = 10;
    if (vx < kLeastDeviation * kLeastDeviation || vy <= 0) return std::nullopt;
    Line line;
    line.gain = cxy / vx;
    line.lift = y_ / n_ - line.gain * x_ / n_;
    line.correlation = cxy / std::sqrt(vx * vy);
    return line;
}

LevelChange level_change(const LevelFit::Line &line) {
    // 255/219 and -16*255/219; 219/255 and 16. Halfway to no change at all counts as that.
    constexpr double kCloseFit = 0.98;
    if (line.correlation < kCloseFit) return LevelChange::none;
    const double wide = std::hypot(line.gain - 255.0 / 219, (line.lift + 16 * 255.0 / 219) / 128);
    const double narrow = std::hypot(line.gain - 219.0 / 255, (line.lift - 16) / 128);
    const double same = std::hypot(line.gain - 1, line.lift / 128);
    if (wide < same && wide < 0.05) return LevelChange::widened;
    if (narrow < same && narrow < 0.05) return LevelChange::narrowed;
    return LevelChange::none;
}

} // namespace vmaf
