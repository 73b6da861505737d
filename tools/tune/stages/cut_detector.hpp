// Finds shot boundaries from small pictures in display order.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace vmaf::tune {

// 8-bit planes. Colour may be missing.
struct ShotPicture {
    struct Plane {
        std::span<const unsigned char> samples;
        int width = 0, height = 0;
    };
    Plane luma, u = {}, v = {};
};

// Pictures of one shot can be made of each other by moving blocks, and have similar light and colours in similar
// places; pictures of two shots cannot. A cut is where this changes far more than around it and stays changed, which
// excludes flashes; a fade through one colour has its boundary where nothing is visible.
class CutDetector {
  public:
    static constexpr int kWidth = 64, kHeight = 36;

    void add(const ShotPicture &picture);

    // Numbers of the first pictures of shots, except the very first.
    std::vector<std::int64_t> cuts() const;

  private:
    static constexpr int kBlock = 8, kColumns = kWidth / kBlock, kRows = kHeight / kBlock;
    using Small = std::array<float, kWidth * kHeight>;
    struct Look {
        Small luma;
        std::array<float, 32> light;               // quantiles
        std::array<float, 16> u = {}, v = {};      // quantiles
        std::array<float, kColumns * kRows> where; // means of blocks, minus the picture's
        float texture = 0;                         // mean distance from the blocks' means
    };
    struct Change { // between two pictures
        float light = 0, colour = 0, where = 0;
        float step = 0; // only on request
    };
    static Look look_of(const ShotPicture &picture);
    static Change change(const Look &first, const Look &second);
    // 0: made of each other; about 1: nothing in common.
    static float difference(const Look &first, const Look &second, int reach);
    Change lasting_change(std::int64_t boundary) const;
    float cut_score(std::int64_t boundary) const;
    std::vector<std::int64_t> hard_cuts() const;
    void add_fades(std::vector<std::int64_t> &found) const;

    std::deque<Look> last_;       // the newest pictures
    std::vector<float> steps_;    // difference between a picture and the previous one
    std::vector<Change> changes_; // between a picture and the previous one
    std::vector<Change> lasting_; // the smallest change from earlier pictures to it or later ones
    std::vector<float> textures_;
    std::vector<Look> anchors_; // about every half second, for the surroundings of a fade
};

} // namespace vmaf::tune
