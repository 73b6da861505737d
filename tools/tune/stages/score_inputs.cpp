#include "stages/score_inputs.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "stages/direct_inputs.hpp"
#include "stages/frame_feed.hpp"
#include "stages/scratch_file.hpp"
#include "stages/source_check.hpp"

namespace vmaf::tune {

namespace {

constexpr int kReferenceNumber = 10, kDistortedNumber = 11;

// The two decodes of a pair.
struct Decodes {
    Arguments reference, distorted;
};
Decodes decodes_of(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                   const ScoreSettings &settings, const std::string &reference_output,
                   const std::string &distorted_output) {
    Window ref_window = pair.reference_window, dist_window = pair.distorted_window;
    if (settings.dist_delay > 0) ref_window.start += settings.dist_delay;
    if (settings.dist_delay < 0) dist_window.start -= settings.dist_delay;
    return {decode_command(programs, *pair.reference, ref_window, trimmed(pair.skip_reference, plan.reference_filter),
                           plan.reference_format, settings.drop_film_grain && settings.drop_reference_grain,
                           reference_output),
            decode_command(programs, *pair.distorted, dist_window, trimmed(pair.skip_distorted, plan.distorted_filter),
                           plan.distorted_format, settings.drop_film_grain, distorted_output)};
}

// Decoders write to pipes that the scorer reads; a reference decoded earlier comes from memory.
class PipedInputs final : public ScoreInputs {
  public:
    PipedInputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings)
        : settings_(settings) {
        const Decodes decodes = decodes_of(programs, pair, plan, settings, "-", "-");
        const std::string key = shell_quoted(decodes.reference);
        const std::size_t frame_bytes = plan.frame_bytes();
        if (settings.references) memory_ = settings.references->find(key);
        if (!memory_) reference_.emplace(decodes.reference);
        distorted_.emplace(decodes.distorted);

        FrameFeed::Request request{memory_ ? memory_->open() : reference_->take_output(), frame_bytes,
                                   pair.reference_order, nullptr};
        if (settings.references && !memory_) {
            const std::int64_t frames = pair.expected_frames > 0 ? pair.expected_frames : pair.reference->frame_count();
            request.keep = settings.references->begin(
                key, static_cast<std::uint64_t>(std::max<std::int64_t>(0, frames)) * frame_bytes);
        }
        if (request.keep || !request.order.empty()) {
            reference_feed_.emplace(std::move(request));
            reference_end_ = reference_feed_->take_output();
        } else {
            reference_end_ = std::move(request.from);
        }
        Descriptor distorted_pipe = distorted_->take_output();
        if (!pair.distorted_order.empty()) {
            distorted_feed_.emplace(
                FrameFeed::Request{std::move(distorted_pipe), frame_bytes, pair.distorted_order, nullptr});
            distorted_end_ = distorted_feed_->take_output();
        } else {
            distorted_end_ = std::move(distorted_pipe);
        }
        arguments_ = {"--reference", "/dev/fd/" + std::to_string(kReferenceNumber), "--distorted",
                      "/dev/fd/" + std::to_string(kDistortedNumber)};
        append(arguments_, raw_geometry(plan));
    }

    std::vector<std::pair<int, int>> inherited() const override {
        return {{reference_end_.get(), kReferenceNumber}, {distorted_end_.get(), kDistortedNumber}};
    }

    Outcome finish(bool has_given_up) override {
        if (has_given_up) { // a hanging decoder would never end
            if (reference_) reference_->kill();
            distorted_->kill();
        }
        reference_end_.reset(); // a writer that continues gets a broken pipe
        distorted_end_.reset();
        if (reference_feed_) reference_feed_->wait();
        if (distorted_feed_) distorted_feed_->wait();
        Outcome outcome;
        if (reference_) {
            const ChildResult end = reference_->wait();
            outcome = decode_outcome(end, true);
            if (outcome.ok()) outcome = damage_outcome(end, true, settings_.allow_damaged, remarks_);
            if (reference_feed_ && end.ok() && outcome.ok()) reference_feed_->keep_frames();
        }
        const ChildResult end = distorted_->wait();
        if (outcome.ok()) outcome = decode_outcome(end, false);
        if (outcome.ok()) damage_outcome(end, false, settings_.allow_damaged, remarks_);
        return outcome;
    }

  private:
    const ScoreSettings &settings_;
    std::shared_ptr<const MemoryFile> memory_;
    std::optional<PipedChild> reference_, distorted_;
    std::optional<FrameFeed> reference_feed_, distorted_feed_; // they end before the decoders
    Descriptor reference_end_, distorted_end_;
};

// Decodes both to files first.
class FileInputs final : public ScoreInputs {
  public:
    FileInputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings)
        : stem_(next_stem(settings.work_folder)) {
        const Decodes decodes = decodes_of(programs, pair, plan, settings, reference_.path(), distorted_.path());
        RunOptions options;
        options.timeout = settings.timeout;
        options.progress_marker = processor_time; // decoders are silent
        for (const bool is_reference : {true, false}) {
            const ChildResult end = run_child(is_reference ? decodes.reference : decodes.distorted, options);
            outcome_ = decode_outcome(end, is_reference);
            if (outcome_.ok()) outcome_ = damage_outcome(end, is_reference, settings.allow_damaged, remarks_);
            if (!outcome_.ok()) break;
        }
        arguments_ = {"--reference", reference_.path(), "--distorted", distorted_.path()};
        append(arguments_, raw_geometry(plan));
    }
    Outcome finish(bool) override { return outcome_; }

  private:
    static std::string next_stem(const std::string &folder) {
        static std::atomic<unsigned> counter{0};
        return folder + "/decoded-" + std::to_string(counter++);
    }
    const std::string stem_;
    const ScratchFile reference_{stem_ + "-reference.yuv"}, distorted_{stem_ + "-distorted.yuv"};
    Outcome outcome_;
};

} // namespace

Arguments raw_geometry(const ScorePlan &plan) {
    return {"--width",        std::to_string(plan.size.width),    "--height",   std::to_string(plan.size.height),
            "--pixel_format", std::to_string(plan.layout.chroma), "--bitdepth", std::to_string(plan.layout.bits)};
}

std::unique_ptr<ScoreInputs> make_score_inputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                                               const ScoreSettings &settings) {
    switch (settings.transport) {
    case ScoreTransport::automatic:
    case ScoreTransport::direct: return make_direct_inputs(programs, pair, plan, settings);
    case ScoreTransport::pipe: return std::make_unique<PipedInputs>(programs, pair, plan, settings);
    case ScoreTransport::file: break;
    }
    if (!pair.reference_order.empty() || !pair.distorted_order.empty())
        throw invalid("frames that are paired by time need --score-transport pipe");
    return std::make_unique<FileInputs>(programs, pair, plan, settings);
}

} // namespace vmaf::tune
