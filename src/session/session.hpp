// The engine: which metrics run, in which order, on which threads; from pictures to scores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/backend_wish.hpp"
#include "device/device.hpp"
#include "metrics/metric.hpp"
#include "model/model.hpp"
#include "picture/picture.hpp"
#include "scores/collector.hpp"
#include "session/extractor_name.hpp"
#include "session/local_scores.hpp"

namespace vmaf {

class ReferenceHalves;

struct SessionConfig {
    unsigned threads = 0;      // worker threads; 0: everything in the thread that calls read()
    unsigned subsample = 0;    // score frames whose number is a multiple of this; 0 and 1: all
    std::uint64_t cpumask = 0; // instruction sets not to use (cpu.hpp)
    std::uint64_t gpumask = 0; // not 0: models stay on the CPU
};

// A device for the metrics that have code for it.
struct DeviceChoice {
    std::shared_ptr<Device> device;
    bool is_explicit = true;                 // asked for by name: what cannot run there is worth a warning
    unsigned batches_at_once = 0, batch = 0; // see DevicePipeline::Config; 0: by size of the pictures
};

class Session {
  public:
    explicit Session(const SessionConfig &config);
    ~Session(); // waits for queued work
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    // Metrics registered from now on run on the device where they can. At most one; throws Error(EINVAL) for a second.
    void use_device(const DeviceChoice &choice);
    // Asks for a backend, as models and features may (BackendWish); its device is opened for the first pictures.
    // Throws Error where it is not built, comes too late, or contradicts what was asked for before.
    void wish(const BackendWish &wish);
    const BackendWish &wish() const;
    void start_device();    // now, not with the first pictures
    Device *device() const; // null without one
    std::shared_ptr<Device> shared_device() const;
    std::string_view backend_used() const; // "cuda" if a score came from there, else "cpu"
    // Each registered metric, by the name that pins it where it runs on the device, and its backend. Known once
    // prepared.
    std::vector<std::pair<std::string, std::string>> feature_backends() const;
    // Metrics that look at frames on the CPU although there is a device. Known once prepared.
    std::vector<std::string> features_off_device() const;
    // Some metric looks at chroma; otherwise pictures need no samples of it. Known once prepared.
    bool reads_chroma() const;

    // Registration (models.md 5.6); a metric with the same identity as a registered one is dropped. Throws Error for
    // unknown names and bad option values, and once the format is fixed also for metrics that cannot score it; nothing
    // is registered then. A metric that comes after the first frames and looks back begins as soon as it can.
    void use_feature(std::string_view extractor, const OptionTexts &options);
    // What a name stands for here, with such options. Throws Error where there is none, or if it is pinned to a
    // backend that is not active.
    ExtractorName find_extractor(std::string_view extractor, const OptionTexts &options = {}) const;
    void use_features_of(std::span<const Model> models);
    void use_features_of(const Model &model);
    void use_features_of(const ModelCollection &collection);

    // Scores of parts of pictures (maps.md), before the first pictures; the metrics they come from are registered by
    // then. What cannot be is said by prepare().
    void use_local_scores(LocalConfig config);
    const LocalScores *local_scores() const; // null without; known once prepared

    // Checks that every registered metric can score such pictures, and fixes the format. Optional: the first read()
    // does it otherwise.
    void prepare(const PictureFormat &format);

    // Offers a pair of pictures. Throws Error for pictures that do not fit; the session is then as it was before. With
    // threads or a device errors of a frame show after its call: they are thrown, once each, by the next call or by
    // flush(), which then has done nothing. Such a frame has no scores.
    // `halves`: what this and other sessions make of `ref` alone, once for all of them; null: nothing is shared.
    void read(Picture ref, Picture dist, unsigned index, std::shared_ptr<ReferenceHalves> halves = nullptr);
    void wait(); // for all frames that were given
    // Of pictures on the device that the caller will change: waits until they are copied, or makes a queue of the
    // caller wait (Queue::hold).
    void wait_for_copies();
    void hold_queue(void *callers);
    // Waits for all frames and lets metrics emit what needed the end of the stream.
    void flush();
    bool flushed() const;

    // Stores a score that comes from elsewhere. Throws Error(EINVAL) where there is one, or where a frame that was
    // given will have one.
    void import_score(std::string_view stored_name, unsigned index, double value);

    // Predictions are made once and stored under the model's name. Throws Error while features are missing.
    double score_at(const Model &model, unsigned index);
    CollectionScore score_at(const ModelCollection &collection, unsigned index);
    double feature_score_at(std::string_view stored_name, unsigned index) const;
    double pooled(const Model &model, Pooling method, unsigned low, unsigned high);
    CollectionScore pooled(const ModelCollection &collection, Pooling method, unsigned low, unsigned high);
    double feature_pooled(std::string_view stored_name, Pooling method, unsigned low, unsigned high) const;

    // Calls `handler` for every score as it is stored, and predicts registered models as soon as their features are
    // complete (models.md 6.5). From inside a handler scores may be asked for and imported; what would wait for the
    // handler itself (pictures, the flush, registration) is refused with EINVAL.
    void on_score(std::function<void(const std::string &name, unsigned index, double value)> handler);
    bool is_inside_handler() const; // on this thread

    ScoreCollector &scores();
    const ScoreCollector &scores() const;

    // What documents state about the run.
    unsigned pictures_offered() const;
    unsigned width() const; // of the first pair; 0 if none
    unsigned height() const;
    unsigned subsample() const; // at least 1
    Isa isa() const;

    // Registered extractors with their options' suffix, in order of registration ("adm", "vif_egl_1").
    std::vector<std::string> registered() const;
    // Names under which they store scores; those that some options add are not among them.
    std::vector<std::string> score_names() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf
