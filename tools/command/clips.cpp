#include "clips.hpp"

#include <vector>

#include "base/error.hpp"
#include "exit_code.hpp"
#include "guarded.hpp"
#include "io/black_bars.hpp"
#include "io/plain_pairs.hpp"
#include "say.hpp"
#include "system/input_file.hpp"

namespace vmaf::cli {

namespace {

std::unique_ptr<ClipReader> open_clip(const std::string &path, const char *role, const Options &options) {
    try {
        return options.is_raw ? open_raw_clip(path, options.geometry) : open_y4m_clip(path);
    } catch (const Error &e) {
        throw Failure(ExitCode::setup, "the " + std::string(role) + " clip: " + e.what());
    }
}

std::string size_text(const PictureFormat &f) { return std::to_string(f.width) + "x" + std::to_string(f.height); }

// Cuts out what --crop asks for, and returns a sentence for each clip that it changed.
std::vector<std::string> crop_clips(const Options &options, ClipReader &reference, ClipReader &distorted) {
    const VideoOptions &wish = options.video;
    BarCuts parts{wish.crop, wish.crop};
    if (wish.finds_bars) {
        check_can_be_read_twice(options.reference, "--crop auto");
        check_can_be_read_twice(options.distorted, "--crop auto");
        parts = cuts_for(find_bars(*open_clip(options.reference, "reference", options)),
                         find_bars(*open_clip(options.distorted, "distorted", options)));
    }
    std::vector<std::string> steps;
    const auto crop = [&](ClipReader &clip, const char *role, const std::optional<Crop> &part) {
        if (!part || (part->width == clip.format().width && part->height == clip.format().height)) return;
        clip.crop(*part);
        steps.push_back(crop_step(role, *part, wish.finds_bars));
    };
    crop(reference, "reference", parts.reference);
    crop(distorted, "distorted", parts.distorted);
    return steps;
}

// The differences that prevent a comparison, one sentence each.
std::vector<std::string> differences(const PictureFormat &ref, const PictureFormat &dist, bool may_differ_in_depth) {
    std::vector<std::string> list;
    if (ref.width != dist.width || ref.height != dist.height)
        list.push_back("the reference clip is " + size_text(ref) + ", the distorted clip " + size_text(dist) +
                       "; scale one of them first, or cut it with --crop");
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

std::unique_ptr<FramePairs> open_clips(const Options &options, std::shared_ptr<KeptClips> kept) {
    if (system::is_same_pipe(options.reference, options.distorted))
        throw Failure(ExitCode::setup,
                      "both clips are read from " + quoted(options.reference) + "; a pipe carries only one of them");
    if (auto videos = open_videos(options, std::move(kept))) return videos;
    auto reference = open_clip(options.reference, "reference", options);
    auto distorted = open_clip(options.distorted, "distorted", options);
    const std::vector<std::string> steps =
        guarded(ExitCode::setup, [&] { return crop_clips(options, *reference, *distorted); });
    const auto problems = differences(reference->format(), distorted->format(), options.may_differ_in_depth);
    if (problems.size() == 1) throw Failure(ExitCode::setup, problems[0]);
    if (!problems.empty()) {
        for (const std::string &problem : problems) say(problem);
        throw Failure(ExitCode::setup, "the clips do not match: " + std::to_string(problems.size()) + " problems");
    }
    if (!options.quiet)
        for (const std::string &step : steps) say(options.label + step);
    return std::make_unique<PlainPairs>(std::move(reference), std::move(distorted), steps);
}

} // namespace vmaf::cli
