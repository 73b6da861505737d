// What a document reports about video files and their preparation.
#pragma once

#include "io/pairs_report.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace vmaf::cli {

// `pairs`: null if there is nothing to report.
InputReport input_report(const PairsReport *pairs, const Options &options);

} // namespace vmaf::cli
