#include "stages/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

constexpr double kLongSource = 60;     // longer containers are sampled by default
constexpr double kMostOfSource = 0.85; // samples that cover this much do not pay

Window window_at(const Source &source, double start, double seconds) {
    const auto frames = std::max<std::int64_t>(1, std::llround(seconds * source.rate.value()));
    return {start, frames};
}

} // namespace

SampleChoice choose_samples(const Source &source, const SamplingRequest &request) {
    SampleChoice full{{Window{}}, "full"};
    const double duration = source.duration;
    if (duration <= 0 || source.rate.value() <= 0) return full;
    if (request.centre_seconds > 0) {
        if (request.centre_seconds >= duration) return full;
        const double start = std::max(0.0, (duration - request.centre_seconds) / 2);
        return {{window_at(source, start, request.centre_seconds)},
                "sample_" + std::to_string(std::llround(request.centre_seconds)) + "s"};
    }
    const double length = request.duration_seconds;
    std::vector<double> starts = request.at;
    if (starts.empty()) {
        const bool asked = request.samples.has_value();
        if (!asked && (!request.automatic || source.kind != Source::Kind::container || duration <= kLongSource))
            return full;
        const int n = std::max(request.min_samples,
                               request.samples.value_or(static_cast<int>(std::ceil(duration / request.every_seconds))));
        if (n <= 0 || length <= 0 || n * length >= kMostOfSource * duration) return full;
        for (int i = 0; i < n; i++) {
            double start = (duration - n * length) / (n + 1) * (i + 1) + length * i;
            if (length >= 2) start = std::floor(start);
            starts.push_back(start);
        }
    }
    SampleChoice choice;
    for (const double start : starts) {
        if (start < 0 || start >= duration)
            throw invalid("a sample at " + number_text(start) + " s lies outside the source of " +
                          number_text(duration) + " s");
        choice.windows.push_back(window_at(source, start, std::min(length, duration - start)));
    }
    choice.clip_mode = "samples_" + std::to_string(starts.size()) + "x" + number_text(length) + "s";
    return choice;
}

std::vector<Sample> cut_samples(const Programs &programs, const Source &source, const SampleChoice &choice,
                                const std::string &work_folder) {
    std::vector<Sample> samples;
    for (const Window &window : choice.windows) {
        Sample sample{source, window, window.start, 0};
        sample.seconds = window.full() ? source.duration : double(window.frames) / source.rate.value();
        if (window.full() || source.kind != Source::Kind::container) {
            samples.push_back(std::move(sample)); // raw files can be read at any frame
            continue;
        }
        const std::string path = work_folder + "/sample-" + std::to_string(samples.size()) + ".mkv";
        Arguments command = {programs.ffmpeg, "-y", "-hide_banner", "-nostdin", "-v", "error"};
        append(command, {"-ss", number_text(window.start), "-i", ffmpeg_path(source.path), "-map",
                         "0:v:" + std::to_string(source.stream), "-frames:v", std::to_string(window.frames), "-c",
                         "copy", "-an", "-sn", "-dn", ffmpeg_path(path)});
        ChildResult outcome = run_child(command);
        if (!outcome.ok() && outcome.error_tail.find("timestamps") != std::string::npos) {
            command.insert(command.begin() + 1, {"-fflags", "+genpts"});
            outcome = run_child(command);
        }
        std::error_code error;
        if (!outcome.ok() || system::fs::file_size(path, error) < 1024 || error)
            throw invalid("no sample could be cut at " + number_text(window.start) +
                          " s: " + explain_failure("FFmpeg", outcome.code, outcome.error_tail));
        sample.source = source;
        sample.source.path = path;
        sample.source.stream = 0;
        sample.source.video_streams = 1;
        sample.source.start = 0;
        sample.source.ignores_matrix = true; // whether the copy has it depends on FFmpeg
        sample.source.ffmpeg_crops = false;
        // The copy starts at a key frame and has the requested number of packets; all of it is used.
        sample.source.frames = video_packets(programs.ffprobe, path).packets;
        sample.source.file_bytes = system::fs::file_size(path, error);
        sample.source.id =
            source.id.empty() ? "" : source.id + "@" + number_text(window.start) + "+" + std::to_string(window.frames);
        sample.window = Window{};
        sample.seconds = double(*sample.source.frames) / source.rate.value();
        samples.push_back(std::move(sample));
    }
    return samples;
}

} // namespace vmaf::tune
