// Decoders of a file's parts, whose frames stay where they are decoded.
#pragma once

#include <deque>
#include <memory>

#include "io/libav/libav.hpp"
#include "io/libav/parts.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

inline constexpr AVRational kNanoseconds{1, 1'000'000'000};

// What all frames of a file must be like.
struct FrameKind {
    int width = 0, height = 0, format = -1, range = 0;

    // Throws Error for a frame that is not.
    void check(const FrameKind &other, std::uint64_t number, const std::string &name) const;
};
// `format`: of the samples, where the frame itself is in memory of a device.
FrameKind kind_of(const AVFrame &frame, int format);

// Which frames a decoder must give for the parts that it was fed: each of them, in order.
class ExpectedFrames {
  public:
    explicit ExpectedFrames(std::shared_ptr<PartSource> source) : source_(std::move(source)) {}

    void add(const Part &part);
    // A frame came: its number in the file. Throws Error where it is another than that which must come.
    std::uint64_t arrived(std::int64_t stamp);
    // No more will come. Throws Error where some are missing.
    void check_end() const;
    std::uint64_t position() const; // of the next one
    std::optional<std::int64_t> nanoseconds(std::int64_t stamp) const;

  private:
    struct Expected {
        std::uint64_t number = 0;
        std::int64_t stamp = 0;
    };
    Error lost() const;

    std::shared_ptr<PartSource> source_;
    std::deque<Expected> expected_;
    std::optional<std::uint64_t> rest_at_; // after them, frames whose stamps are not known
};

// The libraries' decoder, beginning with `first` if there is one.
std::unique_ptr<PartDecoder> make_libav_decoder(std::shared_ptr<PartSource> source, const DecodingDevice &device,
                                                void *stream, const FrameKind &kind, std::optional<Part> first = {});

std::unique_ptr<VideoParts> make_parts(std::shared_ptr<Container> container, const DecodingDevice &device,
                                       const FrameKind &kind);

} // namespace vmaf::libav
