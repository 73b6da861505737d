#include "stages/encode.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "stages/written_file.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

std::string extension(const std::string &path) {
    const std::string ext = fs::path(path).extension().string();
    return ext.empty() ? ext : ext.substr(1);
}

Arguments codec_arguments(const Source &source, const EncodeSettings &settings, double q, std::string_view ext) {
    const Adapter &adapter = *settings.adapter;
    const std::string &preset = settings.native_preset.empty() ? settings.preset : settings.native_preset;
    Arguments result = settings.bitrate_kbps ? adapter.bitrate_arguments(preset, *settings.bitrate_kbps)
                                             : adapter.codec_arguments(preset, q);
    if (settings.multipass) append(result, adapter.two_pass_arguments(0, ""));
    append(result, adapter.extra_arguments(ext));
    if (settings.keyint) append(result, {"-g", std::to_string(*settings.keyint)});
    Arguments hdr = adapter.hdr_arguments(source.hdr);
    for (const std::string &option : settings.dropped_options)
        if (const auto at = std::ranges::find(hdr, option); at != hdr.end()) hdr.erase(at, at + 2);
    if (!contains(hdr, "-pix_fmt")) append(result, {"-pix_fmt", encoder_pix_fmt(source, settings)});
    append(result, hdr);
    return result;
}

// FFmpeg's help for an encoder.
std::string encoder_help(const Programs &programs, const std::string &encoder) {
    return ask_program(programs, encoder_help_command(programs, encoder)).out;
}

// The formats that an encoder accepts; asked once.
std::vector<std::string> accepted_pix_fmts(const Programs &programs, const std::string &encoder) {
    const std::lock_guard lock(programs.known->mutex);
    const auto [entry, fresh] = programs.known->pixel_formats.try_emplace(encoder);
    if (!fresh) return entry->second;
    const std::string help = encoder_help(programs, encoder);
    constexpr std::string_view kMark = "Supported pixel formats:";
    const std::size_t at = help.find(kMark);
    if (at == std::string::npos) return {};
    std::istringstream line(help.substr(at + kMark.size(), help.find('\n', at) - at - kMark.size()));
    for (std::string name; line >> name;) entry->second.push_back(name);
    return entry->second;
}

} // namespace

Arguments encoder_help_command(const Programs &programs, const std::string &encoder) {
    return {programs.ffmpeg, "-hide_banner", "-h", "encoder=" + encoder};
}

std::string ffmpeg_version(const ChildResult &answer) {
    constexpr std::string_view kMark = "ffmpeg version ";
    for (const std::string &text : {answer.out, answer.error_tail})
        if (const std::size_t at = text.find(kMark); at != std::string::npos) {
            const std::size_t start = at + kMark.size();
            return text.substr(start, text.find_first_of(" \n", start) - start);
        }
    return "unknown";
}

std::vector<std::string> available_encoders(const Programs &programs) {
    const ChildResult outcome = run_child({programs.ffmpeg, "-hide_banner", "-encoders"});
    std::istringstream lines(outcome.out);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string flags, name;
        if (words >> flags >> name && flags.size() == 6 && flags[0] == 'V' && name != "=") names.push_back(name);
    }
    return names;
}

std::string encoder_pix_fmt(const Source &source, const EncodeSettings &settings) {
    if (!settings.out_pix_fmt.empty()) return settings.out_pix_fmt;
    const bool hdr = source.hdr.transfer != Hdr::Transfer::none;
    if (settings.adapter->wants_10_bit) return "yuv420p10le";
    const PixelContent content = pixel_content(source.pix_fmt).value_or(PixelContent{420, hdr ? 10 : 8});
    const bool keeps_chroma = !content.is_rgb && (content.chroma == 422 || content.chroma == 444);
    PixelLayout layout{keeps_chroma ? content.chroma : 420, std::max(8, content.bits)};
    if (hdr && layout.bits < 10) layout = source.hdr.forced ? PixelLayout{420, 10} : PixelLayout{layout.chroma, 10};
    return pix_fmt_name(layout);
}

