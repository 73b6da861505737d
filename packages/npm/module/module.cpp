// The functions for JavaScript: a scorer is one run. Uses the engine directly, so documents and errors equal the
// command's.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "calls.hpp"
#include "config.h"
#include "cpu/cpu.hpp"
#include "io/alignment.hpp"
#include "model/model.hpp"
#include "picture/pool.hpp"
#include "report/report.hpp"
#include "resources/resources.hpp"
#include "session/extractor_name.hpp"
#include "session/session.hpp"

namespace vmaf {

// The module contains no models: JavaScript passes their files.
std::span<const Resource> resources() { return {}; }

namespace {

constexpr std::string_view kFrameRateOption = "fps"; // of metrics that depend on it
constexpr double kMostFrameRate = 1000;              // its largest value
constexpr std::int64_t kFrameTime = 40'000'000;      // nanoseconds; any, as offsets are counted in pairs
constexpr int kLargestOffset = 50;                   // pairs
constexpr unsigned kPictures = 4;                    // a pair, and the history of metrics that look back

struct LoadedModel {
    Model model;
    std::optional<ModelCollection> collection;
};

LoadedModel parse(std::string_view json, const ModelConfig &config) {
    std::string single_problem;
    try {
        return {parse_model(json, config), {}};
    } catch (const Error &e) {
        single_problem = e.what();
    }
    try {
        LoadedCollection loaded = parse_model_collection(json, config);
        return {std::move(loaded.base), std::move(loaded.collection)};
    } catch (const Error &) {
        throw invalid(single_problem);
    }
}

class Scorer {
  public:
    Scorer(unsigned subsample, double frame_rate) : session_({.subsample = subsample}), frame_rate_(frame_rate) {}

    // For the next model or feature.
    void set_option(std::string key, std::string value) { options_[std::move(key)] = std::move(value); }

    // Options are named EXTRACTOR.OPTION.
    void add_model(std::string_view json, const ModelConfig &config) {
        LoadedModel loaded = parse(json, config);
        for (const auto &[key, value] : std::exchange(options_, {})) {
            const std::size_t dot = key.find('.');
            if (dot == std::string::npos)
                throw invalid("option '" + key +
                              "' of a model must be EXTRACTOR.OPTION, such as adm.adm_enhn_gain_limit");
            const OptionTexts texts = {{key.substr(dot + 1), normalised_option_text(value)}};
            loaded.model.overload(key.substr(0, dot), texts);
            if (loaded.collection) loaded.collection->overload(key.substr(0, dot), texts);
        }
        models_.push_back(std::move(loaded));
    }
    void add_feature(std::string_view name) {
        OptionTexts texts;
        for (const auto &[key, value] : std::exchange(options_, {})) texts[key] = normalised_option_text(value);
        features_.emplace_back(name, std::move(texts));
    }

    // Local scores (maps.md) of a model or a feature; "": of the first model. Cell 0: the default size.
    void use_map(std::string score, int cell) {
        if (cell) check_cell_size(cell);
        map_.emplace(Map{std::move(score), cell, {}, {}});
    }
    struct Map {
        std::string score;
        int cell;
        CellLayout layout;
        std::vector<float> cells; // frame by frame
    };
    const Map *map() const { return map_ ? &*map_ : nullptr; }

    void prepare(const PictureFormat &format) {
        for (const LoadedModel &m : models_) {
            if (m.collection)
                session_.use_features_of(*m.collection);
            else
                session_.use_features_of(m.model);
        }
        for (const auto &[name, options] : features_) session_.use_feature(name, checked(name, options));
        if (session_.registered().empty()) throw invalid("nothing to score; give a model or a feature");
        if (map_) ask_for_map();
        session_.prepare(format);
        PictureMemory memory = host_memory();
        memory.luma_only = !session_.reads_chroma();
        pool_.emplace(format, kPictures, std::move(memory));
        fetch();
    }
    bool reads_chroma() const { return session_.reads_chroma(); }

    // Of the pair for push(); null: no metric reads this plane.
    const Picture &next(unsigned which) const { return next_[which]; }

    // The clips that read() takes frames from, instead of push().
    void open(std::unique_ptr<ClipReader> reference, std::unique_ptr<ClipReader> distorted) {
        const PictureFormat &ref = reference->format(), &dist = distorted->format();
        if (ref != dist)
            throw invalid("the clips do not match: " + reference->name() + " is " + described(ref) + ", " +
                          distorted->name() + " is " + described(dist) +
                          "; convert one of them first, or use the vmaf program");
        const PictureFormat format = ref;
        clips_[0] = std::move(reference);
        clips_[1] = std::move(distorted);
        prepare(format);
        for (const auto &clip : clips_) clip->set_pictures(format.bits, session_.reads_chroma());
    }
    // Remaining pairs, according to the file sizes.
    std::uint64_t pairs_left() const {
        return std::min(clips_[0]->frames_left().value_or(0), clips_[1]->frames_left().value_or(0));
    }
    const ClipReader &clip(unsigned which) const { return *clips_[which]; }
    bool read() { // false at the end of either clip
        if (!clips_[0]->read(next_[0]) || !clips_[1]->read(next_[1])) return false;
        push();
        return true;
    }

