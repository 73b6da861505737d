// Maps and regions of a run: from options to what the session is asked for, and to what documents say.
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

// Null where no map is asked for. Throws Failure, or Error where a file could not be written.
std::unique_ptr<Maps> make_maps(const Options &options, const std::deque<LoadedModel> &models, const FramePairs &clips);

// Before the session is prepared; warns of features that have no scores for regions.
void ask_for_local_scores(Session &session, const Options &options, const std::deque<LoadedModel> &models, Maps *maps);

// Says where regions are measured that are not where they were asked for.
void tell_snapped_regions(const Session &session, const Options &options);

LocalReport local_report(const Session &session, const Options &options, const Maps *maps);

} // namespace vmaf::cli
