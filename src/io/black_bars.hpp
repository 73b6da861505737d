// Finds black bars around pictures (letterbox and pillarbox) at the start of a clip.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "io/clip_reader.hpp"
#include "io/video_file.hpp"

namespace vmaf {

struct BlackBars {
    unsigned left = 0, right = 0, top = 0, bottom = 0;
};

// Rows and columns at the edges that are black in all pictures so far, ignoring what an encoder leaves next to a
// picture's edge.
class BarFinder {
  public:
    BarFinder(const PictureFormat &format, SampleRange range);
    bool look_at(const Picture &picture); // false: almost black, so it shows no bars
    BlackBars bars() const;               // empty if everything is black

  private:
    double black_, scale_;               // the black level; a step of 8 bits
    std::vector<double> rows_, columns_; // the largest mean of each above black, in 8-bit steps
};

// Moves to the next picture of a clip and stores it, if a place for it is given. False at the end.
using NextPicture = std::function<bool(const Picture *picture)>;
// Of the first pictures. All throw Error.
BlackBars find_bars(const PictureFormat &format, SampleRange range, const NextPicture &next);
std::pair<BlackBars, VideoFacts> find_bars(const VideoRequest &request);
std::pair<BlackBars, VideoFacts> find_bars(ClipReader &clip); // reads them

// What to cut from each of two clips. Keeps bars at two opposite sides if both clips have them in the same
// proportion.
struct BarCuts {
    std::optional<Crop> reference, distorted;
};
BarCuts cuts_for(const std::pair<BlackBars, VideoFacts> &reference, const std::pair<BlackBars, VideoFacts> &distorted);

} // namespace vmaf
