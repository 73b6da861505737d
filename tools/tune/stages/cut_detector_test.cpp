// Precision and recall of the shot detector on generated clips with known cuts, fades, flashes, pans and noise.
#include "stages/cut_detector.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace vmaf::tune {

namespace {

constexpr int kW = 96, kH = 54;

// An endless picture: waves of all sizes and some edges, different for each seed.
class Scene {
  public:
    explicit Scene(unsigned seed) {
        std::mt19937 random(seed);
        const auto uniform = [&](double low, double high) {
            return low + (high - low) * double(random()) / double(std::mt19937::max());
        };
        for (int i = 0; i < 8; i++) {
            const double length = 6 * std::pow(1.6, i % 6), angle = uniform(0, 6.3);
            waves_.push_back(
                {std::cos(angle) * 6.28 / length, std::sin(angle) * 6.28 / length, uniform(0, 6.3), uniform(4, 14)});
        }
        for (int i = 0; i < 10; i++)
            boxes_.push_back({uniform(-60, 160), uniform(-40, 90), uniform(6, 40), uniform(-50, 50)});
        level_ = uniform(90, 150);
    }
    double at(double x, double y) const {
        double value = level_;
        for (const auto &w : waves_) value += w[3] * std::sin(w[0] * x + w[1] * y + w[2]);
        for (const auto &b : boxes_)
            if (std::fabs(x - b[0]) < b[2] && std::fabs(y - b[1]) < b[2] / 2) value += b[3];
        return value;
    }

  private:
    std::vector<std::array<double, 4>> waves_, boxes_;
    double level_ = 0;
};

struct Clip {
    CutDetector detector;
    std::vector<std::int64_t> want;
    std::int64_t frames = 0;
    std::mt19937 random{7};

    // Frames of a scene under a camera that moves by (dx, dy) and zooms by `zoom` per frame; `change` may alter values.
    template <class Change>
    void add(const Scene &scene, int count, double dx, double dy, double zoom, double noise, Change change) {
        std::vector<unsigned char> picture(kW * kH);
        for (int n = 0; n < count; n++, frames++) {
            const double scale = std::pow(zoom, n);
            for (int y = 0; y < kH; y++)
                for (int x = 0; x < kW; x++) {
                    const double grain = noise * (double(random()) / double(std::mt19937::max()) - 0.5);
                    const double value = change(
                        scene.at((x - kW / 2) / scale + dx * n + kW / 2, (y - kH / 2) / scale + dy * n + kH / 2), n);
                    picture[static_cast<std::size_t>(y * kW + x)] =
                        static_cast<unsigned char>(std::clamp(value + grain, 16.0, 235.0));
                }
            detector.add({{picture, kW, kH}});
        }
    }
};

struct Tally {
    int right = 0, wrong = 0, missed = 0;
    void count(const Clip &clip) {
        std::vector<std::int64_t> left = clip.want;
        for (const std::int64_t cut : clip.detector.cuts()) {
            const auto near = std::find_if(left.begin(), left.end(), [&](auto w) { return std::abs(w - cut) <= 3; });
            if (near == left.end()) {
                wrong++;
            } else {
                right++;
                left.erase(near);
            }
        }
        missed += static_cast<int>(left.size());
    }
};

const auto same = [](double value, int) { return value; };

} // namespace

TEST(CutDetector, HasPrecisionAndRecallOnGeneratedClips) {
    Tally tally;
    for (unsigned seed = 0; seed < 18; seed++) {
        const double dx = (int(seed % 5) - 2) * 2.5, dy = (int(seed % 3) - 1) * 1.5, noise = seed % 4 == 3 ? 12 : 3;
        const double zoom = seed % 6 == 5 ? 1.01 : 1;
        Clip cuts;
        for (unsigned part = 0; part < 3; part++) {
            if (part) cuts.want.push_back(cuts.frames);
            cuts.add(Scene(100 * seed + part), 14, dx, dy, zoom, noise, same);
        }
        tally.count(cuts);
        Clip flashes; // one and two frames long, in a pan
        flashes.add(Scene(seed + 5000), 30, dx, dy, zoom, noise,
                    [](double v, int n) { return n == 10 || n == 20 || n == 21 ? v + 110 : v; });
        tally.count(flashes);
        if (seed % 3) continue;
        Clip fade; // from one scene to another, through black
        const auto black = [](double v, double part) { return 16 + (v - 16) * std::clamp(part, 0.0, 1.0); };
        fade.add(Scene(seed + 6000), 40, dx, 0, 1, 1, [&](double v, int n) { return black(v, (39 - n) / 14.0); });
        fade.want.push_back(fade.frames);
        fade.add(Scene(seed + 7000), 40, dx, 0, 1, 1, [&](double v, int n) { return black(v, n / 14.0); });
        tally.count(fade);
    }
    const double precision = double(tally.right) / (tally.right + tally.wrong),
                 recall = double(tally.right) / (tally.right + tally.missed);
    EXPECT_GE(precision, 0.95) << tally.wrong << " wrong of " << tally.right + tally.wrong;
    EXPECT_GE(recall, 0.95) << tally.missed << " missed of " << tally.right + tally.missed;
    RecordProperty("precision", std::to_string(precision));
    RecordProperty("recall", std::to_string(recall));
}

TEST(CutDetector, SeesNoCutInSteadyPansAndLight) {
    for (const double speed : {0.0, 2.0, 6.0}) {
        Clip pan;
        pan.add(Scene(1), 60, speed, speed / 3, 1, 3, [](double v, int n) { return v * (1 + 0.004 * n); });
        EXPECT_TRUE(pan.detector.cuts().empty()) << speed;
    }
}

TEST(CutDetector, SeesCutsBetweenBusyAndSmoothScenes) {
    const auto smooth = [](double v, int) { return 120 + 0.1 * (v - 120); };
    for (unsigned seed = 300; seed < 306; seed++) {
        Clip clip;
        clip.add(Scene(seed), 14, 1, 0, 1, 1, same);
        clip.want.push_back(clip.frames);
        clip.add(Scene(seed + 50), 14, 1, 0, 1, 1, smooth);
        clip.want.push_back(clip.frames);
        clip.add(Scene(seed + 90), 14, 0, 1, 1, 1, same);
        EXPECT_EQ(clip.detector.cuts(), clip.want) << seed;
    }
}

} // namespace vmaf::tune
