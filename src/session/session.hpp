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
    unsigned threads = 0;      // worker threads; 0: read() does all the work
    unsigned subsample = 0;    // score frames whose number is a multiple of this; 0 and 1: all
    std::uint64_t cpumask = 0; // instruction sets to avoid (cpu.hpp)
    std::uint64_t gpumask = 0; // not 0: models stay on the CPU
};

// A device for the metrics that have code for it.
struct DeviceChoice {
    std::shared_ptr<Device> device;
    bool is_explicit = true;                 // selected by name: warn about what cannot run there
    unsigned batches_at_once = 0, batch = 0; // see DevicePipeline::Config; 0: by picture size
};

class Session {
  public:
    explicit Session(const SessionConfig &config);
    ~Session(); // waits for queued work
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    // Metrics registered afterwards run on the device if they can. Throws Error(EINVAL) for a second device.
    void use_device(const DeviceChoice &choice);
    // Requests a backend, for models and features (BackendWish); its device opens with the first pictures. Throws Error
    // if it is not built, set too late, or contradicts an earlier request.
    void wish(const BackendWish &wish);
    const BackendWish &wish() const;
    void start_device();    // immediately, before the first pictures
    Device *device() const; // or null
    std::shared_ptr<Device> shared_device() const;
    std::string_view backend_used() const; // "cuda" if it computed a score, else "cpu"
    // Each registered metric with its backend, under its pinned name if it runs on the device. Known once
    // prepared.
    std::vector<std::pair<std::string, std::string>> feature_backends() const;
    // Metrics that run on the CPU despite a device. Known once prepared.
    std::vector<std::string> features_off_device() const;
    // Whether a metric reads chroma; otherwise pictures need no chroma samples. Known once prepared.
    bool reads_chroma() const;

    // Registers a feature (models.md 5.6), unless one with the same identity exists. Throws Error without registering
    // anything for unknown names, bad option values and, once the format is fixed, metrics that cannot score it.
    // Metrics registered after the first frames that look back start as soon as they can.
    void use_feature(std::string_view extractor, const OptionTexts &options);
    // Resolves a name with such options. Throws Error if it is unknown or pinned to an inactive
    // backend.
    ExtractorName find_extractor(std::string_view extractor, const OptionTexts &options = {}) const;
    void use_features_of(std::span<const Model> models);
    void use_features_of(const Model &model);
    void use_features_of(const ModelCollection &collection);

    // Requests scores of parts of pictures (maps.md), before the first pictures and after registering the metrics they
    // need. prepare() reports errors.
    void use_local_scores(LocalConfig config);
    const LocalScores *local_scores() const; // or null; known once prepared

    // Checks that every metric can score such pictures, and fixes the format. Optional: otherwise the first read() does
    // it.
    void prepare(const PictureFormat &format);

    // Reads a pair of pictures. Throws Error for invalid pictures without changing the session. With threads or a
    // device a frame's errors appear later: the next call, or flush(), throws each once and does nothing else. Such
    // a frame has no scores. `halves`: what sessions compute from `ref` alone, shared by all of them; null: not
    // shared.
    void read(Picture ref, Picture dist, unsigned index, std::shared_ptr<ReferenceHalves> halves = nullptr);
    void wait(); // for all frames read so far
    // For device pictures that the caller will change: waits until they are copied, or makes a caller's queue wait
    // (Queue::hold).
    void wait_for_copies();
    void hold_queue(void *callers);
    // Waits for all frames and lets metrics emit their end-of-stream scores.
    void flush();
    bool flushed() const;

    // Stores an external score. Throws Error(EINVAL) if it exists, or if a frame already read will produce
    // it.
    void import_score(std::string_view stored_name, unsigned index, double value);

    // Each prediction is computed once and stored under the model's name. Throws Error if features are missing.
    double score_at(const Model &model, unsigned index);
    CollectionScore score_at(const ModelCollection &collection, unsigned index);
    double feature_score_at(std::string_view stored_name, unsigned index) const;
    double pooled(const Model &model, Pooling method, unsigned low, unsigned high);
    CollectionScore pooled(const ModelCollection &collection, Pooling method, unsigned low, unsigned high);
    double feature_pooled(std::string_view stored_name, Pooling method, unsigned low, unsigned high) const;

    // Calls `handler` for every stored score, and predicts registered models once their features are complete
    // (models.md 6.5). A handler may query and import scores; calls that would wait for it (pictures, flush,
    // registration) are refused with EINVAL.
    void on_score(std::function<void(const std::string &name, unsigned index, double value)> handler);
    bool is_inside_handler() const; // in this thread

    ScoreCollector &scores();
    const ScoreCollector &scores() const;

    // Facts for documents.
    unsigned pictures_offered() const;
    unsigned width() const; // of the first pair; 0 if none
    unsigned height() const;
    unsigned subsample() const; // at least 1
    Isa isa() const;

    // Registered extractors with their option suffixes, in order of registration ("adm", "vif_egl_1").
    std::vector<std::string> registered() const;
    // The names of their stored scores, except those that some options add.
    std::vector<std::string> score_names() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vmaf
