// What makes one configuration of an encoder differ from another. Rows that agree in all of it lie on one curve; rows
// that do not are never joined, averaged or compared as if they did.
#pragma once

#include <compare>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vmaf::tune {

struct Configuration {
    std::string encoder, preset;
    std::string variant;              // the name that was given to its options, if any
    std::vector<std::string> options; // flags of vmaf-tune that it needs besides: --enc tune=grain, --keyint 48, ...
    std::string resolution;           // of the encode, "640x360"; empty: the row does not tell
    std::string pix_fmt;              // given to the encoder
    std::string model, scored_at;     // the size at which pictures were compared

    auto operator<=>(const Configuration &) const = default; // NOLINT(modernize-use-nullptr)

    bool is_comparable(const Configuration &other) const {
        return model == other.model && scored_at == other.scored_at;
    }
    // For people: encoder and preset, and of the rest what `others` do not share.
    std::string label(const std::vector<Configuration> &others) const;
    std::string details(const std::vector<Configuration> &others) const; // the rest alone
};

// Of a row of any schema.
Configuration configuration_of(const nlohmann::json &row);

} // namespace vmaf::tune
