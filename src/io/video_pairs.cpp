#include "io/video_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/thread_group.hpp"
#include "io/black_bars.hpp"
#include "system/input_file.hpp"

namespace vmaf {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLargestOffset = 2 * kSecond;
// For Align::find: enough to compare 2.5 s of frames at the largest offset.
constexpr std::int64_t kSearchedTime = kLargestOffset + 5 * kSecond / 2;
constexpr std::size_t kSearchedFrames = 400;
constexpr std::uint64_t kFirstJudgement = 16, kLaterJudgements = 64, kFewPairs = 6;
constexpr std::size_t kRecentFrames = 40;
constexpr double kRetimed = 1.0005; // ratio of rates: 24 and 23.976 differ by 0.1 %

std::string plural(std::uint64_t count, const char *what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string seconds_text(std::int64_t nanoseconds) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.3f s", static_cast<double>(nanoseconds) / kSecond);
    return text.data();
}

std::string rate_text(const Fraction &rate) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.6g", rate.value());
    return text.data();
}

// Frames per second; all times fit this rate if the file has a constant rate with gaps.
Fraction nominal_rate(const VideoFacts &f) {
    const double base = f.base_rate.value(), average = f.average_rate.value();
    return base > 0 && (average <= 0 || base < 2.5 * average) ? f.base_rate : f.average_rate;
}

bool is_constant_rate(const VideoFacts &f) {
    const double base = f.base_rate.value(), average = f.average_rate.value();
    return base > 0 && average > 0 && std::abs(base / average - 1) < 0.02;
}

} // namespace

bool can_be_read_twice(const std::string &path) { return path != "-" && system::is_regular_file(path); }

void check_can_be_read_twice(const std::string &path, const char *option) {
    if (can_be_read_twice(path)) return;
    throw invalid(std::string(option) + " reads the clips twice, which " +
                  (path == "-" ? "standard input" : "'" + path + "', a pipe or device,") +
                  " does not allow; give files");
}

VideoPairs::VideoPairs(const VideoPairsRequest &request)
    : request_(request), pairer_(request.missing), next_judgement_(kFirstJudgement) {
    for (const std::string *path : {&request_.reference.path, &request_.distorted.path})
        if (can_be_read_twice(*path)) watched_files_.push_back(ByteSource::open(*path));
    if (can_be_read_twice(request_.reference.path)) reference_version_ = watched_files_.front().version();
    if (request_.finds_bars) cut_bars();
    open_files();
    report_.distorted = distorted_file_->facts();
    report_.is_by_index = request.is_by_index;
    plan_ = prepare_pair(report_.reference, report_.distorted, request.preparation);
    report_.scored_as = plan_.picture;
    report_.notes = plan_.notes;
    for (const std::string &sentence : plan_.mismatches) mismatch(sentence);
    for (const std::string &sentence : plan_.warnings) warn(sentence);
    for (const auto &[facts, role] :
         {std::pair{&report_.reference, "reference"}, std::pair{&report_.distorted, "distorted"}}) {
        const VideoRequest &r = facts == &report_.reference ? request_.reference : request_.distorted;
        const std::string clip = std::string("the ") + role + " clip ";
        if (facts->is_cropped) step(crop_step(role, *r.crop, request.finds_bars));
        if (facts->is_interlaced && r.deinterlace) step(clip + "is deinterlaced (bwdif)");
        if (facts->is_interlaced && !r.deinterlace)
            warn(clip + "is interlaced; scores are made for progressive pictures (--deinterlace)");
        if (facts->has_film_grain && r.drop_film_grain) step(clip + "is decoded without its film grain");
        if (facts->video_streams > 1)
            warn(clip + "has " + std::to_string(facts->video_streams) + " video streams; number " +
                 std::to_string(facts->video_stream) + " of them is used");
    }
    for (const std::string &sentence : plan_.steps) step(sentence); // the pictures are cropped by then
    if (reference_file_) reference_file_->set_output(plan_.reference);
    distorted_file_->set_output(plan_.distorted);
    if (!request_.is_by_index) check_rates();
    if (request_.align == Align::fixed) {
        report_.offset = request_.offset_frames * reference_interval();
        step("the distorted clip is taken to be " + offset_text(report_.offset) +
             (report_.offset < 0 ? " early" : " late") + ", as --align asks");
    }
    if (request_.align == Align::find) check_both_can_be_read_twice("--align auto");
}

VideoPairs::~VideoPairs() = default;

void VideoPairs::cut_bars() {
    check_both_can_be_read_twice("--crop auto");
    const BarCuts cuts = cuts_for(find_bars(request_.reference), find_bars(request_.distorted));
    request_.reference.crop = cuts.reference;
    request_.distorted.crop = cuts.distorted;
}

