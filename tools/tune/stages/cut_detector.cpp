#include "stages/cut_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vmaf::tune {

namespace {

constexpr int kReach = 6;      // pictures of 64 columns: a tenth of the width between them
constexpr float kFlat = 2;     // texture of mere noise
constexpr float kMostGain = 3; // of contrast between pictures
constexpr int kNeighbours = 6;
constexpr std::int64_t kLongestFlash = 5;
constexpr std::int64_t kTooNear = 6; // two boundaries this close are one

// Fades.
constexpr std::int64_t kAnchor = 12;      // pictures between anchors
constexpr float kNothing = 0.12f;         // texture of a faded picture, relative to its surroundings
constexpr float kNoise = 0.4f;            // texture that an empty picture may have
constexpr float kSomething = 1.5f;        // texture of a picture that is not empty
constexpr float kSteady = 0.75f;          // of its neighbour's texture: above it nothing fades
constexpr std::int64_t kLongestFade = 16; // empty pictures, if they end with a cut
constexpr float kUnlike = 0.36f;

// A logistic regression, fitted to films composed of filmed and generated pieces; measured on others
// (bench/shot_accuracy.py). Logarithms of the comments' quantities.
constexpr float kStep = 10.298f;                            // how little the two pictures have in common
constexpr float kStepBefore = 1.187f, kStepAfter = 1.318f;  // relative to the pictures before, and after
constexpr float kRestless = 2.2f;                           // surrounding pictures also have little in common
constexpr float kLastingStep = 3.64f;                       // pictures around it have equally little in common
constexpr float kColour = 0.334f, kLastingColour = -0.555f; // colours change more than around it; and stay changed
constexpr float kWhere = 1.397f, kLastingWhere = 1.108f;    // light and dark areas move; and stay moved
constexpr float kLight = 1.668f, kLastingLight = 4.081f;    // brightness changes; and stays changed
constexpr float kTexture = -1.35f;                          // detail appears or disappears
constexpr float kConstant = -9.703f;
constexpr float kAlike = 0.4f; // a smaller step is never a cut

template <std::size_t N> std::array<float, N> quantiles(std::span<const float> values) {
    std::vector<float> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    std::array<float, N> found;
    for (std::size_t i = 0; i < N; i++) found[i] = sorted[(2 * i + 1) * sorted.size() / (2 * N)];
    return found;
}

template <class A> float mean_distance(const A &a, const A &b) {
    float sum = 0;
    for (std::size_t i = 0; i < a.size(); i++) sum += std::fabs(a[i] - b[i]);
    return sum / float(a.size());
}

std::array<float, CutDetector::kWidth * CutDetector::kHeight> small(const ShotPicture::Plane &plane) {
    std::array<float, CutDetector::kWidth * CutDetector::kHeight> result;
    constexpr int w = CutDetector::kWidth, h = CutDetector::kHeight;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const int x0 = x * plane.width / w, x1 = std::max(x0 + 1, (x + 1) * plane.width / w);
            const int y0 = y * plane.height / h, y1 = std::max(y0 + 1, (y + 1) * plane.height / h);
            int sum = 0;
            for (int j = y0; j < y1; j++)
                for (int i = x0; i < x1; i++)
                    sum += plane.samples[static_cast<std::size_t>(j) * static_cast<std::size_t>(plane.width) +
                                         static_cast<std::size_t>(i)];
            result[static_cast<std::size_t>(y * w + x)] = float(sum) / float((x1 - x0) * (y1 - y0));
        }
    return result;
}

} // namespace

