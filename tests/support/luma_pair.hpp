// Two pictures without chroma, for tests that write samples.
#pragma once

#include <cstdint>
#include <functional>

#include "metrics/metric.hpp"
#include "picture/picture.hpp"

namespace vmaf {

inline void set_sample(const Picture &picture, int y, int x, int value) {
    std::byte *row = picture.data(0) + y * picture.stride_bytes(0);
    if (picture.format().bits > 8)
        reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(value);
    else
        row[x] = static_cast<std::byte>(value);
}

struct LumaPair {
    Picture ref, dist;

    LumaPair(unsigned bits, int width, int height)
        : LumaPair(
              PictureFormat{PixelFormat::yuv400p, bits, static_cast<unsigned>(width), static_cast<unsigned>(height)}) {}
    explicit LumaPair(const PictureFormat &format) : ref(Picture::allocate(format)), dist(Picture::allocate(format)) {}
};

// The pictures of vif.md 4.
inline LumaPair vif_vector_pair(unsigned bits) {
    LumaPair pair(bits, 36, 28);
    for (int y = 0; y < 28; y++)
        for (int x = 0; x < 36; x++) {
            const int base = (17 * x + 29 * y + 3 * x * y) % 256;
            const int r = bits == 8 ? base : 4 * base + (x + y) % 4;
            const int step = bits == 8 ? 16 : 64;
            set_sample(pair.ref, y, x, r);
            set_sample(pair.dist, y, x, (3 * r + 4 * step + (5 * x + 7 * y) % step) >> 2);
        }
    return pair;
}

// Runs the parts of a frame in reverse: any order must work.
class BackwardParts final : public Parallel {
  public:
    explicit BackwardParts(unsigned threads) : threads_(threads) {}
    unsigned threads() const override { return threads_; }
    void run(unsigned count, const std::function<void(unsigned)> &task) override {
        for (unsigned i = count; i > 0; i--) task(i - 1);
    }

  private:
    unsigned threads_;
};

} // namespace vmaf
