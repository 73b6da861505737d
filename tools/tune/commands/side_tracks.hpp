// Sound and subtitles shipped with the rungs of a ladder, one file each (tune.md 12.12).
#pragma once

#include <string>
#include <vector>

#include "commands/manifest.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

// All sound and all text subtitles, with distinct names; and descriptions of what is skipped.
struct SideTracks {
    std::vector<SideTrack> tracks;
    std::vector<std::string> left_out;
};
SideTracks side_tracks(const Programs &programs, const Source &source);

// RFC 6381 name and channels of a produced sound file.
void describe_sound(const Programs &programs, const std::string &path, SideTrack &track);

// A media playlist with one segment: a whole WebVTT file.
std::string subtitle_playlist(const std::string &file, double seconds);

} // namespace vmaf::tune
