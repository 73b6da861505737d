// Scores two clips and writes the document: the whole run behind the command line (cli-and-formats.md 9).
#pragma once

#include "options.hpp"

namespace vmaf::cli {

void run(const Options &options); // throws Failure

} // namespace vmaf::cli
