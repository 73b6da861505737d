// FFmpeg's bwdif filter on pictures that are flagged as interlaced: one picture for two fields.
#pragma once

#include "io/libav/libav.hpp"

namespace vmaf::libav {

class Deinterlacer {
  public:
    // `first`: a frame like all that will come.
    Deinterlacer(const AVFrame &first, AVRational time_base, AVRational frame_rate);

    void give(AVFrame *frame); // nullptr: the end
    // False: give another frame, or it is the end. Times are in the time base of the stream.
    bool take(AVFrame *frame);

  private:
    FilterGraph graph_;
    AVFilterContext *source_ = nullptr, *sink_ = nullptr;
    AVRational time_base_;
};

} // namespace vmaf::libav
