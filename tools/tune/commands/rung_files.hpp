// The files of a ladder: rungs, sound and subtitles beside the output (tune.md 12.12).
#pragma once

#include <string>
#include <vector>

#include "cli/run.hpp"
#include "cli/work_folder.hpp"
#include "commands/side_tracks.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

enum class LadderFormat { json, hls, dash };

// What FFmpeg makes beside the output. It would write through whatever links lie under its names, so it works in a
// folder of this run, and what is whole is moved. Whatever cannot be kept is a CommandError.
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

    // Ends a command that makes files of this name, with the same boundaries for all of them.
    void complete(Arguments &command, const std::string &name, bool is_video) const;
    // Bandwidths of what was made; `fps` of video.
    Bandwidth bandwidth(const Programs &programs, const std::string &name, double fps) const;
    // The index of what was made, for DASH; it is an error where players would miss it.
    std::optional<SegmentIndex> index_of(const std::string &name) const;
    // Those of one name are whole; that which leads to the others comes last.
    void keep(const std::string &name) const;
    // Subtitles: a WebVTT file, and for HLS the playlist that leads to it.
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

// Everything beside the video, a file each; what cannot be shipped is reported. An empty codec: AAC, copied if it is.
std::vector<SideTrack> make_side_tracks(Run &run, const Source &source, const std::string &audio_codec,
                                        const RungFiles &files);

} // namespace vmaf::tune
