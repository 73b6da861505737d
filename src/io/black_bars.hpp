// Black bars around pictures (letterbox and pillarbox), found at the beginning of a clip.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "io/video_file.hpp"

namespace vmaf {

struct BlackBars {
    unsigned left = 0, right = 0, top = 0, bottom = 0;
};

// Rows and columns at the edges that are black in all pictures looked at so far, but for what an encoder leaves next to
// a picture's edge.
class BarFinder {
  public:
    BarFinder(const PictureFormat &format, SampleRange range);
    bool look_at(const Picture &picture); // false: it is as good as black, and shows nothing of the bars
    BlackBars bars() const;               // none where everything is black

  private:
    double black_, scale_;               // the level of black; of a code of 8 bits
    std::vector<double> rows_, columns_; // how far the mean of each was above black at most, in codes of 8 bits
};

// Decodes the beginning of the file. Throws Error.
std::pair<BlackBars, VideoFacts> find_bars(const VideoRequest &request);

// What to cut from each of two clips. Bars at two opposite sides stay where both clips have the same, measured in parts
// of their pictures.
struct BarCuts {
    std::optional<Crop> reference, distorted;
};
BarCuts cuts_for(const std::pair<BlackBars, VideoFacts> &reference, const std::pair<BlackBars, VideoFacts> &distorted);

} // namespace vmaf
