// YUV4MPEG2 clips (cli-and-formats.md 10.1, 10.2).
#pragma once

#include <cstdint>

#include "io/byte_source.hpp"
#include "io/clip_reader.hpp"
#include "io/stored_frame.hpp"

namespace vmaf {

class Y4mReader final : public ClipReader {
  public:
    explicit Y4mReader(ByteSource source); // reads the header

    const PictureFormat &format() const override { return stored_.picture; }
    void set_picture_bits(unsigned bits) override { loader_ = FrameLoader(stored_, bits); }
    bool read(const Picture &picture) override;
    bool skip() override;
    // Exact when no frame header has parameters, as is usual.
    std::optional<std::uint64_t> frames_left() const override;
    void cancel() noexcept override { source_.cancel(); }

  private:
    bool read_frame_header();

    ByteSource source_;
    StoredFrame stored_;
    FrameLoader loader_;
    std::uint64_t frames_read_ = 0;
};

} // namespace vmaf
