// The encode stage: one run of FFmpeg from a source (or a piece of it) to a compressed file (tune.md 5).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.hpp"
#include "source/source.hpp"
#include "stages/outcome.hpp"

namespace vmaf::tune {

// Answers of programs in this run; every probe asks the same questions.
struct KnownAnswers {
    std::mutex mutex;
    std::map<std::string, std::string> encoder_versions;           // by adapter, for those that work
    std::map<std::string, std::vector<std::string>> pixel_formats; // by encoder
    std::map<Arguments, std::pair<int, int>> filtered_sizes;       // by the command that asks
};

struct Programs {
    std::string ffmpeg = "ffmpeg", ffprobe = "ffprobe", vmaf = "vmaf";
    std::string ffmpeg_version; // from `ffmpeg -version`
    Cache *facts = nullptr;     // caches the programs' answers about themselves
    std::shared_ptr<KnownAnswers> known = std::make_shared<KnownAnswers>(); // shared by all copies
};

// Runs a program for information about itself. A success is cached until the program's file
// changes.
ChildResult ask_program(const Programs &programs, const Arguments &command);
void ask_ahead(const Programs &programs, const Arguments &command); // for a later question; does not wait

// Its destructor stops waiting for answers.
struct AnswersAwaited {
    AnswersAwaited() = default;
    ~AnswersAwaited();
    AnswersAwaited(const AnswersAwaited &) = delete;
    AnswersAwaited &operator=(const AnswersAwaited &) = delete;
};

// A piece of a source: `frames` frames starting at `start` seconds; without `frames` everything.
struct Window {
    double start = 0;
    std::int64_t frames = 0;
    bool full() const { return frames == 0; }
    bool operator==(const Window &) const = default;
};

struct EncodeSettings {
    const Adapter *adapter = nullptr;
    std::string preset = "medium";
    std::string native_preset;                // if the encoder does not support the preset's own (4.4); else empty
    std::optional<unsigned> bitrate_kbps;     // instead of q, with two passes
    bool two_pass = false, multipass = false; // two runs; one run in which the encoder analyses twice
    std::string vfilter;
    std::string out_pix_fmt; // empty: the rule of 5.6
    std::optional<unsigned> keyint;
    Arguments dropped_options;         // HDR options that this FFmpeg's encoder lacks (4.7)
    Arguments user_arguments;          // --enc
    Arguments user_input_arguments;    // --enc-input
    bool allow_unused_options = false; // otherwise an unused one is an error
    unsigned threads = 0;              // 0: the encoder decides
    std::chrono::milliseconds timeout{0};
    bool is_patient = false; // an encoder that works but outputs no frame has not stopped
    int max_tries = 3;
};

// The user's option that neither FFmpeg nor the encoder used, in a sentence with their messages; empty: none.
std::string unused_option(const EncodeSettings &settings, const std::string &messages);

// A change that an encode makes to the source's samples.
struct FormatChange {
    std::string what; // "chroma 4:4:4 becomes 4:2:0"
    bool is_loss = false;
};
std::vector<FormatChange> format_changes(const Source &source, const std::string &out_pix_fmt);

// The whole command of a pass (1, 2; 0: single pass).
Arguments encode_command(const Programs &programs, const Source &source, const Window &window,
                         const EncodeSettings &settings, double q, int pass, const std::string &stats_prefix,
                         const std::string &output);

// Codec, extra, HDR and user arguments: what distinguishes encodes, for the cache key.
Arguments distinguishing_arguments(const Source &source, const EncodeSettings &settings, double q);

std::string encoder_pix_fmt(const Source &source, const EncodeSettings &settings);

// Applies the rule of 5.6 to the encoder's formats: the source's format, or the closest with at least its depth.
std::string choose_pix_fmt(const Programs &programs, const Source &source, const EncodeSettings &settings);

// The closest native value that this FFmpeg's encoder accepts; empty if it accepts the preset's own.
std::string clamped_preset(const Programs &programs, const Adapter &adapter, const std::string &preset);

// HDR options that the encoder does not have.
Arguments unsupported_hdr_options(const Programs &programs, const Adapter &adapter, const Hdr &hdr);

struct EncodeResult {
    Outcome outcome;
    Arguments command;
    std::string path;
    std::uint64_t stream_bytes = 0, file_bytes = 0;
    std::int64_t frames = 0;
    double seconds = 0;
    std::string encoder_version = "unknown";
    int passes = 1;
    bool ok() const { return outcome.ok(); }
};

using EncodeProgress = std::function<void(std::int64_t frame, double fps)>;

// Runs the command of a pass.
ChildResult run_pass(Arguments command, const EncodeSettings &settings, const EncodeProgress &progress);

// Never throws for encoder failures; the result describes them. `stats`: prefix of two-pass statistics, in a folder
// without other users' links; empty: the output's prefix.
EncodeResult run_encode(const Programs &programs, const Source &source, const Window &window,
                        const EncodeSettings &settings, double q, const std::string &output,
                        const EncodeProgress &progress = {}, std::string stats = {});

// A sentence with a hint for well-known errors of FFmpeg (15.4).
std::string explain_failure(const std::string &stage, int code, const std::string &error_tail);

std::vector<std::string> available_encoders(const Programs &programs);
Arguments encoder_help_command(const Programs &programs, const std::string &encoder); // what it accepts
std::string ffmpeg_version(const ChildResult &answer); // from `ffmpeg -version` or a banner

} // namespace vmaf::tune