std::string choose_pix_fmt(const Programs &programs, const Source &source, const EncodeSettings &settings) {
    const std::string wish = encoder_pix_fmt(source, settings);
    if (!settings.out_pix_fmt.empty()) return wish;
    if (wish == "yuv420p" && !settings.adapter->is_hardware) return wish; // they all accept it
    const std::vector<std::string> accepted = accepted_pix_fmts(programs, settings.adapter->name);
    const auto layout = pixel_layout(wish);
    if (!layout || accepted.empty() || contains(accepted, wish)) return wish;
    // At least as deep, and as close to the wish as possible.
    std::string best;
    int best_distance = 0;
    for (const std::string &name : accepted) {
        const auto other = pixel_layout(name);
        if (!other || name.starts_with("yuvj")) continue;
        const int loss = other->bits < layout->bits ? 1000 : 0;
        const int distance =
            loss + std::abs(other->chroma - layout->chroma) + 10 * std::abs(other->bits - layout->bits);
        if (best.empty() || distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    return best.empty() ? wish : best;
}

Arguments unsupported_hdr_options(const Programs &programs, const Adapter &adapter, const Hdr &hdr) {
    const Arguments wanted = adapter.hdr_arguments(hdr);
    Arguments missing;
    for (const char *option : {"-master_display", "-max_cll"})
        if (contains(wanted, option) &&
            encoder_help(programs, adapter.name).find(std::string("  ") + option + " ") == std::string::npos)
            missing.push_back(option);
    return missing;
}

std::string clamped_preset(const Programs &programs, const Adapter &adapter, const std::string &preset) {
    const std::string option(adapter.preset_number_option());
    const auto native = adapter.native_preset(preset);
    if (option.empty() || !native) return {};
    const std::string help = encoder_help(programs, adapter.name);
    const std::size_t at = help.find("\n  " + option + " ");
    if (at == std::string::npos) return {};
    const std::string line = help.substr(at + 1, help.find('\n', at + 1) - at - 1);
    const std::size_t range = line.rfind("(from ");
    int low = 0, high = 0;
    if (range == std::string::npos || std::sscanf(line.c_str() + range, "(from %d to %d)", &low, &high) != 2) return {};
    const int number = std::atoi(native->c_str());
    return number < low || number > high ? std::to_string(std::clamp(number, low, high)) : "";
}

Arguments distinguishing_arguments(const Source &source, const EncodeSettings &settings, double q) {
    Arguments result = {"-c:v", settings.adapter->name};
    append(result, codec_arguments(source, settings, q, "mkv"));
    append(result, settings.user_input_arguments);
    result.push_back("|");
    append(result, settings.user_arguments);
    return merged_params(result);
}

namespace {

// A filter that tags pictures as the user states: since FFmpeg 7 the (missing) tags of pictures override options.
std::string forced_tags(const Hdr &hdr, const Adapter &adapter) {
    const Arguments options = hdr.forced ? adapter.hdr_arguments(hdr) : Arguments();
    std::string tags;
    for (const auto &[option, name] :
         {std::pair("-color_primaries", "color_primaries"), std::pair("-color_trc", "color_trc"),
          std::pair("-colorspace", "colorspace"), std::pair("-color_range", "range")})
        if (const auto at = std::ranges::find(options, option); at != options.end())
            tags += (tags.empty() ? "setparams=" : ":") + std::string(name) + "=" + at[1];
    return tags;
}

} // namespace

Arguments encode_command(const Programs &programs, const Source &source, const Window &window,
                         const EncodeSettings &settings, double q, int pass, const std::string &stats_prefix,
                         const std::string &output) {
    Arguments command = {programs.ffmpeg, "-y", "-hide_banner", "-nostdin", "-loglevel", "info"};
    append(command, source.input_arguments());
    append(command, settings.user_input_arguments);
    if (window.start > 0) append(command, {"-ss", number_text(window.start)});
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:v:" + std::to_string(source.stream)});
    if (!window.full()) append(command, {"-frames:v", std::to_string(window.frames)});
    const std::string shown = source.shown(settings.vfilter), tags = forced_tags(source.hdr, *settings.adapter);
    if (!shown.empty() || !tags.empty())
        append(command, {"-vf", shown + (shown.empty() || tags.empty() ? "" : ",") + tags});
    Arguments codec = {"-c:v", settings.adapter->name};
    append(codec, codec_arguments(source, settings, q, extension(output)));
    if (settings.threads > 0) append(codec, {"-threads", std::to_string(settings.threads)});
    if (pass > 0) append(codec, settings.adapter->two_pass_arguments(pass, stats_prefix));
    append(codec, settings.user_arguments);
    append(command, merged_params(codec));
    append(command, {"-an", "-sn", "-dn", "-fps_mode", "passthrough"});
    if (pass == 1)
        append(command, {"-f", "null", "-"});
    else
        command.push_back(ffmpeg_path(output));
    return command;
}

namespace {

// The encoder usually reports the cause first; FFmpeg's later messages are generic.
std::string telling_line(const std::string &messages) {
    constexpr std::string_view kGeneral[] = {"Conversion failed!",
                                             "Error initializing output stream",
                                             "Error while opening encoder",
                                             "Could not write header",
                                             "Error while filtering",
                                             "Error submitting video frame",
                                             "Error encoding",
                                             "Terminating thread",
                                             "Nothing was written",
                                             "maybe incorrect parameters"};
    constexpr std::string_view kSigns[] = {"[error]", "rror",    "nvalid",     "ailed",   "annot",         "nable to",
                                           "nknown",  "illegal", "nsupported", "must be", "not supported", "nrecogni"};
    const auto has_one_of = [](const std::string &line, const auto &list) {
        return std::ranges::any_of(list, [&](std::string_view part) { return line.find(part) != std::string::npos; });
    };
    // Banners, and what encoders and muxers report about themselves, do not explain a failure.
    const auto is_news = [&](const std::string &line) {
        constexpr std::string_view kStarts[] = {
            "ffmpeg version", "ffmpeg stats", "  built with",    "  configuration:", "  lib",
            "Input #",        "Output #",     "Stream mapping:", "  Stream #",       "  Duration:",
            "  Metadata:",    "    ",         "Press [q]",       "frame=",           "Svt[info]"};
        constexpr std::string_view kParts[] = {
            "[info]", "using cpu capabilities", "using SAR=", "] profile ", "] 264 - core", "] frame I:", "] kb/s:"};
        return std::ranges::any_of(kStarts, [&](std::string_view start) { return line.starts_with(start); }) ||
               has_one_of(line, kParts);
    };
    std::string telling, last;
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos || has_one_of(line, kGeneral) || is_news(line))
            continue;
        last = line;
        if (telling.empty() && has_one_of(line, kSigns)) telling = line;
    }
    if (telling.empty() && last.empty() && !is_news(last_line(messages))) return last_line(messages);
    return telling.empty() ? last : telling;
}

} // namespace

