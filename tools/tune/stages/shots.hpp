// Shot boundaries (tune.md 12.6).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stages/encode.hpp"

namespace vmaf::tune {

struct Shot {
    std::int64_t start = 0, end = 0; // half-open
    std::int64_t frames() const { return end - start; }
};

struct ShotSettings {
    // Plain cuts: the mean absolute luma difference, in 8-bit steps, that counts as one. Otherwise uses the measured
    // detector.
    std::optional<double> threshold = {};
    std::int64_t min_frames = 24, max_frames = 0; // 0: no limit
};

// Cuts by the mean difference of neighbouring frames of a small decode. A failed decode gives no shots.
std::vector<Shot> detect_shots(const Programs &programs, const Source &source, const ShotSettings &settings);

// The same with features of each shot.
struct ShotFeatures {
    Shot shot;
    double motion = 0; // mean difference of neighbouring frames, in 8-bit steps
    double detail = 0; // mean variance of luma
};
std::vector<ShotFeatures> shot_features(const Programs &programs, const Source &source, const ShotSettings &settings);

// From differences only: differences[i] is between frames i and i+1.
std::vector<Shot> shots_from_differences(const std::vector<double> &differences, const ShotSettings &settings);

// Count, mean and population deviation of lengths; all 0 without shots.
ShotSummary summary_of(const std::vector<Shot> &shots, double fps);

// Shots of sources, detected once with the default settings and cached.
class ShotFacts {
  public:
    explicit ShotFacts(const Programs &programs) : programs_(programs) {}
    const std::vector<ShotFeatures> &features(const Source &source);
    // Empty if unknown and `detect` is not set, which would decode the whole source.
    std::optional<ShotSummary> summary(const Source &source, bool detect);

  private:
    const std::vector<ShotFeatures> *known(const Source &source);
    const Programs &programs_;
    std::map<std::string, std::vector<ShotFeatures>> features_; // by path
};

// An external detector's JSON or CSV: start_frame and inclusive end_frame. Throws Error.
std::vector<Shot> read_shots(const std::string &path);

// The same from a program, called like older detectors (2.3). Throws Error.
std::vector<Shot> shots_from_program(const std::string &program, const Source &source);

} // namespace vmaf::tune
