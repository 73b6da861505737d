// Checks that a file written by FFmpeg is complete. FFmpeg can exit with 0 although the disk was full when it closed
// the file.
#pragma once

#include <cstdint>
#include <string>

#include "stages/encode.hpp"

namespace vmaf::tune {

// Why FFmpeg could not store its output, from its messages; empty: it could.
std::string storage_failure(const ChildResult &outcome);

// How many frames a file must have.
struct FrameWish {
    std::int64_t frames = 0; // of the source; 0: unknown, or a filter may change it
    bool is_exact = false;   // otherwise the container's value, which may be off by a few
    std::int64_t given = 0;  // written according to FFmpeg; 0: not reported
};
FrameWish frames_wished(const Source &source, const Window &window, const std::string &vfilter);

struct WrittenFile {
    enum class Fault { none, storage, content };
    Fault fault = Fault::none;
    std::string sentence; // about the fault
    PacketSummary packets;
};
// Counts the frames of the file at `path`, whose first stream must be the video, and compares them with the wish.
WrittenFile check_written(const Programs &programs, const ChildResult &outcome, const std::string &path,
                          const FrameWish &wish);

// Reads every packet of every stream. Empty: the file is complete; else the reader's message.
std::string reading_failure(const Programs &programs, const std::string &path);

} // namespace vmaf::tune
