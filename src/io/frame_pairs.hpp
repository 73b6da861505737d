// Two clips as the scorer sees them, whatever they are: pairs of frames that belong together, one after the
// other. Raw and YUV4MPEG2 clips are PlainPairs, video files VideoPairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "picture/pool.hpp"

namespace vmaf {

class ClipTicket;
class ReferenceHalves;

// What the consumer of pairs needs.
struct PairsUse {
    PictureMemory memory = host_memory(); // where pictures shall lie
    bool reads_chroma = true;             // false: pictures come without samples of chroma
    unsigned frames_ahead = 1;            // to be ready before they are asked for
    unsigned reading_threads = 1;         // of each clip, where several can read it
    // Where pictures that are decoded on a device may stay there: the device, and the name of its kind to decoders
    // (VideoRequest::hwaccel; kProcessor: none, for tests). Empty: they come to `memory`.
    std::shared_ptr<Device> device;
    std::string decoding_device;
    std::string why_not_on_device;      // not empty: they may not, for this reason
    unsigned decoders = 1;              // of each clip, at most
    std::optional<std::uint64_t> pairs; // that will be taken, where that is known
    // For a reference that other pairs read too (io/shared_clip.hpp); null: none does.
    ClipTicket *reference_ticket = nullptr;
};
inline constexpr const char *kProcessor = "host";

struct PairsReport;

class FramePairs {
  public:
    struct Pair {
        Picture reference, distorted;
        std::shared_ptr<ReferenceHalves> halves{}; // of a reference that several pairs read; null: it is not
    };

    virtual ~FramePairs() = default;

    // Of all pictures of both clips.
    virtual const PictureFormat &format() const = 0;
    // Frames per second, as the distorted clip says it, else the reference; 0 where neither does.
    virtual double frame_rate() const = 0;
    // How many are still to come, where that is known without reading them.
    virtual std::optional<std::uint64_t> pairs_left() const = 0;
    // Once, before start(): drops the first frames of each clip. Throws Error.
    virtual void skip(std::uint64_t reference, std::uint64_t distorted) = 0;
    // Throws Error where it is known that a clip has no frame left: before memory for frames is asked for, since a
    // damaged header can state any size.
    virtual void check_not_empty() const {}

    // Once, before the first next().
    virtual void start(const PairsUse &use) = 0;
    // How many pictures start() made to read into.
    virtual unsigned pictures() const { return 0; }
    // Nothing at the end. Throws Error.
    virtual std::optional<Pair> next() = 0;
    // After the last pair that is wanted: judges what has been seen. Throws Error.
    virtual void finish() {}
    // When all pairs have been scored and are gone: whether the files are still what they were when they were opened.
    // Throws Error.
    virtual void check_whole() const {}
    // After the end: the clip that had no frame left. Both may have ended.
    virtual bool reference_ended() const = 0;
    virtual bool distorted_ended() const = 0;

    // What the clips are and what was done to them, where there is anything to say.
    virtual const PairsReport *report() const { return nullptr; }
};

} // namespace vmaf
