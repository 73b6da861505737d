// The two inputs of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/clip_reader.hpp"
#include "io/video_pairs.hpp"
#include "options.hpp"

namespace vmaf::cli {

struct Clips {
    std::unique_ptr<ClipReader> reference, distorted; // YUV4MPEG2 or raw
    std::unique_ptr<VideoPairs> video;                // or at least one of them is a video file
    PictureFormat picture;                            // of both; the deeper depth counts

    // Pairs that will be scored, where that is known.
    std::optional<std::uint64_t> pairs(const Options &options) const;
};

std::string quoted(const std::string &path); // for messages

// Opens and compares both clips (cli-and-formats.md 10.5). Throws Failure(setup) for what cannot be read; each
// incompatibility is a line of its own on stderr before that.
Clips open_clips(const Options &options);

// Drops the frames that the options skip.
void skip_frames(Clips &clips, const Options &options);
// Throws Failure(frame) where it is known that a clip has no frame left: before memory for frames is asked for, since
// a damaged header can state any size.
void check_not_empty(const Clips &clips, const Options &options);

// The clips as video files, where one of them is neither YUV4MPEG2 nor raw; otherwise nothing. Throws Failure.
std::unique_ptr<VideoPairs> open_videos(const Options &options);

} // namespace vmaf::cli
