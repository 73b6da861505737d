// Sound and subtitles that are shipped beside the rungs of a ladder, one file each (tune.md 12.12).
#pragma once

#include <string>
#include <vector>

#include "commands/manifest.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

// All sound and all subtitles that are text, with names that differ; and what is left out, in words.
struct SideTracks {
    std::vector<SideTrack> tracks;
    std::vector<std::string> left_out;
};
SideTracks side_tracks(const Programs &programs, const Source &source);

// RFC 6381 name and channels of a sound file that was made.
void describe_sound(const Programs &programs, const std::string &path, SideTrack &track);

// A media playlist with one segment: the whole of a WebVTT file.
std::string subtitle_playlist(const std::string &file, double seconds);

} // namespace vmaf::tune
