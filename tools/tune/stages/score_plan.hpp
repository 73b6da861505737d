// Plans the score stage for a pair: size, format, filters, model, and command lines (tune.md 6.2 to 6.5).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stages/score.hpp"

namespace vmaf::tune {

struct ScorePlan {
    FrameSize size;
    PixelLayout layout;
    std::string reference_filter, distorted_filter, reference_format, distorted_format;
    std::string model, note;                   // the model of the first metric that has one
    std::map<std::string, std::string> models; // per metric
    std::vector<std::string> warnings;
    double frame_rate = 0; // of the encode, for metrics that depend on it
    bool converts = false; // frames are compared after conversion

    std::size_t frame_bytes() const;
};

// Metrics scored together: VMAF models at their viewing size, other metrics at the source's (6.5). Several groups only
// if these sizes differ.
std::vector<std::vector<MetricChoice>> groups_by_size(const Programs &programs, const ScorePair &pair,
                                                      const ScoreSettings &settings);

// Throws Error if the pair cannot be compared.
ScorePlan plan_score(const Programs &programs, const ScorePair &pair, const ScoreSettings &settings);

// Decodes to raw planes on standard output, or to a file. Raw rather than YUV4MPEG2, whose 8-bit 4:2:2 and one kind of
// 4:2:0 are resampled on reading.
Arguments decode_command(const Programs &programs, const Source &source, const Window &window,
                         const std::string &filter, const std::string &pix_fmt, bool drop_grain,
                         const std::string &output = "-");

// A filter that skips frames at the start.
std::string trimmed(std::int64_t frames, const std::string &filter);

// Everything except the inputs.
Arguments scorer_command(const Programs &programs, const ScorePlan &plan, const ScoreSettings &settings,
                         const std::string &document);
std::vector<std::pair<std::string, std::string>> scorer_environment(const ScoreSettings &settings);

} // namespace vmaf::tune
