// What a document says about video files and what was done to them.
#pragma once

#include "io/video_pairs.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace vmaf::cli {

InputReport input_report(const VideoPairs &video, const Options &options);

} // namespace vmaf::cli
