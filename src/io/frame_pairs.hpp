// Two clips as the scorer sees them: consecutive pairs of matching frames. Raw and YUV4MPEG2 clips are PlainPairs,
// video files VideoPairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ClipTicket;
class KeptClips;
class ReferenceHalves;

// Requirements of the consumer.
struct PairsUse {
    PictureMemory memory = host_memory(); // where to put pictures
    bool reads_chroma = true;             // false: pictures have no chroma samples
    unsigned frames_ahead = 1;            // to prepare in advance
    unsigned reading_threads = 1;         // per clip, if it supports several
    // The device on which decoded pictures may stay, and its kind for decoders (VideoRequest::hwaccel; kProcessor:
    // none, for tests). Empty: they go to `memory`.
    std::shared_ptr<Device> device;
    std::string decoding_device;
    std::string why_not_on_device;      // not empty: why they may not
    unsigned decoders = 1;              // per clip, at most
    std::optional<std::uint64_t> pairs; // to be taken, if known
    // Keeps a reference whose pictures stay on the device for later runs (io/kept_clips.hpp); null: nothing is kept.
    std::shared_ptr<KeptClips> kept;
    // For a reference shared with other pairs (io/shared_clip.hpp); null: not shared.
    ClipTicket *reference_ticket = nullptr;
};
inline constexpr const char *kProcessor = "host";

struct PairsReport;

class FramePairs {
  public:
    struct Pair {
        Picture reference, distorted;
        std::shared_ptr<ReferenceHalves> halves{}; // of a shared reference; else null
    };

    virtual ~FramePairs() = default;

    // Of all pictures of both clips.
    virtual const PictureFormat &format() const = 0;
    // Frames per second of the distorted clip, else of the reference; 0 if unknown.
    virtual double frame_rate() const = 0;
    // The number of remaining pairs, if known without reading them.
    virtual std::optional<std::uint64_t> pairs_left() const = 0;
    // Call it once, before start(): skips the first frames of each clip. Throws Error.
    virtual void skip(std::uint64_t reference, std::uint64_t distorted) = 0;
    // Throws Error if a clip is known to have no frames left: before allocating memory for frames, since a damaged
    // header can state any size.
    virtual void check_not_empty() const {}

    // Call it once, before the first next().
    virtual void start(const PairsUse &use) = 0;
    // The number of pictures that start() allocated.
    virtual unsigned pictures() const { return 0; }
    // Empty at the end. Throws Error.
    virtual std::optional<Pair> next() = 0;
    // Call it after the last wanted pair: judges what was seen. Throws Error.
    virtual void finish() {}
    // Call it when all pairs are scored and released: throws Error if the files have changed since they were
    // opened.
    virtual void check_whole() const {}
    // After the end: which clip ran out of frames. Both may have ended.
    virtual bool reference_ended() const = 0;
    virtual bool distorted_ended() const = 0;

    // What the clips are and what was done to them, if there is anything to report.
    virtual const PairsReport *report() const { return nullptr; }
};

} // namespace vmaf
