// Named sets of encoder options, --variant NAME=key=value,...: another dimension of grids and comparisons.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace vmaf::tune {

struct Variant {
    std::string name;             // empty: the command line without variants
    std::string encoder, preset;  // of this variant only; empty: all requested ones
    std::vector<std::string> enc; // KEY=VALUE, as for --enc
    std::string vfilter, keyint, out_pix_fmt;
};

// Parses --variant, in order; without any, returns the nameless one. Throws CommandError.
std::vector<Variant> parse_variants(const std::vector<std::string> &texts);

// The options plus those of the variant.
EncodingOptions with_variant(const EncodingOptions &options, const Variant &variant);

void bind_variants(CLI::App &app, EncodingOptions &options);

} // namespace vmaf::tune
