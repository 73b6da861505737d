#include "stages/direct_inputs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "base/error.hpp"
#include "io/y4m_header.hpp"
#include "stages/source_check.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

using Kind = Source::Kind;

constexpr std::int64_t kMostAhead = 4000; // frames; longer references may not fit, and encodes of them take long anyway

// YUV4MPEG2 whose chroma the scorer would resample; other transports pass it unchanged.
bool is_resampled_on_reading(const Source &source) {
    if (source.kind != Kind::y4m) return false;
    system::fs::ifstream file(source.path, std::ios::binary);
    std::string header;
    std::getline(file, header);
    const ChromaConversion conversion = parse_y4m_header(header, "'" + source.path + "'").conversion;
    return conversion == ChromaConversion::move_right || conversion == ChromaConversion::paldv;
}

// Every decoder gives the same samples of them, and GPUs know most.
bool is_exactly_defined(const std::string &codec) {
    return codec == "h264" || codec == "hevc" || codec == "av1" || codec == "vp9";
}

bool is_av1(const Source &source) { return source.kind == Kind::container && source.codec == "av1"; }

// The scorer's only option for film grain concerns both files.
bool can_treat_grain(const ScorePair &pair, const ScoreSettings &settings) {
    if (!settings.drop_film_grain || settings.drop_reference_grain) return true;
    return !is_av1(*pair.reference) || !is_av1(*pair.distorted);
}

// One stream, with pictures as stored.
bool is_plain(const Source &source) {
    const bool is_file = source.kind == Kind::y4m ||
                         (source.kind == Kind::container && is_exactly_defined(source.codec) && !source.rotation &&
                          !source.is_interlaced() && !source.ffmpeg_crops && source.video_streams == 1);
    return is_file && source.width % 2 == 0 && source.height % 2 == 0 && pixel_layout(source.pix_fmt) &&
           !is_resampled_on_reading(source);
}

// Whether nothing is done to the frames except that samples get more bits, by a shift, as FFmpeg does it with limited
// range.
bool keeps_values(const ScorePair &pair, const ScorePlan &plan) {
    if (!plan.converts) return true;
    if (!plan.reference_filter.empty() || !plan.distorted_filter.empty()) return false;
    const auto is_known_depth = [](int bits) { return bits == 8 || bits == 10 || bits == 12; };
    for (const Source *source : {pair.reference, pair.distorted}) {
        const auto layout = pixel_layout(source->pix_fmt);
        if (!source->shown("").empty() || source->has_full_levels() || !layout || !is_known_depth(layout->bits) ||
            layout->chroma != plan.layout.chroma)
            return false;
    }
    return is_known_depth(plan.layout.bits);
}

// Why the scorer cannot be given both files as requested; empty: it can.
std::string why_not(const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings) {
    const Source &ref = *pair.reference, &dist = *pair.distorted;
    // The scoring GPU also decodes; other files would be decoded differently than with other transports.
    const bool decodes = settings.backend == "cuda" && settings.scorer == Scorer::library;
    for (const Source *source : {&ref, &dist})
        if (source->kind == Kind::container) {
            if (!decodes)
                return "'" + source->path +
                       "' is neither YUV4MPEG2 nor raw video (compressed files: with --score-backend cuda, which "
                       "decodes on the same GPU)";
            if (!is_exactly_defined(source->codec)) return "the GPU does not decode " + source->codec;
            if (source->video_streams - int(source->covers.size()) > 1)
                return "'" + source->path + "' has several video streams";
            if (source->codec == "av1" && settings.drop_film_grain)
                return "the GPU's decoder adds film grain (--film-grain keep)";
            if (!pair.reference_window.full() || !pair.distorted_window.full() || settings.dist_delay != 0)
                return "only parts of compressed files are to be compared";
        }
    if (ref.kind != dist.kind) return "they are of different kinds: raw video, YUV4MPEG2 or compressed";
    if (plan.converts) return "they would have to be converted or scaled";
    if (!pair.reference_order.empty() || !pair.distorted_order.empty()) return "frames have to be left out or repeated";
    for (const Source *source : {&ref, &dist})
        if (is_resampled_on_reading(*source))
            return "the chroma of '" + source->path + "' would be resampled on reading";
    return {};
}

