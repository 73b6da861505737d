#include "maps/local_options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/visible_text.hpp"
#include "clips.hpp"
#include "exit_code.hpp"
#include "options.hpp"
#include "pair_list.hpp"

namespace vmaf::cli {

namespace {

constexpr std::size_t kMaxMaps = 16, kMaxRegions = 64;

constexpr std::size_t kMostShown = 60; // characters of a bad line

MapFormat format_of(const std::string &path) {
    const std::size_t dot = path.rfind('.');
    std::string ending = dot == std::string::npos ? "" : path.substr(dot);
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    if (ending == ".npy") return MapFormat::npy;
    if (ending == ".csv") return MapFormat::csv;
    if (ending == ".png") return MapFormat::png;
    if (ending == ".y4m") return MapFormat::y4m;
    throw usage_error("option --map: '" + path + "' has no known ending; use .npy, .csv, .png or .y4m");
}

std::optional<int> number(const std::string &text) {
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || value < -(1 << 20) || value > 1 << 20)
        return std::nullopt;
    return value;
}

// x, y, width, height
std::optional<PictureArea> area_of(const std::vector<std::string> &fields, std::size_t first) {
    int values[4];
    for (std::size_t i = 0; i < 4; i++) {
        const auto value = number(fields[first + i]);
        if (!value) return std::nullopt;
        values[i] = *value;
    }
    return PictureArea{values[0], values[1], values[0] + values[2], values[1] + values[3]};
}

Region *find_region(LocalOptions &options, const std::string &name) {
    const auto found = std::find_if(options.regions.begin(), options.regions.end(),
                                    [&](const Region &region) { return region.name == name; });
    return found == options.regions.end() ? nullptr : &*found;
}

Region &add_region(LocalOptions &options, const std::string &name) {
    if (options.regions.size() == kMaxRegions)
        throw usage_error("more than " + std::to_string(kMaxRegions) + " regions; score them in several runs");
    return options.regions.emplace_back(Region{name, {}, {}});
}

void set_region(LocalOptions &options, const std::string &text) {
    const std::size_t equals = text.find('=');
    const std::vector<std::string> fields = split(equals == std::string::npos ? "" : text.substr(equals + 1), ',');
    const auto area = fields.size() == 4 ? area_of(fields, 0) : std::nullopt;
    if (!area)
        throw usage_error("option --region: '" + text +
                          "' is not NAME=X,Y,WIDTH,HEIGHT; for example face=600,200,320,320");
    const std::string name = text.substr(0, equals);
    try {
        check_region_name(name);
    } catch (const Error &e) {
        throw usage_error("option --region: " + std::string(e.what()));
    }
    if (find_region(options, name)) throw usage_error("two regions are named '" + name + "'; give each its own name");
    add_region(options, name).everywhere = *area;
}

// Lines of "frame,name,x,y,w,h", optionally with these words as a heading.
void read_regions(LocalOptions &options, const std::string &path) {
    std::vector<std::string> fixed;
    for (const Region &region : options.regions) fixed.push_back(region.name);
    unsigned count = 0;
    for (std::string line : split(read_list(path, "the list of regions"), '\n')) {
        count++;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || line[0] == '#' || (count == 1 && line.starts_with("frame,"))) continue;
        const std::string place = "line " + std::to_string(count) + " of " + quoted(path);
        const std::vector<std::string> fields = split(line, ',');
        const auto frame = fields.size() == 6 ? number(fields[0]) : std::nullopt;
        const auto area = frame ? area_of(fields, 2) : std::nullopt;
        if (!area || *frame < 0)
            throw Failure(ExitCode::setup, place + " is not frame,name,x,y,width,height: '" +
                                               visible(line.substr(0, kMostShown)) +
                                               (line.size() > kMostShown ? "...'" : "'"));
        try {
            check_region_name(fields[1]);
        } catch (const Error &e) {
            throw Failure(ExitCode::setup, place + ": " + e.what());
        }
        if (std::find(fixed.begin(), fixed.end(), fields[1]) != fixed.end())
            throw Failure(ExitCode::setup,
                          place + ": region '" + fields[1] + "' was given before; choose another name");
        Region *known = find_region(options, fields[1]);
        Region &region = known ? *known : add_region(options, fields[1]);
        if (!region.at.emplace(unsigned(*frame), *area).second)
            throw Failure(ExitCode::setup, place + ": region '" + fields[1] + "' appears twice in frame " + fields[0]);
    }
    if (options.regions.size() == fixed.size())
        throw Failure(ExitCode::setup, "the list of regions " + quoted(path) + " has no regions");
}

} // namespace

void set_local_option(LocalOptions &options, const std::string &name, const std::string &value) {
    if (name == "map") {
        if (options.maps.size() == kMaxMaps)
            throw usage_error("option --map: at most " + std::to_string(kMaxMaps) + " can be given");
        options.maps.push_back({value, format_of(value), options.next_score});
    } else if (name == "map-of") {
        if (value.empty()) throw usage_error("option --map-of needs the name of a model or of a score");
        options.next_score = value;
    } else if (name == "map-cell") {
        options.cell_size = int(std::min(parse_unsigned(name, value), 1u << 20));
        try {
            check_cell_size(options.cell_size);
        } catch (const Error &e) {
            throw usage_error("option --map-cell: " + std::string(e.what()));
        }
    } else if (name == "region") {
        set_region(options, value);
    } else {
        if (value.empty()) throw usage_error("option --regions needs the name of a file");
        options.region_files.push_back(value);
    }
}

void read_region_files(LocalOptions &options) {
    for (const std::string &path : options.region_files) read_regions(options, path);
}

void check_local_options(const LocalOptions &options) {
    if (options.maps.empty() && options.cell_size)
        throw usage_error("--map-cell is for --map; give the name of a map's file");
    if (!options.next_score.empty() && (options.maps.empty() || options.maps.back().score != options.next_score))
        throw usage_error("--map-of is for the --map options that follow it; give one after --map-of " +
                          options.next_score);
}

} // namespace vmaf::cli
