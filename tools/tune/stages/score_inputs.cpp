#include "stages/score_inputs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "io/y4m_header.hpp"
#include "stages/frame_feed.hpp"
#include "stages/scratch_file.hpp"

namespace vmaf::tune {

namespace {

constexpr int kReferenceNumber = 10, kDistortedNumber = 11;

Arguments geometry(const ScorePlan &plan) {
    return {"--width",        std::to_string(plan.size.width),    "--height",   std::to_string(plan.size.height),
            "--pixel_format", std::to_string(plan.layout.chroma), "--bitdepth", std::to_string(plan.layout.bits)};
}

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

Outcome decode_outcome(const ChildResult &end, bool is_reference) {
    // A decoder whose output is no longer read is not at fault.
    if (end.code == 0 || end.code == 141 || end.error_tail.find("Broken pipe") != std::string::npos) return {};
    return {is_reference ? OutcomeKind::reference_undecodable : OutcomeKind::encode_undecodable,
            explain_failure(is_reference ? "decoding the reference" : "decoding the encode", end.code, end.error_tail),
            "", end.error_tail};
}

// Errors in a stream that decoders conceal; empty: none.
std::string stream_damage(const std::string &messages) {
    std::istringstream lines(messages);
    std::string first;
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view kSigns[] = {"rror while decoding",
                                               "orrupt",
                                               "nvalid data found",
                                               "Invalid NAL",
                                               "decode_slice_header error",
                                               "rror submitting",
                                               "no frame!",
                                               "Failed to decode",
                                               "runcat",
                                               "cabac decode",
                                               "overread",
                                               "damaged at",
                                               "bitstream error",
                                               "error decoding"};
        if (line.find("Broken pipe") != std::string::npos) continue; // the reader has gone
        if (std::none_of(std::begin(kSigns), std::end(kSigns),
                         [&](std::string_view sign) { return line.find(sign) != std::string::npos; }))
            continue;
        if (count++ == 0) first = line.substr(line.starts_with("[") ? std::min(line.find("] ") + 2, line.size()) : 0);
    }
    return count == 0 ? "" : "\"" + first + "\"" + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "");
}

// Scores against concealed pictures are meaningless: refuses a damaged reference unless allowed.
Outcome damage_outcome(const ChildResult &end, bool is_reference, const ScoreSettings &settings,
                       std::vector<std::string> &remarks) {
    const std::string damage = stream_damage(end.error_tail);
    if (damage.empty()) return {};
    const std::string sentence =
        std::string("the ") + (is_reference ? "source" : "distorted video") + " is damaged; its decoder says " + damage;
    if (is_reference && !settings.allow_damaged)
        return {OutcomeKind::reference_undecodable,
                sentence + "; repair it, or use --allow-damaged, and do not trust the scores", "", end.error_tail};
    remarks.push_back(sentence + (is_reference ? "; scores of damaged pictures are meaningless" : ""));
    return {};
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
        append(arguments_, geometry(plan));
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
            if (outcome.ok()) outcome = damage_outcome(end, true, settings_, remarks_);
            if (reference_feed_ && end.ok() && outcome.ok()) reference_feed_->keep_frames();
        }
        const ChildResult end = distorted_->wait();
        if (outcome.ok()) outcome = decode_outcome(end, false);
        if (outcome.ok()) damage_outcome(end, false, settings_, remarks_);
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
            if (outcome_.ok()) outcome_ = damage_outcome(end, is_reference, settings, remarks_);
            if (!outcome_.ok()) break;
        }
        arguments_ = {"--reference", reference_.path(), "--distorted", distorted_.path()};
        append(arguments_, geometry(plan));
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

// YUV4MPEG2 whose chroma the scorer would resample; other transports pass it unchanged.
bool is_resampled_on_reading(const Source &source) {
    system::fs::ifstream file(source.path, std::ios::binary);
    std::string header;
    std::getline(file, header);
    const ChromaConversion conversion = parse_y4m_header(header, "'" + source.path + "'").conversion;
    return conversion == ChromaConversion::move_right || conversion == ChromaConversion::paldv;
}

