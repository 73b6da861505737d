// What distinguishes configurations of an encoder. Rows that agree in all of it are on one curve; other rows are never
// joined, averaged or compared as if they did.
#pragma once

#include <compare>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vmaf::tune {

// How a metric was measured. Defaults are empty.
struct ScoreConditions {
    std::string model; // empty: the metric has none
    std::string size;  // of compared pictures, "1920x1080"; empty: not stated
    std::string rest;  // samples, subsampling, filter of the reference, film grain

    auto operator<=>(const ScoreConditions &) const = default; // NOLINT(modernize-use-nullptr)
    std::string text() const;                                  // for users
};

// Of a row of any schema; rows that do not state them have their version's defaults.
ScoreConditions conditions_of(const nlohmann::json &row, const std::string &metric);
bool states_conditions(const nlohmann::json &row);
std::string unstated_text(std::size_t rows); // the assumption for rows that state nothing

struct Configuration {
    std::string encoder, preset;
    std::string variant;              // the name of its options, if any
    std::vector<std::string> options; // flags of vmaf-tune that it also needs: --enc tune=grain, --keyint 48, ...
    std::string resolution;           // of the encode, "640x360"; empty: not stated
    std::string pix_fmt;              // passed to the encoder

    auto operator<=>(const Configuration &) const = default; // NOLINT(modernize-use-nullptr)

    // For users: encoder and preset, and whatever differs from `others`.
    std::string label(const std::vector<Configuration> &others) const;
    std::string details(const std::vector<Configuration> &others) const; // only the differences
};

// Of a row of any schema.
Configuration configuration_of(const nlohmann::json &row);

} // namespace vmaf::tune