class DirectInputs final : public ScoreInputs {
  public:
    DirectInputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings)
        : programs_(programs), reference_(*pair.reference), settings_(settings) {
        const Source &ref = *pair.reference, &dist = *pair.distorted;
        arguments_ = {"--reference", ref.path, "--distorted", dist.path};
        if (ref.kind == Kind::raw) append(arguments_, raw_geometry(plan));
        if (ref.kind == Kind::container || dist.kind == Kind::container) add_decoding(ref, dist);
        add_window(pair);
        if (ref.kind == Kind::container && settings.checks) settings.checks->begin(programs, ref);
    }

    bool opens_files() const override { return true; }

    Outcome finish(bool has_given_up) override {
        if (has_given_up || reference_.kind != Kind::container || !settings_.checks) return {};
        return settings_.checks->outcome(programs_, reference_, settings_.allow_damaged, remarks_);
    }

  private:
    // Frames are paired by number, as stored; problems of the pair were checked earlier.
    void add_decoding(const Source &ref, const Source &dist) {
        const bool is_asked_for = settings_.transport == ScoreTransport::direct;
        const bool has_grain = is_av1(ref) || is_av1(dist);
        const char *const hardware = is_asked_for                                ? "cuda"
                                     : settings_.backend == "cuda" && !has_grain ? "auto"
                                                                                 : "none";
        append(arguments_, {"--hwaccel", hardware, "--pair", "index", "--align", "none", "--mismatch", "warn",
                            "--range", "ignore"});
        if (has_grain && settings_.drop_film_grain) append(arguments_, {"--film_grain", "drop"});
        if (!is_asked_for) arguments_.push_back("--strict_length");
    }

    void add_window(const ScorePair &pair) {
        const auto skipped = [](const Source &source, const Window &window, std::int64_t skip, double delay) {
            return skip + std::llround((window.start + std::max(0.0, delay)) * source.rate.value());
        };
        const double delay = settings_.dist_delay;
        const std::int64_t skip_ref = skipped(*pair.reference, pair.reference_window, pair.skip_reference, delay);
        const std::int64_t skip_dist = skipped(*pair.distorted, pair.distorted_window, pair.skip_distorted, -delay);
        if (skip_ref > 0) append(arguments_, {"--frame_skip_ref", std::to_string(skip_ref)});
        if (skip_dist > 0) append(arguments_, {"--frame_skip_dist", std::to_string(skip_dist)});
        if (!pair.reference_window.full())
            append(arguments_, {"--frame_cnt", std::to_string(pair.reference_window.frames)});
    }

    const Programs &programs_;
    const Source &reference_;
    const ScoreSettings &settings_;
};

} // namespace

bool may_be_direct(const ScorePair &pair, const ScorePlan &plan, const ScoreSettings &settings) {
    const Source &ref = *pair.reference, &dist = *pair.distorted;
    return settings.backend != "cpu" && settings.scorers && settings.checks && !settings.checks->is_given_up(ref) &&
           is_plain(ref) && is_plain(dist) && dist.kind == Kind::container && keeps_values(pair, plan) &&
           pair.reference_window.full() && pair.distorted_window.full() && pair.reference_order.empty() &&
           pair.distorted_order.empty() && settings.dist_delay == 0 && !settings.allow_damaged &&
           !settings.allow_short && settings.maps.empty() && can_treat_grain(pair, settings);
}

std::unique_ptr<ScoreInputs> make_direct_inputs(const Programs &programs, const ScorePair &pair, const ScorePlan &plan,
                                                const ScoreSettings &settings) {
    const std::string why =
        settings.transport == ScoreTransport::direct ? why_not(pair, plan, settings) : std::string();
    if (!why.empty())
        throw invalid("--score-transport direct passes both files unchanged, and " + why +
                      "; use --score-transport pipe");
    return std::make_unique<DirectInputs>(programs, pair, plan, settings);
}

// The reference is compared with itself, in place of the encode: that leaves it on the device. Only where the device is
// likely to decode: processors are busy with the encode.
void open_ahead(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings) try {
    const bool may_stay = settings.references && settings.transport == ScoreTransport::automatic &&
                          settings.backend == "cuda" && pair.reference->kind == Kind::container &&
                          pair.reference->frame_count() > 0 && pair.reference->frame_count() <= kMostAhead;
    if (!may_stay || is_av1(*pair.distorted) || groups_by_size(programs, pair, settings).size() > 1) return;
    const ScorePlan plan = plan_score(programs, pair, settings);
    if (plan.converts || plan.layout.chroma != 420 || !may_be_direct(pair, plan, settings)) return;
    Source twin = *pair.distorted;
    twin.path = pair.reference->path;
    ScorePair itself = pair;
    itself.distorted = &twin;
    static std::atomic<unsigned> counter{0};
    Arguments command = scorer_command(programs, plan, settings,
                                       settings.work_folder + "/ahead-" + std::to_string(counter++) + ".json");
    append(command, DirectInputs(programs, itself, plan, settings).arguments());
    RunOptions options;
    options.environment = scorer_environment(settings);
    settings.scorers->prepare(command, options, pair.reference->path);
} catch (const Error &) { // the score will report it
}

} // namespace vmaf::tune
