// Decoders for parts of a file, whose frames stay where they are decoded.
#pragma once

#include <deque>
#include <memory>

#include "io/libav/libav.hpp"
#include "io/libav/parts.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

inline constexpr AVRational kNanoseconds{1, 1'000'000'000};

// The properties that all frames of a file share.
struct FrameKind {
    int width = 0, height = 0, format = -1, range = 0;

    // Throws Error for a frame that differs.
    void check(const FrameKind &other, std::uint64_t number, const std::string &name) const;
};
// `format`: of the samples, if the frame is in device memory.
FrameKind kind_of(const AVFrame &frame, int format);

// Which frames a decoder must output for the parts it received: each of them, in order.
class ExpectedFrames {
  public:
    explicit ExpectedFrames(std::shared_ptr<PartSource> source) : source_(std::move(source)) {}

    void add(const Part &part);
    // A frame arrived: returns its number in the file. Throws Error if another one was expected.
    std::uint64_t arrived(std::int64_t stamp);
    // No more frames arrive. Throws Error if some are missing.
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
    std::optional<std::uint64_t> rest_at_; // frames after them, whose stamps are unknown
};

// The libraries' decoder, starting with `first` if given.
std::unique_ptr<PartDecoder> make_libav_decoder(std::shared_ptr<PartSource> source, const DecodingDevice &device,
                                                void *stream, const FrameKind &kind, std::optional<Part> first = {});

std::unique_ptr<VideoParts> make_parts(std::shared_ptr<Container> container, const DecodingDevice &device,
                                       const FrameKind &kind);

} // namespace vmaf::libav
