// A probe: encodes and scores at one quality, over all samples, through the cache.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cache/cache.hpp"
#include "stages/sampling.hpp"
#include "stages/score.hpp"

namespace vmaf::tune {

struct FeatureStatistics {
    double mean = 0, deviation = 0;
};

struct SampleResult {
    double start = 0;
    std::int64_t frames = 0;
    std::uint64_t bytes = 0;
    double score = 0;
    std::int64_t scored_frames = 0;
};

struct ProbeResult {
    Outcome outcome;
    double q = 0;
    Arguments command;
    std::string encoder_version = "unknown", encode_path;
    std::uint64_t stream_bytes = 0, file_bytes = 0;
    std::int64_t encoded_frames = 0, scored_frames = 0;
    double encode_seconds = 0, score_seconds = 0, encoded_duration = 0;
    std::map<std::string, Series> series;              // target metrics, frame by frame
    std::map<std::string, FeatureStatistics> features; // adm2, vif_scale0, ...
    std::vector<SampleResult> samples;
    std::vector<std::string> warnings;
    std::string backend, model, scale_note, scorer_version, out_pix_fmt, produced_pix_fmt;
    std::map<std::string, std::string> models;  // per metric
    std::map<std::string, MeasuredAt> measured; // per metric
    DecodedBy decoded_by;                       // of the last sample
    int passes = 1;
    bool from_cache = false;
    std::string encode_key, score_key;

    bool ok() const { return outcome.ok(); }
    double bitrate_kbps() const {
        return encoded_duration > 0 ? double(stream_bytes) * 8 / 1000 / encoded_duration : 0;
    }
};

enum class Stage { encode, score };
struct StageProgress {
    Stage stage;
    double q;
    std::size_t sample, samples;
    std::int64_t frame, frames;
    double fps;
    bool done = false;  // the stage has ended
    double seconds = 0; // its duration
};

// How many encodes and scores may run at once, and on which processors (16).
class Permits {
  public:
    Permits(unsigned encodes, unsigned scores, std::vector<int> processors = {});

    // A permit of a stage, acquired when one is free. Null permits: no limit.
    class Held {
      public:
        Held(Permits *permits, Stage stage);
        ~Held();
        Held(const Held &) = delete;
        Held &operator=(const Held &) = delete;
        std::vector<int> processors() const; // the permit's share; empty: any

      private:
        Permits *permits_;
        Stage stage_;
        std::size_t number_ = 0;
    };

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::array<std::vector<bool>, 2> taken_; // by stage and permit
    std::vector<int> processors_;
};

// Everything a probe needs except q.
// The score of several samples: all their frames together, the mean of their scores, or the worst of these (8.4).
enum class SampleAggregate { pooled, mean, worst };
inline constexpr Choice<SampleAggregate> kSampleAggregates[] = {
    {"pooled", SampleAggregate::pooled}, {"mean", SampleAggregate::mean}, {"worst", SampleAggregate::worst}};

struct ProbeSetup {
    Programs programs;
    Source source; // the whole
    std::vector<Sample> samples;
    std::string clip_mode = "full";
    EncodeSettings encode;
    std::string variant;   // name of the set of options, if any
    Arguments flags;       // of vmaf-tune, that such an encode needs in addition to encoder, preset and quality
    FrameSize encode_size; // if it differs from the source's
    std::vector<std::string> format_changes; // how the encoder's format changes the source's samples
    ScoreSettings score;
    std::string pool = "mean";
    SampleAggregate aggregate = SampleAggregate::pooled;
    Cache *cache = nullptr;
    bool cache_failures = false;
    std::string work_folder;
    std::string keep_as; // where a full pass keeps its encode
    std::string keep_in; // where any other encode is kept, under a name of its own; empty: it is removed
    bool size_of_file = false;
    std::function<void(const StageProgress &)> progress;
    Permits *permits = nullptr;
};

// Never throws for failing tools; the result describes failures.
ProbeResult run_probe(const ProbeSetup &setup, double q);

// The name of a kept encode, without extension.
std::string kept_name(const ProbeSetup &setup, const std::string &stem, double q);

// Keys of a probe for caching and resuming, without running anything.
std::pair<std::string, std::string> probe_keys(const ProbeSetup &setup, double q);

// The version of an encoder, from a trial on one generated frame; throws Error with the reason if it does not work.
std::string try_encoder(const Programs &programs, const Adapter &adapter);
Arguments trial_command(const Programs &programs, const Adapter &adapter);

} // namespace vmaf::tune
