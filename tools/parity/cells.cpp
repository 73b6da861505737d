#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "parity.hpp"
#include "system/filesystem.hpp"

namespace vmaf::parity {

namespace {

struct Contract {
    std::string_view feature;
    double published, own;
};

// 11.1. Bit-exact unless a comment explains why not.
constexpr std::array kContracts = std::to_array<Contract>({
    {"vif", 5e-5, 0},
    {"adm", 5e-5, 0},
    {"motion", 5e-5, 0},
    {"motion_v2", 5e-5, 0},
    {"psnr", 5e-5, 0},
    {"cambi", 5e-5, 0},
    {"ssim", 5e-5, 0},
    {"float_moment", 5e-5, 0},
    {"float_psnr", 5e-5, 0},
    {"float_motion", 5e-5, 0},
    {"float_vif", 5e-5, 0},
    {"float_adm", 5e-5, 0},
    {"float_ssim", 5e-5, 0},
    {"float_ms_ssim", 5e-5, 0},
    {"speed_chroma", 1e-4, 0},
    {"speed_temporal", 1e-4, 0},
    {"psnr_hvs", 5e-4, 0},
    {"float_ansnr", 5e-5, 0},
    {"xpsnr", 5e-5, 0},
    {"ciede", 5e-3, 1e-8},       // vector and device code have separate functions: 1e-9 of the mean difference
    {"ssimulacra2", 5e-3, 1e-9}, // vector code sums the maps in another order
});
constexpr double kDefaultPublished = 5e-5, kDefaultOwn = 1e-6, kHalfPrecision = 1e-2;

double difference(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double d = std::fabs(a - b);
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

// Maps store floats: where backends may differ at all, cells may be a step apart.
double allowed(const Ceiling &ceiling, const std::string &score, double value) {
    const bool is_cell = score.find(" cell ") != std::string::npos;
    return ceiling.value + (is_cell && ceiling.value > 0 ? std::fabs(value) * 0x1p-23 : 0);
}

// The length of a matching pattern's literal part, or nothing.
std::optional<std::size_t> match(const std::string &pattern, const std::string &id) {
    if (!pattern.ends_with('*')) return pattern == id ? std::optional(pattern.size()) : std::nullopt;
    const std::string prefix = pattern.substr(0, pattern.size() - 1);
    return id.starts_with(prefix) ? std::optional(prefix.size()) : std::nullopt;
}

} // namespace

std::string_view to_string(Status status) {
    switch (status) {
    case Status::ok: return "OK";
    case Status::fail: return "FAIL";
    case Status::error: return "ERROR";
    case Status::skip: return "SKIP";
    }
    return "";
}

Ceilings::Ceilings(const Options &options) : options_(options) {
    if (options.calibration_table.empty()) return;
    system::fs::ifstream in(options.calibration_table);
    try {
        if (!in) throw invalid("cannot open the file");
        std::size_t longest = 0;
        for (const auto &entry : nlohmann::json::parse(in)) {
            Row row{entry.at("gpu_id_pattern"), entry.at("status") == "calibrated", entry.at("features")};
            const auto length = match(row.pattern, options.gpu_id);
            if (!length || (row_ && *length <= longest)) continue;
            longest = *length;
            row_ = std::move(row);
        }
    } catch (const std::exception &e) {
        throw invalid("calibration table '" + options.calibration_table + "': " + e.what());
    }
}

Ceiling Ceilings::of(const std::string &feature) const {
    const auto &fp16 = options_.fp16_features;
    if (std::find(fp16.begin(), fp16.end(), feature) != fp16.end()) return {kHalfPrecision, "fp16"};
    const auto *const known =
        std::find_if(kContracts.begin(), kContracts.end(), [&](const Contract &c) { return c.feature == feature; });
    Ceiling ceiling;
    if (known != kContracts.end())
        ceiling.value = options_.is_exact ? known->own : known->published;
    else
        ceiling.value = options_.is_exact ? kDefaultOwn : kDefaultPublished;
    if (options_.calibration_table.empty()) return ceiling;
    if (!row_) {
        ceiling.source = "no-calibration:" + options_.gpu_id;
        return ceiling;
    }
    const auto entry = row_->features.find(feature);
    const std::string status = row_->is_calibrated ? "calibrated:" : "placeholder:";
    if (entry == row_->features.end()) {
        ceiling.source = "placeholder-default:" + row_->pattern;
        return ceiling;
    }
    return {entry->second, status + row_->pattern};
}

Cell compare(const Run &a, const Run &b, const Ceiling &ceiling) {
    Cell cell;
    cell.ceiling = ceiling;
    const auto give_up = [&](const std::string &note) {
        cell.status = Status::error;
        cell.note = note;
        return cell;
    };
    if (!a.error.empty()) return give_up(a.error);
    if (!b.error.empty()) return give_up(b.error);
    std::set<std::string> names;
    for (const Run *run : {&a, &b})
        for (const auto &[name, values] : run->scores) names.insert(name);
    if (names.empty()) return give_up("no scores");
    for (const std::string &name : names) {
        const auto x = a.scores.find(name), y = b.scores.find(name);
        if (x == a.scores.end() || y == b.scores.end()) return give_up("only one backend has " + name);
        if (x->second.size() != y->second.size()) return give_up("different numbers of frames for " + name);
        cell.frames = std::max(cell.frames, x->second.size());
        double &largest = cell.largest[name];
        unsigned &mismatches = cell.mismatches[name];
        for (const auto &[frame, value] : x->second) {
            const auto other = y->second.find(frame);
            if (other == y->second.end()) return give_up("only one backend has frame " + std::to_string(frame));
            const double d = difference(value, other->second);
            largest = std::max(largest, d);
            if (d > allowed(ceiling, name, value)) mismatches++;
        }
        if (mismatches) cell.status = Status::fail;
    }
    return cell;
}

} // namespace vmaf::parity
