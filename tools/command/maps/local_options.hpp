// What the command line asks for about parts of pictures: maps and regions (maps.md).
#pragma once

#include <string>
#include <vector>

#include "session/local_scores.hpp"

namespace vmaf::cli {

enum class MapFormat { npy, csv, png, y4m };

struct MapArgument {
    std::string path;
    MapFormat format = MapFormat::npy;
    std::string score; // empty: the first model's, or the first feature's
};

struct LocalOptions {
    std::vector<MapArgument> maps;
    std::string next_score; // of the maps that follow --map-of
    int cell_size = 0;      // 0: by the pictures' width
    std::vector<Region> regions;
    std::vector<std::string> region_files; // of regions that move

    bool wanted() const { return !maps.empty() || !regions.empty(); }
};

// For --map, --map-of, --map-cell, --region and --regions. Throws Failure(usage).
void set_local_option(LocalOptions &options, const std::string &name, const std::string &value);
// Adds the regions of the files. Throws Failure(setup).
void read_region_files(LocalOptions &options);
// What contradicts itself. Throws Failure(usage).
void check_local_options(const LocalOptions &options);

} // namespace vmaf::cli
