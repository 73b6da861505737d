// Scores two clips and writes the document: the whole run behind the command line (cli-and-formats.md 9).
#pragma once

#include "engine.hpp"
#include "options.hpp"

namespace vmaf::cli {

// Throws Failure. `kept`: what earlier runs of this process left, and what this one leaves.
void run(const Options &options, KeptEngine *kept = nullptr);

// The same for every pair of the list that --list names or of several --distorted clips, --jobs of them at a time, with
// one backend and one set of models. A pair that fails does not keep others from being scored; in the end
// Failure(some_failed) tells.
void run_pairs(const Options &options);

} // namespace vmaf::cli