// Opens both at once if that speeds up a start on a GPU. Errors are determined one by one, so that a message certainly
// concerns that file.
void VideoPairs::open_files() {
    if (const auto known = request_.kept ? request_.kept->facts(file_key()) : std::nullopt) {
        report_.reference = *known;
        distorted_file_ = open_video(request_.distorted);
        return;
    }
    if (request_.reference.may_stay_on_device && can_be_read_twice(request_.reference.path) &&
        can_be_read_twice(request_.distorted.path))
        try {
            Later other([&] { return open_video(request_.distorted); });
            auto reference = open_video(request_.reference);
            distorted_file_ = std::move(other.get());
            reference_file_ = std::move(reference);
        } catch (const std::exception &) { // below
        }
    if (!reference_file_) {
        reference_file_ = open_video(request_.reference);
        distorted_file_ = open_video(request_.distorted);
    }
    report_.reference = reference_file_->facts();
}

void VideoPairs::step(const std::string &sentence) {
    report_.steps.push_back(sentence);
    if (request_.say_step) request_.say_step(sentence);
}

void VideoPairs::warn(const std::string &sentence) {
    report_.warnings.push_back(sentence);
    if (request_.say_warning) request_.say_warning(sentence);
}

void VideoPairs::mismatch(const std::string &sentence) {
    if (!request_.is_mismatch_warning) throw Error(kMismatch, sentence + " (--mismatch warn scores them anyway)");
    warn(sentence);
}

std::int64_t VideoPairs::reference_interval() const {
    const double rate = nominal_rate(report_.reference).value();
    if (request_.is_by_index || rate <= 0) return kIndexInterval;
    return std::llround(std::clamp(kSecond / rate, 1.0, 10.0 * kSecond));
}

std::string VideoPairs::offset_text(std::int64_t offset) const {
    const std::int64_t interval = reference_interval();
    const auto frames =
        static_cast<std::uint64_t>(std::llround(std::abs(static_cast<double>(offset)) / static_cast<double>(interval)));
    const std::string text = plural(frames, "frame");
    return request_.is_by_index ? text : text + " (" + seconds_text(std::abs(offset)) + ")";
}

void VideoPairs::check_rates() {
    const Fraction ref = nominal_rate(report_.reference), dist = nominal_rate(report_.distorted);
    for (const auto &[facts, role] :
         {std::pair{&report_.reference, "reference"}, std::pair{&report_.distorted, "distorted"}})
        if (facts->base_rate.value() > 0 && facts->average_rate.value() > 0 && !is_constant_rate(*facts))
            step(std::string("the ") + role + " clip has a variable frame rate; frames are paired by their times");
    if (report_.reference.start != report_.distorted.start)
        step("the reference clip starts at " + seconds_text(report_.reference.start) + ", the distorted clip at " +
             seconds_text(report_.distorted.start) + "; their first frames are paired");
    const auto has_rate = [](const VideoFacts &f) { return f.frames != 1u && is_constant_rate(f); }; // not a still
    if (ref.value() <= 0 || dist.value() <= 0 || !has_rate(report_.reference) || !has_rate(report_.distorted)) return;
    const double ratio = std::max(ref.value(), dist.value()) / std::min(ref.value(), dist.value());
    const std::string rates =
        "the reference clip has " + rate_text(ref) + " frames per second, the distorted clip " + rate_text(dist);
    if (std::abs(ratio / std::round(ratio) - 1) > 0.01)
        mismatch(rates + ": few of their frames are shown at the same time; convert one of them, or pair frames by "
                         "number with --pair index");
    else if (ratio < 1.5 && ratio > kRetimed)
        warn(rates + "; they drift apart. If one of them was retimed, pair frames by number with --pair index");
    else if (ratio > 1.5)
        warn(rates + "; only frames that are shown at the same time are compared" +
             (ref.value() > dist.value() ? " (--missing repeat compares every frame of the reference)" : ""));
}

void VideoPairs::check_both_can_be_read_twice(const char *option) const {
    check_can_be_read_twice(request_.reference.path, option);
    check_can_be_read_twice(request_.distorted.path, option);
}

void VideoPairs::skip(std::uint64_t reference, std::uint64_t distorted) {
    skip_reference_ = reference;
    skip_distorted_ = distorted;
    if (request_.align == Align::find) find_start_offset();
}

