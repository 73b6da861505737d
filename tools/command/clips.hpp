// The two inputs of a run.
#pragma once

#include <memory>
#include <string>

#include "io/frame_pairs.hpp"
#include "options.hpp"

namespace vmaf::cli {

std::string quoted(const std::string &path); // for messages

// Opens both clips (cli-and-formats.md 10.5). Throws Failure(setup) if one cannot be read or they do not match; prints
// each mismatch on its own line first.
// `kept`: references of earlier runs, or null.
std::unique_ptr<FramePairs> open_clips(const Options &options, std::shared_ptr<KeptClips> kept = nullptr);

// Opens the clips as video files if one is neither YUV4MPEG2 nor raw; otherwise returns null. Throws Failure.
std::unique_ptr<FramePairs> open_videos(const Options &options, std::shared_ptr<KeptClips> kept);

// Whether a clip must be decoded.
bool is_video_file(const Options &options, const std::string &path);

} // namespace vmaf::cli
