// Keys of an encode and a score, for the cache and for resuming: cover everything that affects them (tune.md 10.2).
#pragma once

#include <string>

#include "stages/probe.hpp"

namespace vmaf::tune {

// Empty for sources without identity: disables caching. `threads`: 0 in the key of a cell, which may be resumed with
// other --jobs; else those of the encoder, which change what x264 and x265 make.
std::string encode_key(const ProbeSetup &setup, const Sample &sample, double q, const std::string &encoder_version,
                       unsigned threads);
std::string score_key(const ProbeSetup &setup, const std::string &encode_key);

} // namespace vmaf::tune
