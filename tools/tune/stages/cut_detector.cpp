#include "stages/cut_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vmaf::tune {

namespace {

constexpr int kBlock = 8, kReach = 6;           // pictures of 64 columns: a tenth of the width from one to the next
constexpr float kFlat = 2;                      // texture that noise has
constexpr float kUnlike = 0.55f, kSpike = 1.6f; // beyond all likeness, and more so than the pictures around
constexpr float kLessLike = 0.36f, kHighSpike = 2.6f; // or less so, but far more than the pictures around
constexpr float kBridge = 0.7f;                       // of the step, by which others must be more alike
constexpr std::int64_t kAnchor = 12;                  // pictures between anchors
constexpr float kNothing = 0.12f;                     // texture of a faded picture, as part of what is around it
constexpr int kNeighbours = 6;
constexpr float kMostGain = 3; // of contrast from one picture to the next

} // namespace

CutDetector::CutDetector(int width, int height) : width_(width), height_(height) {}

void CutDetector::add(std::span<const unsigned char> luma) {
    Small small;
    for (int y = 0; y < kHeight; y++)
        for (int x = 0; x < kWidth; x++) {
            const int x0 = x * width_ / kWidth, x1 = std::max(x0 + 1, (x + 1) * width_ / kWidth);
            const int y0 = y * height_ / kHeight, y1 = std::max(y0 + 1, (y + 1) * height_ / kHeight);
            int sum = 0;
            for (int j = y0; j < y1; j++)
                for (int i = x0; i < x1; i++)
                    sum += luma[static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) +
                                static_cast<std::size_t>(i)];
            small.luma[static_cast<std::size_t>(y * kWidth + x)] = float(sum) / float((x1 - x0) * (y1 - y0));
        }
    double texture = 0;
    int blocks = 0;
    for (int by = 0; by + kBlock <= kHeight; by += kBlock)
        for (int bx = 0; bx + kBlock <= kWidth; bx += kBlock, blocks++) {
            float mean = 0, sum = 0;
            const auto each = [&](auto visit) {
                for (int y = by; y < by + kBlock; y++)
                    for (int x = bx; x < bx + kBlock; x++) visit(small.luma[static_cast<std::size_t>(y * kWidth + x)]);
            };
            each([&](float v) { mean += v / (kBlock * kBlock); });
            each([&](float v) { sum += std::fabs(v - mean); });
            texture += sum / (kBlock * kBlock);
        }
    small.texture = static_cast<float>(texture / blocks);
    const auto number = static_cast<std::int64_t>(textures_.size());
    textures_.push_back(small.texture);
    steps_.push_back(last_.empty() ? 0 : difference(last_.back(), small, kReach));
    // What bridges a boundary is only asked where one may be.
    const bool may_be_near = std::any_of(steps_.end() - std::min<std::ptrdiff_t>(3, std::ssize(steps_)), steps_.end(),
                                         [](float d) { return d > kLessLike; });
    spans_.push_back(last_.size() >= 3 && may_be_near ? difference(last_[last_.size() - 3], small, 2 * kReach) : -1);
    if (number % kAnchor == 0) anchors_.push_back(small);
    last_.push_back(small);
    if (last_.size() > 4) last_.pop_front();
}

