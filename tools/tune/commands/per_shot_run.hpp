// Executes a per-shot plan: encodes the segments, joins them and scores the result (tune.md 12.7).
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
    double seconds = 0; // until the next one starts; 0: as the file states
};

struct ShotAssembly {
    std::vector<ShotSegment> segments; // in time order
    std::string list_path, list_text;  // for FFmpeg's concat reader
    Arguments concat_command;          // writes `part`
    std::string part, output;
};

// Segments with their commands, and how to join them; sound and subtitles come from the source.
ShotAssembly assemble(const ProbeSetup &base, const std::vector<ShotSegment> &segments, const std::string &folder,
                      const std::string &output, double first_time);
std::string assembly_script(const ShotAssembly &assembly, const std::string &folder); // POSIX sh

// Encodes a segment, unless an earlier run finished it with the same command. Throws CommandError.
void encode_segment(const ProbeSetup &base, const ShotSegment &segment, const std::string &folder);

// Joins all segments to one file. Throws CommandError.
void join_segments(Run &run, const ProbeSetup &base, const ShotAssembly &assembly, const NewFile &file);

void remove_segments(const ShotAssembly &assembly, const std::string &folder);

// Scores of the joined file: {"plan": figures of the whole, "shots": a score each}.
nlohmann::json score_assembly(Run &run, const ProbeSetup &base, const ShotAssembly &assembly,
                              const std::vector<PlannedShot> &shots);

} // namespace vmaf::tune
