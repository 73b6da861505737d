// What a document says about video files and what was done to them.
#pragma once

#include "io/pairs_report.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace vmaf::cli {

// `pairs`: null for clips of which there is nothing to say.
InputReport input_report(const PairsReport *pairs, const Options &options);

} // namespace vmaf::cli