CutDetector::Look CutDetector::look_of(const ShotPicture &picture) {
    Look look;
    look.luma = small(picture.luma);
    look.light = quantiles<32>(look.luma);
    if (!picture.u.samples.empty()) {
        look.u = quantiles<16>(small(picture.u));
        look.v = quantiles<16>(small(picture.v));
    }
    float all = 0;
    for (int row = 0; row < kRows; row++)
        for (int column = 0; column < kColumns; column++) {
            float mean = 0, sum = 0;
            const auto each = [&](auto visit) {
                for (int y = row * kBlock; y < (row + 1) * kBlock; y++)
                    for (int x = column * kBlock; x < (column + 1) * kBlock; x++)
                        visit(look.luma[static_cast<std::size_t>(y * kWidth + x)]);
            };
            each([&](float v) { mean += v / (kBlock * kBlock); });
            each([&](float v) { sum += std::fabs(v - mean); });
            look.texture += sum / (kBlock * kBlock) / (kRows * kColumns);
            look.where[static_cast<std::size_t>(row * kColumns + column)] = mean;
            all += mean / (kRows * kColumns);
        }
    for (float &mean : look.where) mean -= all;
    return look;
}

CutDetector::Change CutDetector::change(const Look &a, const Look &b) {
    return {mean_distance(a.light, b.light), mean_distance(a.u, b.u) + mean_distance(a.v, b.v),
            mean_distance(a.where, b.where)};
}

void CutDetector::add(const ShotPicture &picture) {
    const Look look = look_of(picture);
    const auto number = std::ssize(steps_);
    textures_.push_back(look.texture);
    steps_.push_back(last_.empty() ? 0 : difference(last_.back(), look, kReach));
    changes_.push_back(last_.empty() ? Change{} : change(last_.back(), look));
    if (number % kAnchor == 0) anchors_.push_back(look);
    last_.push_back(look);
    if (std::ssize(last_) > 2 * kLongestFlash + 2) last_.pop_front();
    if (number >= kLongestFlash) // all pictures for comparison are available
        lasting_.push_back(lasting_change(number - kLongestFlash));
}

// Changes that a flash of up to five pictures does not explain.
CutDetector::Change CutDetector::lasting_change(std::int64_t boundary) const {
    constexpr float kMuch = 1000;
    Change least{kMuch, kMuch, kMuch, steps_[static_cast<std::size_t>(boundary)]};
    if (least.step <= kAlike) return least;
    const auto first = std::ssize(steps_) - std::ssize(last_); // number of the oldest kept picture
    constexpr std::array<std::array<std::int64_t, 2>, 10> kPairs = {
        {{0, 3}, {3, 0}, {0, 1}, {1, 0}, {0, 5}, {5, 0}, {1, 2}, {2, 1}, {1, 4}, {4, 1}}};
    float step = kMuch;
    for (std::size_t i = 0; i < kPairs.size(); i++) {
        const std::int64_t a = boundary - 1 - kPairs[i][0] - first, b = boundary + kPairs[i][1] - first;
        if (a < 0 || b >= std::ssize(last_)) continue;
        const Look &before = last_[static_cast<std::size_t>(a)], &after = last_[static_cast<std::size_t>(b)];
        const Change c = change(before, after);
        least.light = std::min(least.light, c.light);
        least.colour = std::min(least.colour, c.colour);
        least.where = std::min(least.where, c.where);
        if (i < 6) step = std::min(step, difference(before, after, 2 * kReach)); // slower
    }
    if (step < kMuch) least.step = step;
    return least;
}

