// The outcome of a probe or a row, and its meaning for rows and for the command (tune.md 15).
#pragma once

#include <algorithm>
#include <iterator>
#include <string>

namespace vmaf::tune {

enum ExitCode {
    kExitOk = 0,
    kExitUnmet = 1,
    kExitUsage = 2,
    kExitUntrusted = 3,
    kExitFailed = 4,
    kExitSomeFailed = 5,
    kExitOutput = 6,
    kExitBackend = 7,
    kExitInternal = 70,
    kExitInterrupted = 130,
};
// Of two: the one that describes the whole better. Codes are in this order.
inline ExitCode worse(ExitCode a, ExitCode b) { return a < b ? b : a; }

enum class OutcomeKind {
    ok,
    encoder_failed,
    bad_output, // the encoder ran, but its output is wrong
    not_stored, // the output did not fit on the disk, or may not be written
    reference_undecodable,
    encode_undecodable,
    scorer_failed,
    backend_lost,
    score_out_of_range,
    backend_not_kept, // a feature was computed by another backend than requested
    score_unreadable,
    timed_out,
};

struct OutcomeEffect {
    OutcomeKind kind;
    int row_status;
    ExitCode exit_code;
};
inline constexpr OutcomeEffect kOutcomeEffects[] = {
    {OutcomeKind::ok, 0, kExitOk},
    {OutcomeKind::encoder_failed, 1, kExitFailed}, // 1 to 255: the encoder's exit code
    {OutcomeKind::bad_output, 300, kExitFailed},
    {OutcomeKind::not_stored, 301, kExitOutput},
    {OutcomeKind::reference_undecodable, 400, kExitFailed},
    {OutcomeKind::encode_undecodable, 401, kExitFailed},
    {OutcomeKind::scorer_failed, 500, kExitFailed},
    {OutcomeKind::backend_lost, 501, kExitFailed},
    {OutcomeKind::score_out_of_range, 502, kExitFailed},
    {OutcomeKind::backend_not_kept, 503, kExitBackend},
    {OutcomeKind::score_unreadable, 565, kExitFailed},
    {OutcomeKind::timed_out, 600, kExitFailed},
};

struct Outcome {
    OutcomeKind kind = OutcomeKind::ok;
    std::string sentence, stage;
    std::string tail;     // the end of the program's output
    int encoder_code = 1; // exit code of a failed encoder

    bool ok() const { return kind == OutcomeKind::ok; }
    int row_status() const { return kind == OutcomeKind::encoder_failed ? encoder_code : effect().row_status; }
    ExitCode exit_code() const { return effect().exit_code; }

  private:
    const OutcomeEffect &effect() const {
        return *std::ranges::find_if(kOutcomeEffects, [&](const OutcomeEffect &e) { return e.kind == kind; });
    }
};

// Of a row with this status.
inline Outcome outcome_of_row(int row_status, std::string sentence) {
    const auto found =
        std::ranges::find_if(kOutcomeEffects, [&](const OutcomeEffect &e) { return e.row_status == row_status; });
    if (found == std::end(kOutcomeEffects))
        return {OutcomeKind::encoder_failed, std::move(sentence), "", "", row_status};
    return {found->kind, std::move(sentence), "", ""};
}

} // namespace vmaf::tune