bool is_known_to_gpu(const std::string &codec) {
    return codec == "h264" || codec == "hevc" || codec == "av1" || codec == "vp9";
}

// The scorer opens both files itself.
class DirectInputs final : public ScoreInputs {
  public:
    DirectInputs(const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings) {
        const Source &ref = *pair.reference, &dist = *pair.distorted;
        const auto refuse = [](const std::string &why) {
            throw invalid("--score-transport direct passes both files unchanged, and " + why +
                          "; use --score-transport pipe");
        };
        // The scoring GPU also decodes; other files would be decoded differently than with other transports.
        const bool decodes = settings.backend == "cuda" && settings.scorer == Scorer::library;
        for (const Source *source : {&ref, &dist})
            if (source->kind == Source::Kind::container) {
                if (!decodes)
                    refuse("'" + source->path +
                           "' is neither YUV4MPEG2 nor raw video (compressed files: with --score-backend cuda, which "
                           "decodes on the same GPU)");
                if (!is_known_to_gpu(source->codec)) refuse("the GPU does not decode " + source->codec);
                if (source->codec == "av1" && settings.drop_film_grain)
                    refuse("the GPU's decoder adds film grain (--film-grain keep)");
                if (!pair.reference_window.full() || !pair.distorted_window.full() || settings.dist_delay != 0)
                    refuse("only parts of compressed files are to be compared");
            }
        if (ref.kind != dist.kind) refuse("they are of different kinds: raw video, YUV4MPEG2 or compressed");
        if (plan.converts) refuse("they would have to be converted or scaled");
        if (!pair.reference_order.empty() || !pair.distorted_order.empty())
            refuse("frames have to be left out or repeated");
        for (const Source *source : {&ref, &dist})
            if (source->kind == Source::Kind::y4m && is_resampled_on_reading(*source))
                refuse("the chroma of '" + source->path + "' would be resampled on reading");
        arguments_ = {"--reference", ref.path, "--distorted", dist.path};
        if (ref.kind == Source::Kind::raw) append(arguments_, geometry(plan));
        // Frames are paired by number, as stored; problems of the pair were checked earlier.
        if (ref.kind == Source::Kind::container) {
            append(arguments_, {"--hwaccel", "cuda", "--pair", "index", "--align", "none", "--mismatch", "warn",
                                "--range", "ignore"});
            remarks_.push_back("both files were decoded on the GPU that scored them (NVDEC)");
        }
        const auto skipped = [](const Source &source, const Window &window, std::int64_t skip, double delay) {
            return skip + std::llround((window.start + std::max(0.0, delay)) * source.rate.value());
        };
        const std::int64_t skip_ref = skipped(ref, pair.reference_window, pair.skip_reference, settings.dist_delay);
        const std::int64_t skip_dist = skipped(dist, pair.distorted_window, pair.skip_distorted, -settings.dist_delay);
        if (skip_ref > 0) append(arguments_, {"--frame_skip_ref", std::to_string(skip_ref)});
        if (skip_dist > 0) append(arguments_, {"--frame_skip_dist", std::to_string(skip_dist)});
        if (!pair.reference_window.full())
            append(arguments_, {"--frame_cnt", std::to_string(pair.reference_window.frames)});
    }
};

} // namespace

std::unique_ptr<ScoreInputs> make_score_inputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                                               const ScoreSettings &settings) {
    if (settings.transport == ScoreTransport::direct) return std::make_unique<DirectInputs>(pair, plan, settings);
    if (settings.transport == ScoreTransport::file) {
        if (!pair.reference_order.empty() || !pair.distorted_order.empty())
            throw invalid("frames that are paired by time need --score-transport pipe");
        return std::make_unique<FileInputs>(programs, pair, plan, settings);
    }
    return std::make_unique<PipedInputs>(programs, pair, plan, settings);
}

} // namespace vmaf::tune
