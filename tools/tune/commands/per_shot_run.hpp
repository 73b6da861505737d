// Carries out a plan of per-shot: encodes the segments, joins them and scores the result (tune.md 12.7).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/new_file.hpp"
#include "cli/run.hpp"
#include "commands/shot_plan.hpp"

namespace vmaf::tune {

struct ShotSegment {
    std::string path;
    Arguments command; // makes it
    std::int64_t frames = 0;
    double seconds = 0; // until the next one begins; 0: as it tells itself
};

struct ShotAssembly {
    std::vector<ShotSegment> segments; // in the order of time
    std::string list_path, list_text;  // for FFmpeg's concat reader
    Arguments concat_command;          // writes `part`
    std::string part, output;
};

// Segments with their commands, and how they are joined; sound and subtitles come from the source.
ShotAssembly assemble(const ProbeSetup &base, const std::vector<ShotSegment> &segments, const std::string &folder,
                      const std::string &output, double first_time);
std::string assembly_script(const ShotAssembly &assembly, const std::string &folder); // POSIX sh

// One segment; one that an earlier run finished with the same command stays. Throws CommandError.
void encode_segment(const ProbeSetup &base, const ShotSegment &segment, const std::string &folder);

// All segments as one file. Throws CommandError.
void join_segments(Run &run, const ProbeSetup &base, const ShotAssembly &assembly, const NewFile &file);

// Scores of the joined file, {"plan": what is said of the whole, "shots": a score for each}.
nlohmann::json score_assembly(Run &run, const ProbeSetup &base, const ShotAssembly &assembly,
                              const std::vector<PlannedShot> &shots);

} // namespace vmaf::tune
