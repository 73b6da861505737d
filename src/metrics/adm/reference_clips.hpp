// The clips of adm.md 6, for tests.
#pragma once

#include "support/clip.hpp"

namespace vmaf::adm {

struct PicturePair {
    Picture ref, dist;
};

inline PicturePair clip_pair(clipgen::Options clip) {
    PicturePair pair;
    pair.dist = clip_frame(clip, 0);
    clip.distort = "none";
    pair.ref = clip_frame(clip, 0);
    return pair;
}

// 'A', 'B' or 'C'.
inline PicturePair reference_clip(char name) {
    clipgen::Options clip;
    clip.frames = 1;
    if (name == 'A') clip.width = 176, clip.height = 144, clip.distort = "dct:24";
    if (name == 'B')
        clip.width = 187, clip.height = 133, clip.depth = 12, clip.format = "444", clip.distort = "gain:120";
    if (name == 'C')
        clip.width = 352, clip.height = 288, clip.depth = 10, clip.format = "422", clip.scene = "noise",
        clip.distort = "noise:12";
    return clip_pair(clip);
}

} // namespace vmaf::adm
