// Converts a decoded frame to a picture: scaling, chroma formats, depth, range, rotation. Samples that need no
// computation are moved and stay exact.
#pragma once

#include "io/libav/libav.hpp"
#include "io/libav/pixel_layout.hpp"
#include "io/range_change.hpp"
#include "io/video_file.hpp"

namespace vmaf::libav {

class PictureMaker {
  public:
    // `first`: a frame like all others.
    PictureMaker(const AVFrame &first, const VideoFacts &facts, const VideoOutput &output);

    void store(const AVFrame &frame, const Picture &picture);

  private:
    void prepare_scaling(const AVFrame &first, const VideoFacts &facts);
    void scale(const AVFrame &frame);

    VideoOutput output_;
    PixelLayout layout_;
    unsigned unused_bits_; // at the lower end of samples
    int rotation_;
    bool is_mirrored_;
    bool keeps_size_; // luma is only moved
    Scaling scaling_; // empty if samples are only moved
    Frame scaled_ = new_frame();
    RangeTables range_;
};

} // namespace vmaf::libav
