// Keys of an encode and a score, for the cache and for resuming: cover everything that affects them (tune.md 10.2).
#pragma once

#include <string>

#include "stages/probe.hpp"

namespace vmaf::tune {

// Empty for sources without identity: disables caching.
std::string encode_key(const ProbeSetup &setup, const Sample &sample, double q, const std::string &encoder_version);
std::string score_key(const ProbeSetup &setup, const std::string &encode_key);

} // namespace vmaf::tune
