// Raw planar clips: frames behind each other, nothing between them (cli-and-formats.md 10.4).
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "io/byte_source.hpp"
#include "io/clip_reader.hpp"
#include "io/stored_frame.hpp"

namespace vmaf {

class RawReader final : public ClipReader {
  public:
    RawReader(ByteSource source, const RawGeometry &geometry);

    const PictureFormat &format() const override { return stored_.picture; }
    void set_picture_bits(unsigned bits) override { loader_ = FrameLoader(stored_, bits); }
    bool can_read_luma_at() const override { return source_.position().has_value(); }
    bool read_luma_at(std::uint64_t frame, const Picture &picture) const override;
    bool read(const Picture &picture) override;
    bool skip() override { return source_.skip(stored_.bytes()) == stored_.bytes(); }
    std::optional<std::uint64_t> frames_left() const override;
    void cancel() noexcept override { source_.cancel(); }

  private:
    Error cut_off(std::uint64_t frame, std::uint64_t got) const;

    ByteSource source_;
    StoredFrame stored_;
    FrameLoader loader_;
    std::uint64_t frames_read_ = 0;
};

} // namespace vmaf