float CutDetector::difference(const Small &first, const Small &second, int reach) {
    // A smooth picture is made of any other; the other way tells. In a fade contrast grows by and by.
    const bool is_first_smoother = first.texture <= second.texture;
    const Small &a = is_first_smoother ? first : second, &b = is_first_smoother ? second : first;
    const float gain = std::min(kMostGain, b.texture / std::max(a.texture, 0.5f));
    double sum = 0;
    int blocks = 0;
    for (int by = 0; by + kBlock <= kHeight; by += kBlock)
        for (int bx = 0; bx + kBlock <= kWidth; bx += kBlock, blocks++) {
            const auto at = [](const Small &s, int x, int y) {
                return s.luma[static_cast<std::size_t>(y * kWidth + x)];
            };
            const auto mean_of = [&](const Small &s, int x0, int y0) {
                float mean = 0;
                for (int y = y0; y < y0 + kBlock; y++)
                    for (int x = x0; x < x0 + kBlock; x++) mean += at(s, x, y);
                return mean / (kBlock * kBlock);
            };
            const float mean_b = mean_of(b, bx, by);
            float best = std::numeric_limits<float>::max();
            for (int dy = -reach; dy <= reach; dy++)
                for (int dx = -reach; dx <= reach; dx++) {
                    const int x0 = bx + dx, y0 = by + dy;
                    if (x0 < 0 || y0 < 0 || x0 + kBlock > kWidth || y0 + kBlock > kHeight) continue;
                    const float mean_a = mean_of(a, x0, y0);
                    float distance = 0;
                    for (int y = 0; y < kBlock && distance < best; y++)
                        for (int x = 0; x < kBlock; x++)
                            distance +=
                                std::fabs(gain * (at(a, x0 + x, y0 + y) - mean_a) - (at(b, bx + x, by + y) - mean_b));
                    best = std::min(best, distance);
                }
            sum += best / (kBlock * kBlock);
        }
    return static_cast<float>(sum / blocks / (b.texture + kFlat));
}

std::vector<std::int64_t> CutDetector::cuts() const {
    const auto count = std::ssize(steps_);
    const auto at = [](const std::vector<float> &v, std::ptrdiff_t i) { return v[static_cast<std::size_t>(i)]; };
    std::vector<std::int64_t> found;
    for (std::ptrdiff_t i = 1; i < count; i++) {
        if (at(steps_, i) <= kLessLike) continue;
        bool is_bridged = false;
        for (std::ptrdiff_t n = i; n <= std::min(i + 2, count - 1); n++)
            is_bridged = is_bridged || (at(spans_, n) >= 0 && at(spans_, n) < kBridge * at(steps_, i));
        std::vector<float> around;
        for (std::ptrdiff_t n = std::max<std::ptrdiff_t>(1, i - kNeighbours); n <= std::min(i + kNeighbours, count - 1);
             n++)
            if (n != i) around.push_back(at(steps_, n));
        std::nth_element(around.begin(), around.begin() + std::ssize(around) / 2, around.end());
        const float usual = around.empty() ? 0 : around[around.size() / 2];
        const float step = at(steps_, i);
        const bool stands_out = (step > kUnlike && step > kSpike * usual) || step > kHighSpike * usual;
        if (!is_bridged && stands_out) found.push_back(i);
    }
    // Fades: pictures without texture between two that have it and have nothing in common.
    for (std::ptrdiff_t i = 1; i + 1 < count; i++) {
        const std::ptrdiff_t from = std::max<std::ptrdiff_t>(0, i - 4 * kAnchor), to = std::min(count, i + 4 * kAnchor);
        const float before = *std::max_element(textures_.begin() + from, textures_.begin() + i);
        const auto is_empty = [&](std::ptrdiff_t n) { return at(textures_, n) < kNothing * before; };
        if (!is_empty(i) || is_empty(i - 1)) continue;
        std::ptrdiff_t end = i; // of the empty pictures
        while (end < count && is_empty(end)) end++;
        const float after = end < to ? *std::max_element(textures_.begin() + end, textures_.begin() + to) : 0;
        if (end == count || after < 0.5f * before) continue;
        const auto is_end_of_it = [&](std::int64_t cut) { return std::abs(cut - i) <= 1 || std::abs(cut - end) <= 1; };
        if (std::any_of(found.begin(), found.end(), is_end_of_it)) continue; // a smooth shot between two others
        // The anchors nearest to the full pictures on both sides.
        const auto anchor = [&](std::ptrdiff_t n) {
            return anchors_[static_cast<std::size_t>(
                std::clamp<std::ptrdiff_t>(n / kAnchor, 0, std::ssize(anchors_) - 1))];
        };
        if (difference(anchor(std::max<std::ptrdiff_t>(0, i - 2 * kAnchor)),
                       anchor(std::min(count - 1, end + 2 * kAnchor)), 2 * kReach) > kLessLike)
            found.push_back((i + end) / 2);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace vmaf::tune
