// Maps and regions of a run: passes options to the session, and results to documents.
#pragma once

#include <deque>
#include <memory>

#include "io/frame_pairs.hpp"
#include "maps/map_files.hpp"
#include "models.hpp"
#include "options.hpp"
#include "report/report.hpp"
#include "session/session.hpp"

namespace vmaf::cli {

// Null without maps. Throws Failure, or Error if a file cannot be written.
std::unique_ptr<Maps> make_maps(const Options &options, const std::deque<LoadedModel> &models, const FramePairs &clips);

// Call it before preparing the session; warns about features without scores for regions.
void ask_for_local_scores(Session &session, const Options &options, const std::deque<LoadedModel> &models, Maps *maps);

// Reports regions whose edges were moved.
void tell_snapped_regions(const Session &session, const Options &options);

LocalReport local_report(const Session &session, const Options &options, const Maps *maps);

} // namespace vmaf::cli
