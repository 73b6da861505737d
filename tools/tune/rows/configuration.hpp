// What makes one configuration of an encoder differ from another. Rows that agree in all of it lie on one curve; rows
// that do not are never joined, averaged or compared as if they did.
#pragma once

#include <compare>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vmaf::tune {

// How a metric was measured. What is left at its default is empty.
struct ScoreConditions {
    std::string model; // empty: the metric has none
    std::string size;  // at which pictures were compared, "1920x1080"; empty: the row does not tell
    std::string rest;  // samples, subsampling, filter of the reference, film grain

    auto operator<=>(const ScoreConditions &) const = default; // NOLINT(modernize-use-nullptr)
    std::string text() const;                                  // for people
};

// Of a row of any schema; rows that do not state them have the defaults of their version.
ScoreConditions conditions_of(const nlohmann::json &row, const std::string &metric);
bool states_conditions(const nlohmann::json &row);
std::string unstated_text(std::size_t rows); // what is assumed of rows that do not

struct Configuration {
    std::string encoder, preset;
    std::string variant;              // the name that was given to its options, if any
    std::vector<std::string> options; // flags of vmaf-tune that it needs besides: --enc tune=grain, --keyint 48, ...
    std::string resolution;           // of the encode, "640x360"; empty: the row does not tell
    std::string pix_fmt;              // given to the encoder

    auto operator<=>(const Configuration &) const = default; // NOLINT(modernize-use-nullptr)

    // For people: encoder and preset, and of the rest what `others` do not share.
    std::string label(const std::vector<Configuration> &others) const;
    std::string details(const std::vector<Configuration> &others) const; // the rest alone
};

// Of a row of any schema.
Configuration configuration_of(const nlohmann::json &row);

} // namespace vmaf::tune
