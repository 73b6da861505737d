// Finds where one shot ends and the next begins, from small pictures in the order of showing.
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

// Pictures of one shot can be made of each other by moving blocks, and have the same light and colours in about the
// same places; pictures of two shots do not. A cut is where this changes far more than around it and stays changed, so
// that flashes are none; a fade through one colour has its boundary where nothing is left to see.
class CutDetector {
  public:
    static constexpr int kWidth = 64, kHeight = 36;

    void add(const ShotPicture &picture);

    // Numbers of the pictures that begin a shot, without the first one.
    std::vector<std::int64_t> cuts() const;

  private:
    static constexpr int kBlock = 8, kColumns = kWidth / kBlock, kRows = kHeight / kBlock;
    using Small = std::array<float, kWidth * kHeight>;
    struct Look {
        Small luma;
        std::array<float, 32> light;               // quantiles
        std::array<float, 16> u = {}, v = {};      // quantiles
        std::array<float, kColumns * kRows> where; // means of blocks, less the picture's
        float texture = 0;                         // mean distance from the blocks' means
    };
    struct Change { // from one picture to another
        float light = 0, colour = 0, where = 0;
        float step = 0; // only where it is asked for
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
    std::vector<float> steps_;    // difference of a picture and the one before it
    std::vector<Change> changes_; // of a picture and the one before it
    std::vector<Change> lasting_; // the least change from pictures before it to it or later ones
    std::vector<float> textures_;
    std::vector<Look> anchors_; // a picture of every half second or so, for what lies around a fade
};

} // namespace vmaf::tune
