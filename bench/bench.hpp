// What vmaf-bench times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interleaved.hpp"
#include "picture/picture.hpp"

namespace vmaf::bench {

struct Settings {
    std::string filter; // only names that contain this
    std::vector<Isa> isas;
    std::vector<unsigned> lanes = {1}; // numbers of threads that share a frame
    double seconds = 1;                // per line of the table's first column
    PictureFormat format{PixelFormat::yuv420p, 8, 1920, 1080};

    bool wants(const std::string &name) const { return name.find(filter) != std::string::npos; }
};

using Report = std::function<void(const Timing &)>;

// Times the functions registered with tests/equality.
void time_functions(const Settings &settings, const Report &report);

// Times whole metrics, and "vmaf" for the three that the default model needs, on generated content.
void time_metrics(const Settings &settings, const Report &report);

// Has callgrind count one frame of each metric per instruction set; dumps are named "METRIC ISA".
void count_metrics(const Settings &settings);

// Reports the result of best_times(), with ratios to the scalar contender.
void time_all(const std::string &name, const Settings &settings, const std::vector<Contender> &contenders,
              const Report &report);

} // namespace vmaf::bench
