// The files of a ladder: rungs, sound and subtitles in the output folder (tune.md 12.12).
#pragma once

#include <string>
#include <vector>

#include "cli/run.hpp"
#include "cli/work_folder.hpp"
#include "commands/side_tracks.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

enum class LadderFormat { json, hls, dash };

// FFmpeg's outputs of a ladder. FFmpeg would follow existing links, so it works in this run's folder, and complete
// files are moved. Throws CommandError on failure.
class RungFiles {
  public:
    struct Wish {
        std::string output;
        bool overwrite = false;
        LadderFormat format = LadderFormat::json;
        double segment_seconds = 4;
    };
    explicit RungFiles(const Wish &wish);

    const Wish &wish() const { return wish_; }
    bool as_hls() const { return wish_.format == LadderFormat::hls; }
    std::string made(const std::string &name) const {
        return (system::fs::path(made_.path()) / file_name(name)).string();
    }
    std::string kept(const std::string &name) const { return (folder_ / file_name(name)).string(); }

    // Completes a command that makes files of this name, with common boundaries for all.
    void complete(Arguments &command, const std::string &name, bool is_video) const;
    // Bandwidths of the output; `fps` of video.
    Bandwidth bandwidth(const Programs &programs, const std::string &name, double fps) const;
    // The output's index, for DASH; an error if it is missing, since players need it.
    std::optional<SegmentIndex> index_of(const std::string &name) const;
    // Files of one name are complete; the one that refers to the others comes last.
    void keep(const std::string &name) const;
    // Subtitles: a WebVTT file, and for HLS its playlist.
    std::string made_subtitles(const std::string &name) const;
    void keep_subtitles(const std::string &name, double seconds) const;

  private:
    bool as_dash() const { return wish_.format == LadderFormat::dash; }
    std::string file_name(const std::string &name) const { return name + (as_hls() ? ".m3u8" : ".mp4"); }
    void check(const std::string &path) const;
    void move(const std::string &file) const;

    Wish wish_;
    system::fs::path folder_;
    WorkFolder made_;
};

// Everything except the video, one file each; reports what cannot be shipped. An empty codec: AAC, copied if possible.
std::vector<SideTrack> make_side_tracks(Run &run, const Source &source, const std::string &audio_codec,
                                        const RungFiles &files);

} // namespace vmaf::tune
