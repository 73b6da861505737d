// Scores two clips and writes the document (cli-and-formats.md 9).
#pragma once

#include "engine.hpp"
#include "options.hpp"

namespace vmaf::cli {

// Throws Failure. `kept`: state from earlier runs of this process, updated by this one.
void run(const Options &options, KeptEngine *kept = nullptr);

// Scores every pair of --list or of several --distorted clips, --jobs at a time, with one backend and
// one set of models. A failed pair does not stop the others; the end reports it as
// Failure(some_failed).
void run_pairs(const Options &options);

} // namespace vmaf::cli