float CutDetector::difference(const Look &first, const Look &second, int reach) {
    // A smooth picture can be made of any other, so the reverse direction decides. In a fade contrast grows gradually.
    const bool is_first_smoother = first.texture <= second.texture;
    const Look &a = is_first_smoother ? first : second, &b = is_first_smoother ? second : first;
    const float gain = std::min(kMostGain, b.texture / std::max(a.texture, 0.5f));
    const auto at = [](const Small &s, int x, int y) { return s[static_cast<std::size_t>(y * kWidth + x)]; };
    const auto mean_of = [&](const Small &s, int x0, int y0) {
        float mean = 0;
        for (int y = y0; y < y0 + kBlock; y++)
            for (int x = x0; x < x0 + kBlock; x++) mean += at(s, x, y);
        return mean / (kBlock * kBlock);
    };
    Small means;
    for (int y = 0; y + kBlock <= kHeight; y++)
        for (int x = 0; x + kBlock <= kWidth; x++)
            means[static_cast<std::size_t>(y * kWidth + x)] = mean_of(a.luma, x, y);
    double sum = 0;
    for (int by = 0; by < kRows * kBlock; by += kBlock)
        for (int bx = 0; bx < kColumns * kBlock; bx += kBlock) {
            const float mean_b = mean_of(b.luma, bx, by);
            float best = std::numeric_limits<float>::max();
            for (int y0 = std::max(0, by - reach); y0 <= std::min(by + reach, kHeight - kBlock); y0++)
                for (int x0 = std::max(0, bx - reach); x0 <= std::min(bx + reach, kWidth - kBlock); x0++) {
                    const float mean_a = at(means, x0, y0);
                    float distance = 0;
                    for (int y = 0; y < kBlock && distance < best; y++)
                        for (int x = 0; x < kBlock; x++)
                            distance += std::fabs(gain * (at(a.luma, x0 + x, y0 + y) - mean_a) -
                                                  (at(b.luma, bx + x, by + y) - mean_b));
                    best = std::min(best, distance);
                }
            sum += best / (kBlock * kBlock);
        }
    return static_cast<float>(sum / (kRows * kColumns) / (b.texture + kFlat));
}

