#include "io/black_bars.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "io/preparation.hpp"

namespace vmaf {

namespace {

constexpr unsigned kFramesLookedAt = 24, kEvery = 8; // non-black frames to examine; decodes one in eight
constexpr unsigned kMostFrames = 3000;               // gives up after two minutes of black
constexpr double kShowsSomething = 4;                // codes of 8 bits above black, on average over a picture
constexpr double kFaint = 2;                         // and over a line that may not be black
constexpr double kRinging = 10;                      // encoder artifacts in a bar stay below this,
constexpr double kEdge = 4;                          // and below this part of the next line,
constexpr std::size_t kRingingLines = 16;            // for half a large transform
constexpr std::ptrdiff_t kSmearedLines = 4; // including the first whole one, of an edge that was scaled or deblocked
constexpr double kSameBars = 0.004;         // of a side: four lines of 1080
constexpr double kFewLines = 4;

// Dark lines before the picture starts.
template <class Lines> unsigned dark_lines(Lines first, Lines end) {
    auto edge = std::find_if(first, end, [](double above_black) { return above_black > kFaint; });
    if (edge == end) return 0;
    const auto last = edge + std::min<std::ptrdiff_t>(kRingingLines, end - edge);
    double brightest = *edge;
    for (auto line = edge + 1; line < last && brightest <= kRinging; ++line) {
        if (*line >= kEdge * brightest) edge = line;
        brightest = std::max(brightest, *line);
    }
    const auto behind = [&] { return edge + std::min<std::ptrdiff_t>(kSmearedLines, end - edge); };
    while (edge < last && *edge < *std::max_element(edge, behind()) / 2) ++edge;
    return static_cast<unsigned>(edge - first);
}

template <class Sample>
void add_lines(const Picture &picture, std::vector<std::uint64_t> &rows, std::vector<std::uint64_t> &columns) {
    for (std::size_t y = 0; y < rows.size(); y++) {
        const auto *const row = reinterpret_cast<const Sample *>(picture.data(0) + static_cast<std::ptrdiff_t>(y) *
                                                                                       picture.stride_bytes(0));
        for (std::size_t x = 0; x < columns.size(); x++) {
            rows[y] += row[x];
            columns[x] += row[x];
        }
    }
}

bool is_none(const BlackBars &bars) { return bars.left + bars.right + bars.top + bars.bottom == 0; }

// What remains of a side, as its begin and length. Cuts only whole chroma samples.
std::pair<unsigned, unsigned> between(unsigned before, unsigned after, unsigned side, unsigned step) {
    const unsigned begin = before - before % step;
    const unsigned end = std::min(side, (side - after + step - 1) / step * step);
    return {begin, end - begin};
}

std::optional<Crop> cut(const BlackBars &bars, const VideoFacts &facts) {
    if (bars.left + bars.right >= facts.width || bars.top + bars.bottom >= facts.height) return std::nullopt;
    const auto [x, width] = between(bars.left, bars.right, facts.width, columns_of_chroma(facts.chroma));
    const auto [y, height] = between(bars.top, bars.bottom, facts.height, rows_of_chroma(facts.chroma));
    if (width == facts.width && height == facts.height) return std::nullopt;
    return Crop{width, height, x, y};
}

// Adjusts two bars to leave `wanted` of a side, if that is close: whatever an encoder did to the edge, the picture
// between the bars is the other clip's. Bars are usually equal. If they would end inside a chroma sample, they stay
// unchanged and are refused later.
void fit(unsigned &before, unsigned &after, unsigned side, double wanted, unsigned step) {
    const unsigned rounded = static_cast<unsigned>(std::lround(wanted / step)) * step;
    const double found = static_cast<double>(side) - before - after;
    const bool is_odd = found == wanted && before % step != 0;
    if (before + after == 0 || is_odd || rounded > side || (side - rounded) % step != 0 ||
        std::abs(found - wanted) > std::max(kFewLines, kSameBars * side))
        return;
    const unsigned total = side - rounded, other = total - std::min(total, after);
    before = std::clamp(total / 2, std::min(before, other), std::max(before, other)) / step * step;
    before = std::min(before, total);
    after = total - before;
}

// The bars of a clip whose picture is the other clip's whole picture.
void fit(BlackBars &bars, const VideoFacts &facts, const VideoFacts &other) {
    const double squeeze = facts.sample_aspect.value() / other.sample_aspect.value();
    const bool has_columns = bars.left + bars.right != 0, has_rows = bars.top + bars.bottom != 0;
    double width = other.width, height = other.height; // with bars on all sides: only if nothing was scaled
    if (!has_rows) width *= static_cast<double>(facts.height) / other.height / squeeze;
    if (!has_columns) height *= static_cast<double>(facts.width) / other.width * squeeze;
    fit(bars.left, bars.right, facts.width, width, columns_of_chroma(facts.chroma));
    fit(bars.top, bars.bottom, facts.height, height, rows_of_chroma(facts.chroma));
}

bool is_same(unsigned x, unsigned side, unsigned y, unsigned other_side) {
    return std::abs(static_cast<double>(x) / side - static_cast<double>(y) / other_side) <= kSameBars;
}

} // namespace

BarFinder::BarFinder(const PictureFormat &format, SampleRange range)
    : scale_(1u << (format.bits - 8)), rows_(format.height), columns_(format.width) {
    black_ = range == SampleRange::full ? 0 : 16 * scale_;
}

bool BarFinder::look_at(const Picture &picture) {
    std::vector<std::uint64_t> rows(rows_.size()), columns(columns_.size());
    if (picture.format().bytes_per_sample() == 1)
        add_lines<std::uint8_t>(picture, rows, columns);
    else
        add_lines<std::uint16_t>(picture, rows, columns);
    const auto above_black = [&](std::uint64_t sum, std::size_t samples) {
        return (static_cast<double>(sum) / static_cast<double>(samples) - black_) / scale_;
    };
    const std::uint64_t sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
    if (above_black(sum, rows.size() * columns.size()) < kShowsSomething) return false;
    for (std::size_t y = 0; y < rows.size(); y++) rows_[y] = std::max(rows_[y], above_black(rows[y], columns.size()));
    for (std::size_t x = 0; x < columns.size(); x++)
        columns_[x] = std::max(columns_[x], above_black(columns[x], rows.size()));
    return true;
}

BlackBars BarFinder::bars() const {
    return {dark_lines(columns_.begin(), columns_.end()), dark_lines(columns_.rbegin(), columns_.rend()),
            dark_lines(rows_.begin(), rows_.end()), dark_lines(rows_.rbegin(), rows_.rend())};
}

BlackBars find_bars(const PictureFormat &format, SampleRange range, const NextPicture &next) {
    const Picture picture = Picture::allocate(format);
    BarFinder finder(format, range);
    unsigned seen = 0;
    for (unsigned frame = 0; frame < kMostFrames && seen < kFramesLookedAt; frame++) {
        const bool is_examined = frame % kEvery == 0;
        try {
            if (!next(is_examined ? &picture : nullptr)) break;
        } catch (const Error &) {
            break; // damage is reported when this frame is scored
        }
        if (is_examined) seen += finder.look_at(picture);
    }
    return finder.bars();
}

std::pair<BlackBars, VideoFacts> find_bars(const VideoRequest &request) {
    VideoRequest plain = request;
    plain.hwaccel = "none";
    plain.may_stay_on_device = plain.may_be_uploaded = false;
    plain.crop.reset();
    const auto file = open_video(plain);
    const VideoFacts facts = file->facts();
    const Preparation plan = prepare_pair(facts, facts, {});
    file->set_output(plan.reference);
    const auto next = [&](const Picture *picture) {
        if (!file->next()) return false;
        if (picture) file->store(*picture);
        return true;
    };
    return {find_bars(plan.picture, facts.is_rgb ? SampleRange::limited : facts.range, next), facts};
}

std::pair<BlackBars, VideoFacts> find_bars(ClipReader &clip) {
    VideoFacts facts;
    facts.width = clip.format().width;
    facts.height = clip.format().height;
    facts.chroma = clip.format().pixel_format;
    PictureFormat luma = clip.format();
    luma.pixel_format = PixelFormat::yuv400p;
    clip.set_pictures(luma.bits, false);
    const auto next = [&](const Picture *picture) { return picture ? clip.read(*picture) : clip.skip(); };
    return {find_bars(luma, facts.range, next), facts};
}

BarCuts cuts_for(const std::pair<BlackBars, VideoFacts> &reference, const std::pair<BlackBars, VideoFacts> &distorted) {
    auto [a, of_a] = reference;
    auto [b, of_b] = distorted;
    if (is_same(a.left, of_a.width, b.left, of_b.width) && is_same(a.right, of_a.width, b.right, of_b.width))
        a.left = a.right = b.left = b.right = 0;
    if (is_same(a.top, of_a.height, b.top, of_b.height) && is_same(a.bottom, of_a.height, b.bottom, of_b.height))
        a.top = a.bottom = b.top = b.bottom = 0;
    if (is_none(b)) fit(a, of_a, of_b);
    if (is_none(a)) fit(b, of_b, of_a);
    return {cut(a, of_a), cut(b, of_b)};
}

} // namespace vmaf