    void push() {
        const std::int64_t time = kFrameTime * frames_;
        watch_.reference(time, luma_signature(next_[0]));
        watch_.distorted(time, luma_signature(next_[1]));
        session_.read(next_[0], next_[1], frames_);
        frames_++;
        if (frames_ == next_judgement_) {
            next_judgement_ += std::min<unsigned>(next_judgement_, AlignmentWatch::kWindow / 2);
            judge(false);
        }
        fetch();
    }

    void finish() {
        if (frames_ == 0) throw invalid("the clips have no frames to score");
        judge(true);
        session_.flush();
        for (const LoadedModel &m : models_) session_.pooled(m.model, Pooling::mean, 0, frames_ - 1);
        for (const LoadedModel &m : models_)
            if (m.collection) session_.pooled(*m.collection, Pooling::mean, 0, frames_ - 1);
    }

    // By how many pairs the distorted pictures are late; 0: they are in step, or it cannot be told.
    int lag() const { return lag_; }
    bool shows_the_same() const { return shows_the_same_; }

    // Digits 0: as libvmaf prints them.
    const std::string &document(ReportFormat format, int digits) {
        const Report report{.scores = session_.scores(),
                            .version = VMAF_VERSION,
                            .width = session_.width(),
                            .height = session_.height(),
                            .pictures = session_.pictures_offered(),
                            .subsample = session_.subsample(),
                            .numbers = digits ? NumberFormat::significant(digits) : NumberFormat(),
                            .backend_used = "cpu"};
        text_.clear();
        write_report(report, format, [&](std::string_view piece) { text_ += piece; });
        return text_;
    }

    const std::string &isa() {
        text_ = to_string(session_.isa());
        return text_;
    }

  private:
    static std::string described(const PictureFormat &f) {
        return std::to_string(f.width) + "x" + std::to_string(f.height) + " " + to_string(f.pixel_format) + " " +
               std::to_string(f.bits) + " bit";
    }
    // As in the program: rejects options without effect, and passes the clips' frame rate to metrics that depend on it.
    OptionTexts checked(const std::string &name, OptionTexts options) const {
        const MetricInfo *const metric = parse_extractor_name(name).info;
        if (!metric) throw invalid("unknown feature '" + name + "'");
        if (const auto unknown = unknown_options(metric->options, options); !unknown.empty())
            throw invalid("feature '" + name + "' has no option '" + unknown[0] + "'");
        const bool takes_rate = std::any_of(metric->options.begin(), metric->options.end(),
                                            [](const OptionSpec &spec) { return spec.name == kFrameRateOption; });
        const double rate = clips_[1] ? clips_[1]->frame_rate() : frame_rate_;
        if (takes_rate && rate > 0 && rate <= kMostFrameRate)
            options.try_emplace(std::string(kFrameRateOption), std::to_string(rate));
        return options;
    }
    // As the program does for video files (io/video_pairs.cpp); it refuses what is only reported here.
    void judge(bool is_last) {
        const OffsetFound found = watch_.check(kFrameTime * kLargestOffset);
        if (!found.is_same) shows_the_same_ = false;
        if (lag_ == 0 && found.is_clear && (is_last || found.pairs * 2 >= found.pairs_without))
            lag_ = int(found.offset / kFrameTime);
    }
    void ask_for_map() {
        LocalConfig config;
        for (const LoadedModel &m : models_) config.models.push_back(m.model);
        if (map_->score.empty()) {
            if (models_.empty()) throw invalid("a map without a model needs a score, such as psnr_y");
            map_->score = models_[0].model.name();
        }
        config.cell_scores = {map_->score};
        config.cell_size = map_->cell;
        config.on_cells = [this](const CellFrame &frame) {
            map_->layout = frame.layout;
            map_->cells.insert(map_->cells.end(), frame.scores[0].begin(), frame.scores[0].end());
        };
        session_.use_local_scores(std::move(config));
    }
    void fetch() {
        for (Picture &picture : next_) picture = pool_->fetch_or_add();
    }

    Session session_;
    double frame_rate_;
    std::deque<LoadedModel> models_; // stable addresses for the session
    std::vector<std::pair<std::string, OptionTexts>> features_;
    OptionTexts options_;
    std::optional<Map> map_;
    std::optional<PicturePool> pool_;
    Picture next_[2];
    std::unique_ptr<ClipReader> clips_[2];
    unsigned frames_ = 0, next_judgement_ = 20;
    AlignmentWatch watch_;
    int lag_ = 0;
    bool shows_the_same_ = true;
    std::string text_;
};

} // namespace
} // namespace vmaf

using vmaf::guarded, vmaf::Scorer;

VMAF_EXPORT void *module_allocate(std::size_t bytes) { return std::malloc(bytes); }
VMAF_EXPORT void module_free(void *memory) { std::free(memory); }
VMAF_EXPORT const char *module_version() { return VMAF_VERSION; }

