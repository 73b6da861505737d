// The scenes and distortions of clipgen; also for tests and benchmarks without files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clipgen {

struct Options {
    int width = 576, height = 324, frames = 12, depth = 8;
    std::string format = "420", scene = "street", distort = "none", path;
    uint32_t seed = 1;
};

struct Plane {
    int width, height;
    std::vector<int> samples; // in 1/256 of an 8-bit step: 0..65280, reduced to the bit depth later
    Plane(int w, int h) : width(w), height(h), samples(size_t(w) * h) {}
    int &at(int x, int y) { return samples[size_t(y) * width + x]; }
    int at(int x, int y) const { return samples[size_t(y) * width + x]; }
    int clamped(int x, int y) const {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        return at(x, y);
    }
};

// A plane of frame `index`, distorted as requested; not yet reduced to the bit depth. Chroma sizes are rounded up, as
// in files.
Plane frame_plane(const Options &options, int index, int plane);

// Reduces a sample to the clip's bit depth.
int to_depth(int sample, int depth);

} // namespace clipgen
