#include "stages/alignment_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/thread_group.hpp"
#include "stages/score_plan.hpp"
#include "system/descriptor.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

constexpr unsigned kWidth = 96, kHeight = 54;
constexpr std::int64_t kMostFrames = 6000; // further into a film the check would take too long
constexpr std::int64_t kStretch = 96;      // frames judged together
constexpr double kLargestSeconds = 2;      // as in vmaf's --align
constexpr std::int64_t kTick = 1'000'000;  // time between frames, for a module that uses nanoseconds

std::vector<LumaSignature> signatures(const Programs &programs, const Source &source, const std::string &filter) {
    const std::string small = "scale=" + std::to_string(kWidth) + ":" + std::to_string(kHeight) +
                              ":flags=area,format=yuv444p,extractplanes=y";
    PipedChild decoder(decode_command(programs, source, {0, kMostFrames}, filter.empty() ? small : filter + "," + small,
                                      "gray", false));
    const Picture picture = Picture::allocate({PixelFormat::yuv400p, 8, kWidth, kHeight});
    std::vector<std::byte> frame(kWidth * kHeight);
    std::vector<LumaSignature> result;
    while (system::read_full(decoder.output(), frame) == frame.size()) {
        for (unsigned y = 0; y < kHeight; y++)
            std::memcpy(picture.data(0) + static_cast<std::ptrdiff_t>(y) * picture.stride_bytes(0),
                        frame.data() + y * kWidth, kWidth);
        result.push_back(luma_signature(picture));
    }
    if (!decoder.wait().ok()) result.clear();
    return result;
}

std::vector<LumaSignature> chosen(const std::vector<LumaSignature> &all, const std::vector<std::int64_t> &order) {
    std::vector<LumaSignature> result;
    for (const std::int64_t number : order) {
        if (number >= std::ssize(all)) break;
        result.push_back(all[static_cast<std::size_t>(number)]);
    }
    return result;
}

AlignmentStretch judge_stretch(const std::vector<LumaSignature> &reference, const std::vector<LumaSignature> &distorted,
                               std::int64_t first, std::int64_t largest) {
    const auto timed = [](const std::vector<LumaSignature> &all, std::int64_t from, std::int64_t to) {
        std::vector<TimedSignature> part;
        for (std::int64_t i = std::max<std::int64_t>(0, from); i < std::min<std::int64_t>(to, std::ssize(all)); i++)
            part.push_back({i * kTick, all[static_cast<std::size_t>(i)]});
        return part;
    };
    const OffsetFound found =
        find_offset(timed(reference, first, first + kStretch),
                    timed(distorted, first - largest, first + kStretch + largest), {largest * kTick, kTick});
    AlignmentStretch stretch{first, found.offset / kTick, found.is_clear, found.pairs >= 6, found.is_same};
    if (!found.is_clear) stretch.offset = 0;
    return stretch;
}

} // namespace

AlignmentReport judge_alignment(const std::vector<LumaSignature> &reference,
                                const std::vector<LumaSignature> &distorted, std::int64_t largest) {
    AlignmentReport report;
    std::vector<AlignmentStretch> told;
    const std::int64_t common = std::min(std::ssize(reference), std::ssize(distorted));
    for (std::int64_t first = 0; first < common; first += kStretch) {
        if (first > 0 && common - first < kStretch / 2) break; // a few frames match anywhere
        const AlignmentStretch stretch = judge_stretch(reference, distorted, first, largest);
        if (stretch.can_tell) told.push_back(stretch);
    }
    LevelFit levels;
    for (std::size_t i = 0; i < std::min(reference.size(), distorted.size()); i += 8)
        levels.add(reference[i], distorted[i]);
    if (const auto line = levels.line()) report.levels = level_change(*line);
    if (told.empty()) return report;
    const auto unlike = std::ranges::count_if(told, [](const AlignmentStretch &s) { return !s.is_same; });
    if (2 * unlike > std::ssize(told)) {
        report.verdict = AlignmentReport::Verdict::different;
        return report;
    }
    report.verdict = AlignmentReport::Verdict::aligned;
    report.offset = told.front().offset;
    if (report.offset != 0) report.verdict = AlignmentReport::Verdict::offset;
    const auto contradicts = [&](const AlignmentStretch &s) {
        // A quiet stretch matches at any offset; only one that clearly matches elsewhere contradicts.
        return s.offset != report.offset && (s.is_clear || report.offset == 0);
    };
    for (std::size_t i = 1; i < told.size(); i++) {
        // Where frames go missing, half of a stretch matches either way: the next one decides.
        const AlignmentStretch &later = told[std::min(i + 1, told.size() - 1)];
        if (!contradicts(told[i]) || !contradicts(later)) continue;
        report.verdict = AlignmentReport::Verdict::drifting;
        report.from = told[i].first;
        report.later_offset = later.offset;
        break;
    }
    return report;
}

AlignmentReport check_alignment(const Programs &programs, const Source &reference, const std::string &reference_filter,
                                const Source &distorted, const FrameOrder *order) {
    std::vector<LumaSignature> a, b;
    try {
        const auto read_distorted = [&] {
            try {
                b = signatures(programs, distorted, "");
            } catch (const Error &) { // the score stage will report it
            }
        };
        ThreadGroup other;
        if (!other.start(read_distorted)) read_distorted();
        try {
            a = signatures(programs, reference, reference_filter);
        } catch (const Error &) {
        }
        other.join();
    } catch (const std::exception &) {
        return {};
    }
    if (order) {
        a = chosen(a, order->reference);
        b = chosen(b, order->distorted);
    }
    const double fps = reference.rate.value() > 0 ? reference.rate.value() : 25;
    return judge_alignment(a, b, std::max<std::int64_t>(1, std::llround(kLargestSeconds * fps)));
}

std::string AlignmentReport::sentence(const std::string &distorted, double fps) const {
    const auto frames = [&](std::int64_t n) {
        std::string text = std::to_string(std::llabs(n)) + (std::llabs(n) == 1 ? " frame" : " frames");
        if (fps > 0) text += " (" + number_text(std::round(double(std::llabs(n)) / fps * 1000) / 1000) + " s)";
        return text;
    };
    switch (verdict) {
    case Verdict::offset:
        return "'" + distorted + "' is " + frames(offset) + (offset > 0 ? " late" : " early") +
               " against the reference";
    case Verdict::drifting:
        return "'" + distorted + "' is in step with the reference at first" +
               (offset ? " (" + frames(offset) + (offset > 0 ? " late)" : " early)") : "") + ", but from about frame " +
               std::to_string(from) + " on it is " + frames(later_offset - offset) +
               (later_offset > offset ? " later: frames were repeated or added" : " earlier: frames are missing");
    case Verdict::different: return "'" + distorted + "' does not show the same pictures as the reference";
    default: return {};
    }
}

} // namespace vmaf::tune
