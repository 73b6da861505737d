// What players are told of a ladder: playlists, manifests, and the facts about streams in them (tune.md 12.12).
#pragma once

#include <string>
#include <vector>

#include "commands/hull.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

struct Rung {
    RatePoint point;
    std::string codecs;
    double peak_bps = 0;

    double bandwidth() const; // bits per second: the peak, but not less than the mean
    std::string name() const; // rendition_WxH_kbps, without an extension
};

// RFC 6381 name of a produced stream; empty if it is not known.
std::string codec_string(const Programs &programs, const std::string &path);

// Largest bitrate of any two seconds, in bits per second.
double peak_bandwidth(const Programs &programs, const std::string &path, double fps);

std::string hls_playlist(const std::vector<Rung> &rungs, const Source &source);
std::string dash_manifest(const std::vector<Rung> &rungs, const Source &source);

} // namespace vmaf::tune