// Frame rate 0: unknown.
VMAF_EXPORT Scorer *scorer_new(unsigned subsample, double frame_rate) {
    Scorer *scorer = nullptr;
    guarded([&] { scorer = new Scorer(subsample, frame_rate); });
    return scorer;
}
VMAF_EXPORT void scorer_delete(Scorer *scorer) { delete scorer; }

VMAF_EXPORT int scorer_option(Scorer *scorer, const char *key, const char *value) {
    return guarded([&] { scorer->set_option(key, value); });
}
VMAF_EXPORT int scorer_model(Scorer *scorer, const char *json, const char *name, int disable_clip,
                             int enable_transform) {
    return guarded([&] {
        scorer->add_model(json,
                          {.name = name, .disable_clip = disable_clip != 0, .enable_transform = enable_transform != 0});
    });
}
VMAF_EXPORT int scorer_feature(Scorer *scorer, const char *name) {
    return guarded([&] { scorer->add_feature(name); });
}
VMAF_EXPORT int scorer_use_map(Scorer *scorer, const char *score, int cell) {
    return guarded([&] { scorer->use_map(score, cell); });
}
// For a finished run with a map: its score's name, then 32-bit arrays of cell edges and scores.
VMAF_EXPORT const char *scorer_map_score(const Scorer *scorer) { return scorer->map()->score.c_str(); }
VMAF_EXPORT const int *scorer_map_x(const Scorer *scorer) { return scorer->map()->layout.x.data(); }
VMAF_EXPORT const int *scorer_map_y(const Scorer *scorer) { return scorer->map()->layout.y.data(); }
VMAF_EXPORT int scorer_map_columns(const Scorer *scorer) { return scorer->map()->layout.columns(); }
VMAF_EXPORT int scorer_map_rows(const Scorer *scorer) { return scorer->map()->layout.rows(); }
VMAF_EXPORT const float *scorer_map_cells(const Scorer *scorer) { return scorer->map()->cells.data(); }
VMAF_EXPORT double scorer_map_size(const Scorer *scorer) { return static_cast<double>(scorer->map()->cells.size()); }
VMAF_EXPORT int scorer_prepare(Scorer *scorer, int pixel_format, unsigned bits, unsigned width, unsigned height) {
    return guarded([&] {
        scorer->prepare(
            {.pixel_format = vmaf::pixel_format_of(pixel_format), .bits = bits, .width = width, .height = height});
    });
}
// Both clips are raw if `bits` is not 0.
VMAF_EXPORT int scorer_open(Scorer *scorer, int reference, const char *reference_name, int distorted,
                            const char *distorted_name, int pixel_format, unsigned bits, unsigned width,
                            unsigned height) {
    return guarded([&] {
        const vmaf::RawGeometry geometry = vmaf::geometry_of(pixel_format, bits, width, height);
        scorer->open(vmaf::open_clip(reference, reference_name, geometry),
                     vmaf::open_clip(distorted, distorted_name, geometry));
    });
}
VMAF_EXPORT double scorer_pairs_left(const Scorer *scorer) { return static_cast<double>(scorer->pairs_left()); }
VMAF_EXPORT double scorer_frame_rate(const Scorer *scorer) { return scorer->clip(1).frame_rate(); }
VMAF_EXPORT int scorer_read(Scorer *scorer) { // 1: a pair; 0: the end
    bool is_there = false;
    const int status = guarded([&] { is_there = scorer->read(); });
    return status ? status : is_there;
}
VMAF_EXPORT int scorer_reads_chroma(const Scorer *scorer) { return scorer->reads_chroma(); }
VMAF_EXPORT const std::byte *scorer_plane(const Scorer *scorer, unsigned which, unsigned plane) {
    return scorer->next(which).data(plane);
}
VMAF_EXPORT std::ptrdiff_t scorer_stride(const Scorer *scorer, unsigned which, unsigned plane) {
    return scorer->next(which).stride_bytes(plane);
}
VMAF_EXPORT int scorer_push(Scorer *scorer) {
    return guarded([&] { scorer->push(); });
}
VMAF_EXPORT int scorer_finish(Scorer *scorer) {
    return guarded([&] { scorer->finish(); });
}
VMAF_EXPORT int scorer_lag(const Scorer *scorer) { return scorer->lag(); }
VMAF_EXPORT int scorer_shows_the_same(const Scorer *scorer) { return scorer->shows_the_same(); }
// `format` is a ReportFormat; null on failure. Valid until the scorer's next call.
VMAF_EXPORT const char *scorer_document(Scorer *scorer, int format, int digits) {
    const char *text = nullptr;
    guarded([&] { text = scorer->document(static_cast<vmaf::ReportFormat>(format), digits).c_str(); });
    return text;
}
VMAF_EXPORT const char *scorer_isa(Scorer *scorer) {
    const char *text = nullptr;
    guarded([&] { text = scorer->isa().c_str(); });
    return text;
}
