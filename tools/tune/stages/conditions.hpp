// The conditions of scores. Only scores with equal conditions are compared (tune.md 6.5).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "stages/probe.hpp"

namespace vmaf::tune {

// "vmaf (vmaf_v0.6.1) at 1920x1080, scaled from 480x320 (bicubic), psnr at 480x320; 8-bit 4:2:0".
std::string measured_text(const std::map<std::string, MeasuredAt> &measured, FrameSize source,
                          const std::string &scaler);

// A line in every answer for users: sizes, depth, models, and how much of the source was scored.
std::string conditions_line(const ProbeSetup &setup, const ProbeResult &probe);

// The same for a row or another document.
nlohmann::json conditions_json(const ProbeSetup &setup, const ProbeResult &probe);
std::string decoded_text(const DecodedBy &by); // to append to such a line; empty for FFmpeg
nlohmann::json decoded_json(const DecodedBy &by);
nlohmann::json measured_json(const std::map<std::string, MeasuredAt> &measured);

} // namespace vmaf::tune
