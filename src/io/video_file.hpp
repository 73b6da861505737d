// A video file as the tools see it: facts, and decoded frames in order. What decodes is a module of its own
// (src/io/libav), loaded when the first file is opened; nothing else depends on its libraries.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/fraction.hpp"
#include "io/component_copy.hpp"
#include "picture/pool.hpp"

namespace vmaf {

enum class SampleRange { unknown, limited, full };
enum class RangeChange { none, full_to_limited, limited_to_full };

std::string to_string(SampleRange range);

// A part of a picture: everything else is cut off.
struct Crop {
    unsigned width = 0, height = 0, x = 0, y = 0;
};

struct VideoRequest {
    std::string path;                // "-" is standard input
    bool is_y4m = false;             // what comes is YUV4MPEG2: nothing has to be found out, so a pipe will do
    unsigned threads = 1;            // of the decoder
    std::string hwaccel;             // empty or "none", "auto", or a kind of device that must be used
    bool may_stay_on_device = false; // on_device() will be called: the first frame may come from a processor
    bool may_be_uploaded = false;    // for_upload() may be called
    bool drop_film_grain = false;
    bool deinterlace = false; // pictures that are flagged as interlaced
    std::optional<Crop> crop; // cut out, unless pictures have that size anyway; not for clips that the file turns
};

struct VideoFacts {
    std::string container, codec, decoder, hwaccel; // hwaccel: empty where a processor decodes
    std::string pixel_format;                       // the decoder's name of it
    unsigned width = 0, height = 0;                 // of the upright picture
    PixelFormat chroma = PixelFormat::unknown;      // which holds every sample of the decoder's format
    unsigned bits = 0;
    bool is_planar = true; // false: samples must be computed (RGB, 4:1:1, ...), not only moved
    bool is_rgb = false, has_alpha = false;
    SampleRange range = SampleRange::unknown;
    std::string matrix, primaries, transfer; // empty where the file does not say
    Fraction sample_aspect{1, 1};            // of the upright picture
    bool has_sample_aspect = false;          // stated by the file
    int rotation = 0;                        // clockwise, already undone in width and height: 0, 90, 180, 270
    bool is_mirrored = false;
    bool is_cropped = false;             // as the request asked
    bool is_interlaced = false;          // the first frame is
    bool has_film_grain = false;         // in the first frame, still to be added
    Fraction average_rate, base_rate;    // frames per second; 0 where not known
    std::int64_t start = 0;              // of the first frame, nanoseconds on the file's clock
    std::optional<std::uint64_t> frames; // as the container says
    std::optional<double> seconds;
    unsigned video_streams = 1;
    std::string remark; // a sentence about how the file is decoded; mostly empty
};

// What frames are turned into.
struct VideoOutput {
    PictureFormat picture;
    std::string scaler = "bicubic";
    RangeChange range_change = RangeChange::none;
    std::string matrix; // for RGB: the matrix to use
};

// What decodes into its own memory: the kind by its name in VideoRequest::hwaccel ("host": a processor, for tests), and
// a context of its driver.
struct DecodingDevice {
    std::string kind;
    void *context = nullptr;
};

// Rows of bytes in the host's memory, the first at the lowest address.
struct HostPlane {
    const std::byte *first = nullptr;
    std::size_t pitch = 0, row_bytes = 0, rows = 0;
};

// A picture where its decoder left it, in memory of a device. It stays there while `hold` lives.
struct DeviceSurface {
    std::array<ComponentView, 3> components; // of the picture, without what is cropped
    std::shared_ptr<void> hold;
    // Where rows are: it is in the host's memory and has to be copied; by component, which may share a plane.
    std::array<HostPlane, 3> on_host{};
};

// One of several decoders of a file. They work at the same time, on threads of their own, each at other frames.
class PartDecoder {
  public:
    struct Frame {
        std::uint64_t number = 0;          // in the file
        std::optional<std::int64_t> stamp; // nanoseconds on the file's clock, where the file says
        DeviceSurface surface;             // complete once the decoder's stream is here
    };

    virtual ~PartDecoder() = default;
    // Decodes parts that no other has, until there is none left, and hands over their frames; false: no more of them.
    // The calling thread is in the device's scope. Throws Error for damaged data.
    using Take = std::function<bool(Frame frame)>;
    virtual void decode(const Take &take) = 0;
    // The frame that comes next; after an error, the one that could not be had.
    virtual std::uint64_t position() const = 0;
};

// A file from its beginning, in parts that can be decoded by themselves.
class VideoParts {
  public:
    virtual ~VideoParts() = default;
    // `stream`: of the device, where the decoder's work goes. Must outlive the decoder and its surfaces.
    virtual std::unique_ptr<PartDecoder> make_decoder(void *stream) = 0;
    // False: there is one decoder only, which takes the whole file.
    virtual bool has_many() const = 0;
    // A sentence about parts that could not be made, so far; mostly empty.
    virtual std::string remark() const = 0;
    // From another thread: ends what waits for data.
    virtual void cancel() noexcept = 0;
};

class VideoFile {
  public:
    virtual ~VideoFile() = default;

    virtual const VideoFacts &facts() const = 0;
    // Before the first next(). Throws Error for what cannot be done.
    virtual void set_output(const VideoOutput &output) = 0;
    // Decodes a frame and returns its time, nanoseconds on the file's clock; times rise. Nothing at the end. Throws
    // Error for damaged data.
    virtual std::optional<std::int64_t> next() = 0;
    // Puts the last frame into a picture of the output's format.
    virtual void store(const Picture &picture) = 0;
    // From another thread: ends what waits for data.
    virtual void cancel() noexcept = 0;

    // After set_output(), instead of next(): the same frames, left in the memory of a device. Nothing, and why, where
    // they must come through the host's. Throws Error for damage that has shown.
    virtual std::unique_ptr<VideoParts> on_device(const DecodingDevice &device, std::string &why) = 0;
    // The same where a processor decodes: into memory of this kind, for a device to copy from. The file has one
    // decoder, and goes with it.
    virtual std::unique_ptr<VideoParts> for_upload(const PictureMemory &memory, std::string &why) = 0;
};

// What the module offers, under the name vmaf_video_module.
struct VideoModule {
    const char *interface; // kVideoInterface of its build
    const char *libraries; // names and versions
    std::unique_ptr<VideoFile> (*open)(const VideoRequest &request);
};
inline constexpr const char *kVideoInterface = "vmaf video 7";

// The module, loaded once. Throws Error (ENOSYS) that says what to do where there is none.
const VideoModule &video_module();

std::unique_ptr<VideoFile> open_video(const VideoRequest &request);

} // namespace vmaf
