// Options for parts of pictures: maps and regions (maps.md).
#pragma once

#include <string>
#include <vector>

#include "session/local_scores.hpp"

namespace vmaf::cli {

enum class MapFormat { npy, csv, png, y4m };

struct MapArgument {
    std::string path;
    MapFormat format = MapFormat::npy;
    std::string score; // empty: the first model's, else the first feature's
};

struct LocalOptions {
    std::vector<MapArgument> maps;
    std::string next_score; // for maps after --map-of
    int cell_size = 0;      // 0: by picture width
    std::vector<Region> regions;
    std::vector<std::string> region_files; // moving regions

    bool wanted() const { return !maps.empty() || !regions.empty(); }
};

// Sets --map, --map-of, --map-cell, --region or --regions. Throws Failure(usage).
void set_local_option(LocalOptions &options, const std::string &name, const std::string &value);
// Adds the regions from the files. Throws Failure(setup).
void read_region_files(LocalOptions &options);
// Throws Failure(usage) for contradictions.
void check_local_options(const LocalOptions &options);

} // namespace vmaf::cli
