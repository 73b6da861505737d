// Tells video files from other clips, and reads the options for them.
#include <array>
#include <string_view>

#include "clips.hpp"
#include "exit_code.hpp"
#include "say.hpp"
#include "system/filesystem.hpp"
#include "system/input_file.hpp"
#include "system/program.hpp"

namespace vmaf::cli {

namespace {

bool ends_in_y4m(const std::string &path) { return path.ends_with(".y4m") || path.ends_with(".Y4M"); }

// Pipes cannot be probed: they carry YUV4MPEG2. So do files with its name or first bytes. Empty or unreadable files go
// to the YUV4MPEG2 reader, which reports what is wrong.
bool is_y4m(const std::string &path) {
    if (path == "-" || ends_in_y4m(path) || !system::is_regular_file(path)) return true;
    constexpr std::string_view kMagic = "YUV4MPEG";
    std::array<char, kMagic.size()> begin{};
    system::fs::ifstream file(path, std::ios::binary);
    file.read(begin.data(), begin.size());
    return file.gcount() == 0 || std::string_view(begin.data(), begin.size()) == kMagic;
}

VideoRequest video_request(const std::string &path, bool is_y4m_clip, const Options &options) {
    return {.path = path,
            .is_y4m = is_y4m_clip,
            .threads = system::usable_processors(),
            .hwaccel = is_y4m_clip ? "none" : options.video.hwaccel,
            .may_stay_on_device = options.backend.name == "cuda",
            .may_be_uploaded = options.backend.name != "cpu",
            .drop_film_grain = options.video.drops_film_grain,
            .deinterlace = options.video.deinterlaces,
            .crop = options.video.crop};
}

// The default model was made for 1080 lines seen from three picture heights.
void advise_model(const FramePairs &video, const Options &options) {
    const PictureFormat &p = video.format();
    if ((p.height >= 2160 || p.width >= 3840) && options.models.size() == 1 &&
        options.models[0].version == "vmaf_v0.6.1" && !options.no_prediction)
        say(options.label + "pictures of " + std::to_string(p.width) + "x" + std::to_string(p.height) +
            " are scored with a model for 1080 lines; consider -m version=vmaf_4k_v0.6.1");
}

} // namespace

bool is_video_file(const Options &options, const std::string &path) { return !options.is_raw && !is_y4m(path); }

std::unique_ptr<FramePairs> open_videos(const Options &options, std::shared_ptr<KeptClips> kept) {
    const VideoOptions &video = options.video;
    const bool reference_is_y4m = options.is_raw || is_y4m(options.reference);
    const bool distorted_is_y4m = options.is_raw || is_y4m(options.distorted);
    if (reference_is_y4m && distorted_is_y4m) {
        if (!video.first_given.empty())
            throw usage_error("option --" + video.first_given +
                              " works on video files only; YUV4MPEG2 and raw clips are compared as stored");
        return nullptr;
    }
    VideoPairsRequest request;
    request.reference = video_request(options.reference, reference_is_y4m, options);
    request.distorted = video_request(options.distorted, distorted_is_y4m, options);
    request.preparation = {
        .scaler = video.scaler, .ignores_range = video.ignores_range, .has_cropped = video.finds_bars || video.crop};
    request.align = video.align;
    request.offset_frames = video.offset_frames;
    request.missing = video.missing;
    request.is_by_index = video.is_by_index;
    request.is_mismatch_warning = video.only_warns;
    request.finds_bars = video.finds_bars;
    request.kept = std::move(kept);
    if (!options.quiet) request.say_step = [label = options.label](const std::string &step) { say(label + step); };
    request.say_warning = [label = options.label](const std::string &sentence) { say(label + "warning: " + sentence); };
    try {
        auto pairs = std::make_unique<VideoPairs>(request);
        advise_model(*pairs, options);
        return pairs;
    } catch (const Error &e) {
        throw Failure(ExitCode::setup, e.what());
    }
}

} // namespace vmaf::cli
