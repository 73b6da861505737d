// Black bars around pictures (letterbox and pillarbox), found in the first seconds of a clip.
#pragma once

#include <optional>
#include <utility>

#include "io/video_file.hpp"

namespace vmaf {

struct BlackBars {
    unsigned left = 0, right = 0, top = 0, bottom = 0;
};

// Rows and columns at the edges that hold nothing but black in all of `pictures` looked at so far.
class BarFinder {
  public:
    BarFinder(const PictureFormat &format, SampleRange range);
    void look_at(const Picture &picture);
    BlackBars bars() const; // even numbers; none where everything is black

  private:
    unsigned black_; // the brightest sample that counts as black
    std::vector<bool> row_is_lit_, column_is_lit_;
};

// Decodes the beginning of the file. Throws Error.
std::pair<BlackBars, VideoFacts> find_bars(const VideoRequest &request);

// What to cut from each of two clips: nothing where both have the same bars, measured in parts of their pictures.
struct BarCuts {
    std::optional<Crop> reference, distorted;
};
BarCuts cuts_for(const std::pair<BlackBars, VideoFacts> &reference, const std::pair<BlackBars, VideoFacts> &distorted);

} // namespace vmaf
