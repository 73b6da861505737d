// Turns errors of the engine into exit codes of the command.
#pragma once

#include <cerrno>

#include "base/error.hpp"
#include "exit_code.hpp"
#include "io/video_pairs.hpp"
#include "system/output_file.hpp"

namespace vmaf::cli {

// Calls `step`; an Error ends the run with `code`, unless it is about output.
template <class Step> auto guarded(ExitCode code, Step step) {
    try {
        return step();
    } catch (const system::OutputError &e) {
        throw Failure(e.code() == EPIPE ? ExitCode::closed_pipe : ExitCode::setup, e.what());
    } catch (const Error &e) {
        throw Failure(e.code() == kMismatch ? ExitCode::setup : code, e.what(), {},
                      e.code()); // may appear at any frame
    }
}

} // namespace vmaf::cli
