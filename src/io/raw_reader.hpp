// Raw planar clips: consecutive frames without headers (cli-and-formats.md 10.4).
#pragma once

#include "io/clip_reader.hpp"

namespace vmaf {

class RawReader final : public ClipReader {
  public:
    RawReader(ByteSource source, const RawGeometry &geometry);
    const char *container() const override { return "rawvideo"; }

  private:
    bool begin_frame(ByteSource &, std::uint64_t) override { return true; }
    const char *cut_off_advice() const override {
        return "check width, height, pixel format and bit depth, or whether the file is complete";
    }
};

} // namespace vmaf