// Above 0: more likely a cut.
float CutDetector::cut_score(std::int64_t boundary) const {
    const auto count = std::ssize(steps_);
    const auto at = [](const auto &list, std::int64_t i) { return list[static_cast<std::size_t>(i)]; };
    // The typical value at boundaries from `from` to `to`.
    const auto usual = [&](std::int64_t from, std::int64_t to, auto value) {
        std::vector<float> values;
        for (std::int64_t n = std::max<std::int64_t>(1, from); n <= std::min(to, count - 1); n++)
            values.push_back(value(n));
        if (values.empty()) return 0.0f;
        const auto middle = values.begin() + std::ssize(values) / 2;
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    const auto before = [&](auto value) { return usual(boundary - kNeighbours, boundary - 1, value); };
    const auto after = [&](auto value) { return usual(boundary + 1, boundary + kNeighbours, value); };
    const auto around = [&](auto value) { return std::max(before(value), after(value)); };
    const auto step = [&](std::int64_t n) { return at(steps_, n); };
    if (step(boundary) <= kAlike) return -1;
    const auto light = [&](std::int64_t n) { return at(changes_, n).light; };
    const auto colour = [&](std::int64_t n) { return at(changes_, n).colour; };
    const auto where = [&](std::int64_t n) { return at(changes_, n).where; };
    const auto log_step = [](float x) { return std::log(x + 0.05f); };
    const auto log1 = [](float x) { return std::log(x + 1); };
    const Change lasting = boundary < std::ssize(lasting_) ? at(lasting_, boundary) : lasting_change(boundary);
    const float here = log_step(step(boundary));
    float score = kConstant + kStep * here + kLastingStep * std::min(log_step(lasting.step) - here, 0.3f);
    score += kStepBefore * (here - log_step(before(step))) + kStepAfter * (here - log_step(after(step)));
    score += kRestless * log_step(around(step));
    score += kColour * (log1(colour(boundary)) - log1(around(colour)));
    score += kLastingColour * std::min(log1(lasting.colour) - log1(colour(boundary)), 0.3f);
    score +=
        kWhere * (log1(where(boundary)) - log1(around(where))) + kLastingWhere * std::min(log1(lasting.where), 3.0f);
    score += kLight * std::min(log1(light(boundary)) - log1(around(light)), 2.0f);
    score += kLastingLight * std::min(log1(lasting.light), 2.5f);
    score += kTexture * std::fabs(log1(at(textures_, boundary)) - log1(at(textures_, boundary - 1)));
    return score;
}

std::vector<std::int64_t> CutDetector::hard_cuts() const {
    const auto size = [&](std::int64_t boundary) {
        const Change &c = changes_[static_cast<std::size_t>(boundary)];
        return c.light + c.colour + c.where;
    };
    std::vector<std::int64_t> found;
    for (std::int64_t n = 1; n < std::ssize(steps_); n++) {
        if (cut_score(n) <= 0) continue;
        std::int64_t i = n; // in a smooth shot its first pictures look unusual too
        for (std::int64_t k = std::max<std::int64_t>(1, n - 3); k < n; k++)
            if (size(k) > size(i)) i = k;
        const bool is_same = !found.empty() && i - found.back() < kTooNear;
        if (!is_same)
            found.push_back(i);
        else if (size(i) > size(found.back()))
            found.back() = i;
    }
    return found;
}

// Pictures without texture between two that have texture and nothing in common.
void CutDetector::add_fades(std::vector<std::int64_t> &found) const {
    const auto count = std::ssize(textures_);
    const auto texture = [&](std::int64_t n) { return textures_[static_cast<std::size_t>(n)]; };
    const auto most = [&](std::int64_t from, std::int64_t to) { // texture of pictures from..to-1
        return *std::max_element(textures_.begin() + std::max<std::int64_t>(0, from),
                                 textures_.begin() + std::min(count, to));
    };
    for (std::int64_t i = 2; i + 2 < count; i++) {
        const float least = std::min(most(i - 4 * kAnchor, i), most(i + 1, i + 4 * kAnchor));
        if (least < kSomething) continue;
        const auto is_empty = [&](std::int64_t n) { return texture(n) < std::max(kNoise, kNothing * least); };
        if (!is_empty(i) || is_empty(i - 1)) continue;
        std::int64_t end = i; // of the empty pictures
        while (end < count && is_empty(end)) end++;
        if (end + 1 >= count) continue;
        // A sudden start and end means a flash, or a smooth shot between two others.
        const bool is_out_sudden = texture(i - 1) > kSteady * texture(i - 2),
                   is_in_sudden = texture(end) > kSteady * texture(end + 1);
        if (is_out_sudden && is_in_sudden) continue;
        const auto is_sudden_cut = [&](std::int64_t cut) { // from full texture to none, or back
            const bool is_out = cut > 1 && texture(cut - 1) > kSteady * texture(cut - 2);
            const bool is_in = cut + 1 < count && texture(cut) > kSteady * texture(cut + 1);
            return (is_out && cut > i - kTooNear && cut <= i + 1 && texture(cut) < 0.5f * texture(cut - 1)) ||
                   (is_in && cut >= end - 1 && cut < end + kTooNear && texture(cut - 1) < 0.5f * texture(cut));
        };
        if (std::ranges::any_of(found, is_sudden_cut)) continue; // that is the boundary
        // The anchors closest to the full pictures on both sides.
        const auto anchor = [&](std::int64_t n) {
            const std::int64_t number = std::clamp<std::int64_t>(n / kAnchor, 0, std::ssize(anchors_) - 1);
            return anchors_[static_cast<std::size_t>(number)];
        };
        if (difference(anchor(std::max<std::int64_t>(0, i - 2 * kAnchor)),
                       anchor(std::min(count - 1, end + 2 * kAnchor)), 2 * kReach) <= kUnlike)
            continue;
        // One boundary, even if it looked like a cut to or from nothing; unless that is a separate shot.
        const auto is_part = [&](std::int64_t cut) { return cut > i - kTooNear && cut < end + kTooNear; };
        if (end - i > kLongestFade && std::ranges::any_of(found, is_part)) continue;
        std::erase_if(found, is_part);
        found.push_back((i + end) / 2);
    }
}

std::vector<std::int64_t> CutDetector::cuts() const {
    std::vector<std::int64_t> found = hard_cuts();
    add_fades(found);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace vmaf::tune