std::string explain_failure(const std::string &stage, int code, const std::string &error_tail) {
    struct Hint {
        std::string_view text, advice;
    };
    static constexpr Hint kHints[] = {
        {"No space left on device", "the disk is full; free some space or give another --work-dir"},
        {"Permission denied", "a file may not be read or written; check permissions"},
        {"Unknown encoder", "this FFmpeg was built without the encoder; `vmaf-tune doctor` lists what it has"},
        {"not divisible by 2", "the encoder wants even sizes; use --odd crop or --odd pad"},
        {"OpenEncodeSessionEx failed: unsupported device", "this GPU has no such encoder; choose another"},
        {"OpenEncodeSessionEx failed", "the hardware's session limit is reached; use --encode-jobs 1"},
        {"Cannot load libcuda", "there is no NVIDIA driver on this machine (libcuda cannot be loaded)"},
        {"MFX session", "no Intel GPU, or no driver for it, can be used on this machine"},
        {"Specified pixel format", "the encoder does not take this pixel format; use --out-pix-fmt"},
        {"No such filter", "this FFmpeg lacks a filter that the graph names; check --vfilter"},
        {"Invalid data found", "the input is damaged or truncated"},
        {"Option not found", "an option is not known to this FFmpeg (5.1 or newer is needed)"},
    };
    std::string sentence =
        stage + (code > 128 && code <= 128 + 64 ? " was ended by signal " + std::to_string(code - 128)
                                                : " ended with status " + std::to_string(code));
    constexpr std::string_view kUnknown = "Unrecognized option '";
    if (const std::size_t at = error_tail.find(kUnknown); at != std::string::npos) {
        const std::size_t name = at + kUnknown.size();
        return sentence + ": this FFmpeg (5.1 or newer is needed) knows no option '" +
               error_tail.substr(name, error_tail.find_first_of(":'", name) - name) + "'; check --enc and --enc-input";
    }
    for (const Hint &hint : kHints)
        if (error_tail.find(hint.text) != std::string::npos) return sentence + ": " + std::string(hint.advice);
    const std::string last = telling_line(error_tail);
    return last.empty() ? sentence : sentence + ": " + last;
}

