// What players are told of a ladder: playlists, manifests, and the facts about streams in them (tune.md 12.12).
#pragma once

#include <string>
#include <vector>

#include "curves/hull.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

struct Rung {
    RatePoint point;
    std::string codecs;
    double peak_bps = 0, mean_bps = 0; // of what was made; no mean: the point's rate

    double average_bandwidth() const;
    double bandwidth() const; // bits per second: the peak, but not less than the mean
    std::string name() const; // rendition_WxH_kbps, without an extension
};

// RFC 6381 name of a produced stream; empty if it is not known.
std::string codec_string(const Programs &programs, const std::string &path);

// Largest bitrate of any two seconds, in bits per second.
double peak_bandwidth(const Programs &programs, const std::string &path, double fps);

// Of the segments that were made.
struct Bandwidth {
    double peak_bps = 0, mean_bps = 0;
};
Bandwidth playlist_bandwidth(const std::string &path); // an HLS media playlist, with the sizes of its segments
Bandwidth file_bandwidth(const Programs &programs, const std::string &path, double segment_seconds, double fps);

// The first sound stream's codec; empty: there is none.
std::string sound_codec(const Programs &programs, const std::string &path);
struct Sound { // beside the rungs, as sound.m3u8 or sound.mp4
    std::string codecs;
    double peak_bps = 0, mean_bps = 0;
};

std::string hls_playlist(const std::vector<Rung> &rungs, const Source &source,
                         const std::optional<Sound> &sound = std::nullopt);
std::string dash_manifest(const std::vector<Rung> &rungs, const Source &source,
                          const std::optional<Sound> &sound = std::nullopt);

} // namespace vmaf::tune
