// FFmpeg's bwdif filter for pictures flagged as interlaced: one picture per two fields.
#pragma once

#include <functional>

#include "io/libav/libav.hpp"

namespace vmaf::libav {

class Deinterlacer {
  public:
    using Decode = std::function<bool(AVFrame *)>; // the next frame, like all others; false at the end
    Deinterlacer(Decode decode, const AVStream &stream);

    // The next picture; false at the end. Times are in the stream's time base.
    bool next(AVFrame *frame);
    bool was_interlaced() const { return was_interlaced_; } // the first frame

  private:
    void open(const AVFrame &first);
    bool take(AVFrame *frame); // false: the filter wants another frame, or it is the end

    const Decode decode_;
    const AVStream &stream_;
    Frame decoded_ = new_frame();
    FilterGraph graph_; // from the first frame on
    AVFilterContext *source_ = nullptr, *sink_ = nullptr;
    bool is_ended_ = false, was_interlaced_ = false;
};

bool is_interlaced(const AVFrame &frame);

} // namespace vmaf::libav