void VideoPairs::find_start_offset() {
    const auto scan = [&](const VideoRequest &video, const VideoOutput &output, std::uint64_t skip) {
        const auto file = open_video(video);
        file->set_output(output);
        const Picture picture = Picture::allocate(output.picture);
        std::vector<TimedSignature> list;
        std::optional<std::int64_t> start;
        while (list.size() < kSearchedFrames) {
            const auto time = file->next();
            if (!time) break;
            if (skip > 0) {
                skip--;
                continue;
            }
            if (!start) start = *time;
            if (*time - *start > kSearchedTime) break;
            file->store(picture);
            const auto index = static_cast<std::int64_t>(list.size());
            list.push_back({request_.is_by_index ? index * kIndexInterval : *time - *start, luma_signature(picture)});
        }
        return list;
    };
    Later other([&] { return scan(request_.distorted, plan_.distorted, skip_distorted_); });
    const auto reference = scan(request_.reference, plan_.reference, skip_reference_);
    const auto &distorted = other.get();
    const std::int64_t a = usual_gap(reference), b = usual_gap(distorted);
    const OffsetFound found =
        find_offset(reference, distorted, {kLargestOffset, a && b ? std::min(a, b) : std::max(a, b)});
    if (found.is_likely) {
        // In whole reference frames: the search steps by gaps that containers rounded.
        const auto interval = static_cast<double>(reference_interval());
        report_.offset = std::llround(std::round(static_cast<double>(found.offset) / interval) * interval);
        step("the distorted clip is " + offset_text(report_.offset) + (report_.offset > 0 ? " late" : " early") +
             ", which is corrected (--align auto compared " + plural(found.pairs, "pair") + " of frames)");
    } else {
        step("no offset between the clips was found (--align auto compared " + plural(found.pairs, "pair") +
             " of frames)");
    }
}

bool VideoPairs::pull(VideoClip &clip, std::deque<TimedFrame> &waiting, bool is_reference) {
    auto frame = clip.next();
    if (!frame) return false;
    is_reference ? watch_.reference(frame->time, frame->signature) : watch_.distorted(frame->time, frame->signature);
    waiting.push_back(std::move(*frame));
    return true;
}

std::optional<FramePairs::Pair> VideoPairs::next() {
    using Decision = FramePairer::Decision;
    const auto taken = [](std::deque<TimedFrame> &waiting) {
        TimedFrame frame = std::move(waiting.front());
        waiting.pop_front();
        return frame;
    };
    for (;;) {
        if (!has_told_steps_ && pairer_.is_out_of_step()) {
            has_told_steps_ = true;
            const PairingCounts &c = pairer_.counts();
            mismatch("the frames of the clips are shown at different times: after " + plural(c.pairs, "pair") +
                     " most frames of both have no partner; convert the frame rate of one of them, or pair frames by "
                     "number with --pair index");
        }
        switch (pairer_.next()) {
        case Decision::need_reference:
            if (pull(*reference_, waiting_reference_, true))
                pairer_.reference(waiting_reference_.back().time);
            else
                pairer_.end_reference();
            break;
        case Decision::need_distorted:
            if (pull(*distorted_, waiting_distorted_, false))
                pairer_.distorted(waiting_distorted_.back().time);
            else
                pairer_.end_distorted();
            break;
        case Decision::drop_reference: taken(waiting_reference_); break;
        case Decision::drop_distorted: taken(waiting_distorted_); break;
        case Decision::pair: {
            const TimedFrame ref = taken(waiting_reference_), dist = taken(waiting_distorted_);
            watch(ref, dist);
            if (request_.missing == MissingFrames::repeat) last_distorted_ = dist.picture;
            return Pair{ref.picture, dist.picture, ref.halves};
        }
        case Decision::repeat: {
            const TimedFrame ref = taken(waiting_reference_);
            return Pair{ref.picture, last_distorted_, ref.halves};
        }
        case Decision::end: longer_ = pairer_.longer(); return std::nullopt;
        }
    }
}

// Frames frozen only in the distorted clip are reported, since they lower the score.
void VideoPairs::watch(const TimedFrame &reference, const TimedFrame &distorted) {
    levels_.add(reference.signature, distorted.signature);
    if (before_distorted_ && before_distorted_->blocks == distorted.signature.blocks &&
        before_reference_->blocks != reference.signature.blocks)
        report_.frozen++;
    before_reference_ = reference.signature;
    before_distorted_ = distorted.signature;
    if (pairer_.counts().pairs < next_judgement_) return;
    next_judgement_ += std::min(next_judgement_, kLaterJudgements);
    judge(false);
}

void VideoPairs::judge(bool is_last) {
    judge_offset(is_last);
    judge_levels();
}

