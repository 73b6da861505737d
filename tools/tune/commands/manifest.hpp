// What players read of a ladder: playlists, manifests and the stream properties in them (tune.md 12.12).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "curves/hull.hpp"
#include "stages/encode.hpp"
#include "stages/segment_index.hpp"

namespace vmaf::tune {

struct Rung {
    RatePoint point;
    std::string codecs;
    double peak_bps = 0, mean_bps = 0; // measured; without a mean, the point's rate
    std::optional<SegmentIndex> index; // for fragmented MP4

    double average_bandwidth() const;
    double bandwidth() const; // bits per second: the peak, but at least the mean
    std::string name() const; // rendition_WxH_kbps, without an extension
};

// RFC 6381 name of a produced stream; empty if unknown.
std::string codec_string(const Programs &programs, const std::string &path);

// Largest bitrate of any two seconds, in bits per second.
double peak_bandwidth(const Programs &programs, const std::string &path, double fps);

// Of the produced segments.
struct Bandwidth {
    double peak_bps = 0, mean_bps = 0;
};
Bandwidth playlist_bandwidth(const std::string &path); // an HLS media playlist with segment sizes
Bandwidth file_bandwidth(const Programs &programs, const std::string &path, double segment_seconds, double fps);

// A separate file with sound or subtitles.
struct SideTrack {
    enum class Kind { sound, subtitles } kind = Kind::sound;
    int stream = 0;                           // of the source
    std::string codec, language, label, name; // name: of the file, without an extension
    bool is_default = false;
    std::string codecs, rate; // RFC 6381; samples per second
    int channels = 0;
    double peak_bps = 0, mean_bps = 0;
    std::optional<SegmentIndex> index;
};

// These travel from the machines that measure and produce files to the one that writes the manifest.
nlohmann::json point_json(const RatePoint &point);
RatePoint point_of(const nlohmann::json &stored);
nlohmann::json index_json(const std::optional<SegmentIndex> &index);
std::optional<SegmentIndex> index_of(const nlohmann::json &stored);
nlohmann::json track_json(const SideTrack &track);
SideTrack track_of(const nlohmann::json &stored);

std::string hls_playlist(const std::vector<Rung> &rungs, const Source &source,
                         const std::vector<SideTrack> &tracks = {});
std::string dash_manifest(const std::vector<Rung> &rungs, const Source &source,
                          const std::vector<SideTrack> &tracks = {});

} // namespace vmaf::tune
