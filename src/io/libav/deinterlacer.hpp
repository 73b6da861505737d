// FFmpeg's bwdif filter for pictures flagged as interlaced: one picture per two fields.
#pragma once

#include "io/libav/libav.hpp"

namespace vmaf::libav {

class Deinterlacer {
  public:
    // `first`: a frame like all others.
    Deinterlacer(const AVFrame &first, AVRational time_base, AVRational frame_rate);

    void give(AVFrame *frame); // nullptr: the end
    // False: pass another frame, or it is the end. Times are in the stream's time base.
    bool take(AVFrame *frame);

  private:
    FilterGraph graph_;
    AVFilterContext *source_ = nullptr, *sink_ = nullptr;
    AVRational time_base_;
};

} // namespace vmaf::libav