void VideoPairs::judge_offset(bool is_last) {
    const OffsetFound all = watch_.check(kLargestOffset);
    // Frames lost recently show only in the latest ones.
    const OffsetFound found = all.is_clear ? all : watch_.check(kLargestOffset, kRecentFrames);
    if (!all.is_same && !has_told_content_) {
        has_told_content_ = true;
        mismatch("the clips do not show the same pictures: no offset of up to 2 s makes their frames alike");
        return;
    }
    if (has_told_offset_) return;
    // A large offset leaves few frames to compare: more frames determine it exactly.
    const bool is_certain = found.is_clear && (is_last || found.pairs * 2 >= found.pairs_without);
    const bool is_guess = !found.is_clear && all.is_likely && is_last && report_.frozen * 8 < pairer_.counts().pairs;
    if (!found.is_clear && !found.is_likely) good_until_ = pairer_.counts().pairs;
    if (!is_certain && !is_guess) return;
    has_told_offset_ = true;
    const auto much = [&](std::int64_t offset) { return offset_text(offset) + (offset > 0 ? " late" : " early"); };
    if (is_guess) {
        warn("the distorted clip may be " + much(all.offset) + "; compare the score with that of --align auto");
        return;
    }
    const std::string lag = "the distorted clip is " + much(found.offset);
    std::string sentence;
    if (good_until_ == 0 && request_.align == Align::check)
        sentence = lag + ": its frames fit others of the reference clip much better; use --align auto to correct that, "
                         "or --align none to score the frames as they are paired";
    else if (good_until_ == 0)
        sentence = lag + " as its frames are paired";
    else
        sentence = "from about frame " + std::to_string(good_until_) + " on " + lag +
                   ": frames are missing or were added without a change of times; scores after that are meaningless";
    if (request_.align == Align::none)
        warn(sentence);
    else
        mismatch(sentence);
}

void VideoPairs::judge_levels() {
    const auto line = levels_.line();
    if (!line || has_told_levels_) return;
    const LevelChange change = level_change(*line);
    if (change == LevelChange::none) return;
    has_told_levels_ = true;
    const RangeChange done = plan_.distorted.range_change;
    if (done != RangeChange::none)
        mismatch("the distorted clip is flagged " + to_string(report_.distorted.range) + " range, the reference clip " +
                 to_string(report_.reference.range) +
                 ", but their samples were alike before the range was converted; a flag is wrong: use --range ignore "
                 "to compare samples as stored");
    else
        warn(std::string("the luma of the distorted clip looks as if it had been converted to ") +
             (change == LevelChange::widened ? "full" : "limited") +
             " range, which its file does not state; scores are " +
             (change == LevelChange::widened ? "higher" : "lower") + " than they should be");
}

void VideoPairs::finish() {
    report_.counts = pairer_.counts();
    if (pairer_.counts().pairs >= kFewPairs) judge(true);
    const PairingCounts &c = pairer_.counts();
    if (c.before_reference && !report_.offset)
        warn("the first " + plural(c.before_reference, "frame") + " of the reference clip have no partner");
    if (c.before_distorted && !report_.offset)
        warn("the first " + plural(c.before_distorted, "frame") + " of the distorted clip have no partner");
    if (c.unpaired_reference)
        warn(plural(c.unpaired_reference, "frame") + " of the reference clip between the first and the last pair " +
             (c.unpaired_reference == 1 ? "has" : "have") + " no partner in the distorted clip and " +
             (c.unpaired_reference == 1 ? "was" : "were") +
             " left out (--missing repeat compares the preceding distorted frame)");
    if (c.repeated)
        warn(plural(c.repeated, "frame") + " of the reference clip had no partner and " +
             (c.repeated == 1 ? "was" : "were") + " compared with the distorted frame before");
    if (c.unpaired_distorted)
        warn(plural(c.unpaired_distorted, "frame") + " of the distorted clip " +
             (c.unpaired_distorted == 1 ? "has" : "have") + " no partner in the reference clip and " +
             (c.unpaired_distorted == 1 ? "was" : "were") + " left out");
    if (report_.frozen)
        warn("the distorted clip is frozen in " + plural(report_.frozen, "frame") +
             " where the reference clip moves; its frames may be duplicates");
}

std::optional<std::uint64_t> VideoPairs::pairs_left() const {
    std::optional<std::uint64_t> count;
    const auto consider = [&](const VideoFacts &f, std::uint64_t skipped) {
        if (!f.frames) return;
        const std::uint64_t left = *f.frames - std::min(*f.frames, skipped);
        count = std::min(count.value_or(left), left);
    };
    consider(report_.reference, skip_reference_);
    consider(report_.distorted, skip_distorted_);
    return count;
}

} // namespace vmaf
