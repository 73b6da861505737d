#include "io/black_bars.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/preparation.hpp"

namespace vmaf {

namespace {

constexpr unsigned kFramesLookedAt = 24, kEvery = 8;        // one frame of eight: about eight seconds
constexpr unsigned kBlackLimited = 16 + 8, kBlackFull = 10; // of 8 bits; encoders leave some noise in bars
constexpr unsigned kLitShare = 64;                          // a line with more than 1/64 of brighter samples is lit
constexpr double kSameBars = 0.004;                         // of a side: four lines of 1080

unsigned even(std::size_t count) { return static_cast<unsigned>(count & ~std::size_t{1}); }

// Dark lines before the first and after the last lit one.
std::pair<unsigned, unsigned> dark_ends(const std::vector<bool> &is_lit) {
    const auto first = std::find(is_lit.begin(), is_lit.end(), true);
    if (first == is_lit.end()) return {0, 0};
    const auto last = std::find(is_lit.rbegin(), is_lit.rend(), true);
    return {even(static_cast<std::size_t>(first - is_lit.begin())),
            even(static_cast<std::size_t>(last - is_lit.rbegin()))};
}

template <class Sample>
void mark_lit(const Picture &picture, unsigned black, std::vector<bool> &rows, std::vector<bool> &columns) {
    std::vector<unsigned> lit_in_column(columns.size());
    for (std::size_t y = 0; y < rows.size(); y++) {
        const auto *const row = reinterpret_cast<const Sample *>(picture.data(0) + static_cast<std::ptrdiff_t>(y) *
                                                                                       picture.stride_bytes(0));
        unsigned lit = 0;
        for (std::size_t x = 0; x < columns.size(); x++) {
            const bool is_lit = row[x] > black;
            lit += is_lit;
            lit_in_column[x] += is_lit;
        }
        if (lit > columns.size() / kLitShare) rows[y] = true;
    }
    for (std::size_t x = 0; x < columns.size(); x++)
        if (lit_in_column[x] > rows.size() / kLitShare) columns[x] = true;
}

std::optional<Crop> cut(const BlackBars &bars, const VideoFacts &facts) {
    if (bars.left + bars.right + bars.top + bars.bottom == 0) return std::nullopt;
    return Crop{facts.width - bars.left - bars.right, facts.height - bars.top - bars.bottom, bars.left, bars.top};
}

} // namespace

BarFinder::BarFinder(const PictureFormat &format, SampleRange range)
    : black_((range == SampleRange::full ? kBlackFull : kBlackLimited) << (format.bits - 8)),
      row_is_lit_(format.height), column_is_lit_(format.width) {}

void BarFinder::look_at(const Picture &picture) {
    if (picture.format().bytes_per_sample() == 1)
        mark_lit<std::uint8_t>(picture, black_, row_is_lit_, column_is_lit_);
    else
        mark_lit<std::uint16_t>(picture, black_, row_is_lit_, column_is_lit_);
}

BlackBars BarFinder::bars() const {
    const auto [left, right] = dark_ends(column_is_lit_);
    const auto [top, bottom] = dark_ends(row_is_lit_);
    return {left, right, top, bottom};
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
    const Picture picture = Picture::allocate(plan.picture);
    BarFinder finder(plan.picture, facts.is_rgb ? SampleRange::limited : facts.range);
    for (unsigned frame = 0; frame < kFramesLookedAt * kEvery && file->next(); frame++) {
        if (frame % kEvery != 0) continue;
        file->store(picture);
        finder.look_at(picture);
    }
    return {finder.bars(), facts};
}

BarCuts cuts_for(const std::pair<BlackBars, VideoFacts> &reference, const std::pair<BlackBars, VideoFacts> &distorted) {
    const auto &[a, of_a] = reference;
    const auto &[b, of_b] = distorted;
    const auto is_same = [](unsigned x, unsigned width, unsigned y, unsigned other_width) {
        return std::abs(static_cast<double>(x) / width - static_cast<double>(y) / other_width) <= kSameBars;
    };
    if (is_same(a.left, of_a.width, b.left, of_b.width) && is_same(a.right, of_a.width, b.right, of_b.width) &&
        is_same(a.top, of_a.height, b.top, of_b.height) && is_same(a.bottom, of_a.height, b.bottom, of_b.height))
        return {};
    return {cut(a, of_a), cut(b, of_b)};
}

} // namespace vmaf
