// Finds where one shot ends and the next begins, from small luma pictures in the order of showing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace vmaf::tune {

// Pictures of one shot can be made of each other by moving blocks, whatever the camera does and however bright it is;
// pictures of two shots cannot. A cut is a boundary that no pair of pictures around it bridges, so that flashes are
// none; a fade through one colour has its boundary where nothing is left to see.
class CutDetector {
  public:
    static constexpr int kWidth = 64, kHeight = 36;

    CutDetector(int width, int height); // of the pictures that are given
    void add(std::span<const unsigned char> luma);

    // Numbers of the pictures that begin a shot, without the first one.
    std::vector<std::int64_t> cuts() const;

  private:
    struct Small {
        std::array<float, kWidth * kHeight> luma;
        float texture = 0; // mean distance from the blocks' means
    };
    static float difference(const Small &first, const Small &second,
                            int reach); // 0: made of each other; about 1: nothing in common

    int width_, height_;
    std::deque<Small> last_;           // at most four
    std::vector<float> steps_, spans_; // of a picture and the one before it; and the third before it
    std::vector<float> textures_;
    std::vector<Small> anchors_; // a picture of every half second or so, for what lies around a fade
};

} // namespace vmaf::tune
