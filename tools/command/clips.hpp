// The two inputs of a run.
#pragma once

#include <memory>
#include <string>

#include "io/frame_pairs.hpp"
#include "options.hpp"

namespace vmaf::cli {

std::string quoted(const std::string &path); // for messages

// Opens and compares both clips (cli-and-formats.md 10.5). Throws Failure(setup) for what cannot be read; each
// incompatibility is a line of its own on stderr before that.
std::unique_ptr<FramePairs> open_clips(const Options &options);

// The clips as video files, where one of them is neither YUV4MPEG2 nor raw; otherwise nothing. Throws Failure.
std::unique_ptr<FramePairs> open_videos(const Options &options);

// A clip that has to be decoded.
bool is_video_file(const Options &options, const std::string &path);

} // namespace vmaf::cli
