// YUV4MPEG2 clips (cli-and-formats.md 10.1, 10.2).
#pragma once

#include "io/clip_reader.hpp"

namespace vmaf {

class Y4mReader final : public ClipReader {
  public:
    explicit Y4mReader(ByteSource source); // reads the header
    const char *container() const override { return "yuv4mpegpipe"; }

  private:
    Y4mReader(ByteSource &source, const StoredFrame &stored);

    bool begin_frame(ByteSource &source, std::uint64_t frame) override;
    const char *cut_off_advice() const override { return "the file is cut off"; }
};

} // namespace vmaf
