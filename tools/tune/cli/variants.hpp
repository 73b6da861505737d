// Named sets of encoder options, --variant NAME=key=value,...: one more dimension of grids and comparisons.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace vmaf::tune {

struct Variant {
    std::string name;             // empty: what the command line says without variants
    std::string encoder, preset;  // of the variant alone; empty: all that are asked for
    std::vector<std::string> enc; // KEY=VALUE, as --enc takes it
    std::string vfilter, keyint, out_pix_fmt;
};

// Of --variant, in its order; without any, the one that has no name. Throws CommandError.
std::vector<Variant> parse_variants(const std::vector<std::string> &texts);

// The options with what the variant adds.
EncodingOptions with_variant(const EncodingOptions &options, const Variant &variant);

void bind_variants(CLI::App &app, EncodingOptions &options);

} // namespace vmaf::tune
