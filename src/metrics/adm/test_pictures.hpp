// Pictures for tests: the clips of adm.md 6, and random ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "metrics/options.hpp"
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

// The reference's values for a clip of adm.md 6.
struct ReferenceRow {
    char clip; // 'A', 'B' or 'C'
    OptionTexts options;
    double values[7]; // adm2, aim, adm3, scales
};

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

// Kinds of content for different branches: 0 smooth with noise, 1 full-range noise, 2 two levels, 3 steps.
inline PicturePair random_pair(unsigned bits, int width, int height, unsigned seed) {
    std::mt19937 random(seed);
    const PictureFormat format = {PixelFormat::yuv400p, bits, unsigned(width), unsigned(height)};
    PicturePair pair{Picture::allocate(format), Picture::allocate(format)};
    const int top = (1 << bits) - 1;
    const unsigned kind = seed % 4, block = 1 + unsigned(random() % 9);
    const int gain = 50 + int(random() % 100), noise = 1 + int(random() % unsigned(top)) / (1 + int(random() % 30));
    const auto put = [&](const Picture &p, int y, int x, int value) {
        value = std::clamp(value, 0, top);
        std::byte *row = p.data(0) + y * p.stride_bytes(0);
        if (bits > 8)
            reinterpret_cast<std::uint16_t *>(row)[x] = std::uint16_t(value);
        else
            row[x] = std::byte(value);
    };
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int r = (x + y) * top / (width + height) + int(random() % unsigned(noise)) - noise / 2;
            if (kind == 1) r = int(random() & unsigned(top));
            if (kind == 2) r = random() & 1 ? top : 0;
            if (kind == 3) r = ((unsigned(x) / block + unsigned(y) / block) & 1) != 0 ? top - top / 8 : top / 8;
            int d = top / 2 + (r - top / 2) * gain / 100 + int(random() % unsigned(noise)) / 8;
            if (kind == 1 && seed % 8 < 4) d = int(random() & unsigned(top));
            put(pair.ref, y, x, r);
            put(pair.dist, y, x, d);
        }
    return pair;
}

} // namespace vmaf::adm
