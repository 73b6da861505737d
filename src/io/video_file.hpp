// A video file as the tools see it: facts, and decoded frames in order. A module (src/io/libav) does the decoding; it
// is loaded with the first file, and nothing else depends on its libraries.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/fraction.hpp"
#include "io/component_copy.hpp"
#include "io/crop.hpp"
#include "io/video_tags.hpp"
#include "picture/pool.hpp"

namespace vmaf {

enum class RangeChange { none, full_to_limited, limited_to_full };

struct VideoRequest {
    std::string path;                // "-" is standard input
    bool is_y4m = false;             // YUV4MPEG2 input: nothing has to be probed, so pipes work
    unsigned threads = 1;            // of the decoder
    std::string hwaccel;             // empty or "none", "auto", or a required kind of device
    bool may_stay_on_device = false; // on_device() will be called: the first frame may be decoded in software
    bool may_be_uploaded = false;    // for_upload() may be called
    bool drop_film_grain = false;
    bool deinterlace = false; // for pictures flagged as interlaced
    std::optional<Crop> crop; // applied unless pictures already have that size; not for rotated clips
};

// Its orientation is already undone in width and height.
struct VideoFacts : VideoTags, Orientation {
    std::string decoder, hwaccel;              // hwaccel: empty for software decoding
    std::string pixel_format;                  // the decoder's name
    unsigned width = 0, height = 0;            // of the upright picture
    PixelFormat chroma = PixelFormat::unknown; // holds every sample of the decoder's format
    unsigned bits = 0;
    bool is_planar = true; // false: samples must be computed (RGB, 4:1:1, ...), not only moved
    bool is_rgb = false, has_alpha = false;
    Fraction sample_aspect{1, 1};        // of the upright picture
    bool has_sample_aspect = false;      // stated by the file
    bool is_cropped = false;             // as requested
    bool is_interlaced = false;          // the first frame is
    bool has_film_grain = false;         // in the first frame, not yet added
    Fraction average_rate, base_rate;    // frames per second; 0 if unknown
    std::int64_t start = 0;              // of the first frame, nanoseconds on the file's clock
    std::optional<std::uint64_t> frames; // stated by the container
    std::optional<double> seconds;
    unsigned video_streams = 1, video_stream = 1; // how many there are, and which is used
    std::string remark;                           // a sentence about how the file is decoded; usually empty
};

// The format that frames are converted to.
struct VideoOutput {
    PictureFormat picture;
    std::string scaler = "bicubic";
    RangeChange range_change = RangeChange::none;
    std::string matrix; // for RGB: the matrix to use
};

// A device that decodes into its own memory: its kind as in VideoRequest::hwaccel ("host": software, for tests), and a
// context of its driver.
struct DecodingDevice {
    std::string kind;
    void *context = nullptr;
};

// Rows of bytes in host memory, the first at the lowest address.
struct HostPlane {
    const std::byte *first = nullptr;
    std::size_t pitch = 0, row_bytes = 0, rows = 0;
};

// A picture where its decoder left it, in device memory. Valid while `hold` exists.
struct DeviceSurface {
    std::array<ComponentView, 3> components; // of the picture, without cropped samples
    std::shared_ptr<void> hold;
    // If rows are set, the picture is in host memory and must be copied; by component, which may share a plane.
    std::array<HostPlane, 3> on_host{};
};

// One of several decoders of a file. They run concurrently in separate threads, on different frames.
class PartDecoder {
  public:
    struct Frame {
        std::uint64_t number = 0;          // in the file
        std::optional<std::int64_t> stamp; // nanoseconds on the file's clock, if stated
        DeviceSurface surface;             // complete once the decoder's stream gets here
    };

    virtual ~PartDecoder() = default;
    // Decodes parts that no other decoder has, until none is left, and passes on their frames; false: no more are
    // wanted. The calling thread must be in the device's scope. Throws Error for damaged data.
    using Take = std::function<bool(Frame frame)>;
    virtual void decode(const Take &take) = 0;
    // The next frame; after an error, the one that failed.
    virtual std::uint64_t position() const = 0;
};

// A file from its start, in parts that can be decoded independently.
class VideoParts {
  public:
    virtual ~VideoParts() = default;
    // `stream`: the device queue for the decoder's work. Must outlive the decoder and its surfaces.
    virtual std::unique_ptr<PartDecoder> make_decoder(void *stream) = 0;
    // False: only one decoder, which takes the whole file.
    virtual bool has_many() const = 0;
    // A sentence about parts that could not be made, so far; usually empty.
    virtual std::string remark() const = 0;
    // Call it from another thread: ends what waits for data.
    virtual void cancel() noexcept = 0;
};

class VideoFile {
  public:
    virtual ~VideoFile() = default;

    virtual const VideoFacts &facts() const = 0;
    // Call it before the first next(). Throws Error for impossible conversions.
    virtual void set_output(const VideoOutput &output) = 0;
    // Decodes a frame and returns its time in nanoseconds on the file's clock; times ascend. Empty at the end. Throws
    // Error for damaged data.
    virtual std::optional<std::int64_t> next() = 0;
    // Stores the last frame in a picture of the output's format.
    virtual void store(const Picture &picture) = 0;
    // Call it from another thread: ends what waits for data.
    virtual void cancel() noexcept = 0;

    // Call it after set_output(), instead of next(): the same frames, left in device memory. Null, with the reason, if
    // they must pass through host memory. Throws Error for damage found so far.
    virtual std::unique_ptr<VideoParts> on_device(const DecodingDevice &device, std::string &why) = 0;
    // The same for software decoding into memory of this kind, from which a device copies. The file has one decoder,
    // which it takes with it.
    virtual std::unique_ptr<VideoParts> for_upload(const PictureMemory &memory, std::string &why) = 0;
};

// The module's interface, exported as vmaf_video_module.
struct VideoModule {
    const char *interface; // kVideoInterface of its build
    const char *libraries; // names and versions
    std::unique_ptr<VideoFile> (*open)(const VideoRequest &request);
    void (*release_devices)(); // drops decoders that wait for the next file, and with them their devices
};
inline constexpr const char *kVideoInterface = "vmaf video 10";

// The module, loaded once. Throws Error (ENOSYS) with advice if there is none.
const VideoModule &video_module();

std::unique_ptr<VideoFile> open_video(const VideoRequest &request);

// After a failure: a device starts anew only when nothing holds it. Does nothing if the module was never used.
void release_video_devices();

} // namespace vmaf
