#include "clips.hpp"

#include <algorithm>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "exit_code.hpp"

namespace vmaf::cli {

namespace {

bool status_of(const std::string &path, struct stat &status) {
    return path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path.c_str(), &status) == 0;
}

// Two readers of one pipe would each get parts of it.
bool is_same_pipe(const std::string &a, const std::string &b) {
    if (a == "-" && b == "-") return true;
    struct stat first {
    }, second{};
    if (!status_of(a, first) || !status_of(b, second)) return false;
    return (S_ISFIFO(first.st_mode) || S_ISSOCK(first.st_mode)) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

std::unique_ptr<ClipReader> open_clip(const std::string &path, const char *role, const Options &options) {
    try {
        return options.is_raw ? open_raw_clip(path, options.geometry) : open_y4m_clip(path);
    } catch (const Error &e) {
        throw Failure(ExitCode::setup, "the " + std::string(role) + " clip: " + e.what());
    }
}

std::string size_text(const PictureFormat &f) { return std::to_string(f.width) + "x" + std::to_string(f.height); }

// What keeps the clips from being compared, one sentence each.
std::vector<std::string> differences(const PictureFormat &ref, const PictureFormat &dist, bool may_differ_in_depth) {
    std::vector<std::string> list;
    if (ref.width != dist.width || ref.height != dist.height)
        list.push_back("the reference clip is " + size_text(ref) + ", the distorted clip " + size_text(dist) +
                       "; scale one of them first");
    if (ref.pixel_format != dist.pixel_format)
        list.push_back("the reference clip is " + to_string(ref.pixel_format) + ", the distorted clip " +
                       to_string(dist.pixel_format) + "; convert one of them first");
    if (ref.bits != dist.bits && !may_differ_in_depth)
        list.push_back("the reference clip has " + std::to_string(ref.bits) + " bits per sample, the distorted clip " +
                       std::to_string(dist.bits) + "; convert one of them first");
    return list;
}

} // namespace

std::string quoted(const std::string &path) { return path == "-" ? "standard input" : "'" + path + "'"; }

Clips open_clips(const Options &options) {
    if (is_same_pipe(options.reference, options.distorted))
        throw Failure(ExitCode::setup,
                      "both clips are read from " + quoted(options.reference) + "; a pipe can hold one of them only");
    Clips clips;
    if ((clips.video = open_videos(options))) {
        clips.picture = clips.video->picture();
        return clips;
    }
    clips.reference = open_clip(options.reference, "reference", options);
    clips.distorted = open_clip(options.distorted, "distorted", options);
    const PictureFormat &ref = clips.reference->format(), &dist = clips.distorted->format();
    const auto problems = differences(ref, dist, options.may_differ_in_depth);
    if (problems.size() == 1) throw Failure(ExitCode::setup, problems[0]);
    if (!problems.empty()) {
        for (const std::string &problem : problems) std::fprintf(stderr, "vmaf: %s\n", problem.c_str());
        throw Failure(ExitCode::setup,
                      "the clips cannot be compared: " + std::to_string(problems.size()) + " problems");
    }
    clips.picture = ref;
    clips.picture.bits = std::max(ref.bits, dist.bits);
    return clips;
}

std::optional<std::uint64_t> Clips::pairs(const Options &options) const {
    std::optional<std::uint64_t> count;
    if (options.frame_count) count = options.frame_count;
    if (video) {
        if (const auto expected = video->expected_pairs()) count = std::min(count.value_or(*expected), *expected);
        return count;
    }
    for (const auto *clip : {&reference, &distorted})
        if (const auto left = (*clip)->frames_left()) count = std::min(count.value_or(*left), *left);
    return count;
}

void check_not_empty(const Clips &clips, const Options &options) {
    if (clips.video) return; // their first frames have been decoded
    const auto check = [](const ClipReader &clip, const std::string &path, const char *role, std::uint64_t skipped) {
        if (clip.frames_left() != 0u) return;
        const PictureFormat &f = clip.format();
        throw Failure(ExitCode::frame, "the " + std::string(role) + " clip " + quoted(path) + " has no frame of " +
                                           size_text(f) + " " + to_string(f.pixel_format) + " " +
                                           std::to_string(f.bits) + " bit to score" +
                                           (skipped ? " behind those skipped" : "; check that it is complete"));
    };
    check(*clips.reference, options.reference, "reference", options.skip_reference);
    check(*clips.distorted, options.distorted, "distorted", options.skip_distorted);
}

void skip_frames(Clips &clips, const Options &options) {
    if (clips.video) return; // they skip themselves
    const auto skip = [](ClipReader &clip, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count && clip.skip(); i++) {
        }
    };
    try {
        skip(*clips.reference, options.skip_reference);
        skip(*clips.distorted, options.skip_distorted);
    } catch (const Error &e) {
        throw Failure(ExitCode::frame, e.what());
    }
}

} // namespace vmaf::cli