ChildResult run_pass(Arguments command, const EncodeSettings &settings, const EncodeProgress &progress) {
    command.insert(command.begin() + 1, {"-progress", "pipe:1", "-stats_period", "0.5"});
    std::int64_t frame = 0;
    double fps = 0;
    RunOptions options;
    options.timeout = settings.timeout;
    options.progress_marker = [&](ProcessNumber process) { // FFmpeg reports even when it is stuck
        return frame + (settings.is_patient ? work_done(process) : 0);
    };
    options.on_output_line = [&](std::string_view line) {
        const std::string text(line);
        if (text.starts_with("frame=")) frame = std::strtoll(text.c_str() + 6, nullptr, 10);
        if (text.starts_with("fps=")) fps = std::strtod(text.c_str() + 4, nullptr);
        if (text.starts_with("progress=")) progress(frame, fps);
    };
    return run_child(command, options);
}

namespace {

void remove_stats(const std::string &prefix) {
    std::error_code error;
    const fs::path folder = fs::path(prefix).parent_path();
    const std::string stem = fs::path(prefix).filename().string();
    for (const auto &entry : fs::directory_iterator(folder, error))
        if (entry.path().filename().string().starts_with(stem)) fs::remove(entry.path(), error);
}

} // namespace

EncodeResult run_encode(const Programs &programs, const Source &source, const Window &window,
                        const EncodeSettings &settings, double q, const std::string &output,
                        const EncodeProgress &progress, std::string stats) {
    EncodeResult result;
    result.path = output;
    result.passes = settings.two_pass ? 2 : 1;
    if (stats.empty()) stats = output + ".stats";
    ChildResult last;
    std::int64_t last_frame = 0; // counted by FFmpeg
    const auto fail = [&](OutcomeKind kind, const std::string &sentence, const std::string &tail, int code = 1) {
        result.outcome = {kind, sentence, "encode", tail, code};
        std::error_code ignored;
        fs::remove(output, ignored);
        if (settings.two_pass) remove_stats(stats);
        return result;
    };
    const auto not_stored = [&](const std::string &why) {
        return fail(OutcomeKind::not_stored,
                    "the encode could not be written: " + why + "; free some space or give another --work-dir",
                    last.error_tail);
    };
    try {
        for (int pass = settings.two_pass ? 1 : 0; pass <= (settings.two_pass ? 2 : 0); pass++) {
            result.command = encode_command(programs, source, window, settings, q, pass, stats, output);
            ChildResult &outcome = last;
            for (int attempt = 1;; attempt++) {
                last_frame = 0;
                outcome = run_pass(result.command, settings, [&](std::int64_t frame, double fps) {
                    last_frame = frame;
                    if (progress) progress(frame, fps);
                });
                result.seconds += outcome.seconds;
                // Only a crash is worth a retry; an encoder that refuses will refuse again.
                if (outcome.ok() || outcome.code < 128 || outcome.timed_out || outcome.interrupted ||
                    attempt >= settings.max_tries)
                    break;
            }
            result.encoder_version = settings.adapter->encoder_version(outcome.error_tail);
            const std::string prefix = pass > 0 ? "[pass " + std::to_string(pass) + "] " : "";
            if (outcome.timed_out)
                return fail(OutcomeKind::timed_out, prefix + "the encoder made no progress within --timeout",
                            outcome.error_tail);
            if (const std::string why = outcome.ok() ? "" : storage_failure(outcome); !why.empty())
                return not_stored(why);
            if (!outcome.ok())
                return fail(OutcomeKind::encoder_failed,
                            prefix + explain_failure("the encoder", outcome.code, outcome.error_tail),
                            outcome.error_tail, std::max(1, outcome.code));
        }
        if (settings.two_pass) remove_stats(stats);
        if (const std::string unused = unused_option(settings, last.error_tail); !unused.empty())
            return fail(OutcomeKind::encoder_failed, unused, last.error_tail);
        FrameWish wish = frames_wished(source, window, settings.vfilter);
        wish.given = last_frame;
        const WrittenFile file = check_written(programs, last, output, wish);
        if (file.fault == WrittenFile::Fault::storage) return not_stored(file.sentence);
        if (file.fault == WrittenFile::Fault::content)
            return fail(OutcomeKind::bad_output, file.sentence, last.error_tail);
        std::error_code error;
        result.file_bytes = fs::file_size(output, error);
        result.stream_bytes = file.packets.bytes;
        result.frames = file.packets.packets;
    } catch (const Error &e) {
        return fail(e.code() == ENOSPC ? OutcomeKind::not_stored : OutcomeKind::encoder_failed, e.what(), {});
    }
    return result;
}

} // namespace vmaf::tune
