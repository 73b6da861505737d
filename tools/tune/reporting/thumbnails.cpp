#include "reporting/thumbnails.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

constexpr int kPaneWidth = 640;   // of one of three panes
constexpr int kAmplification = 4; // of the difference, which is hardly visible otherwise

Source probe(const Programs &programs, const std::string &path) {
    if (path.ends_with(".yuv") || path.ends_with(".raw")) throw invalid("'" + path + "' is raw video of unknown size");
    SourceRequest request;
    request.path = path;
    request.ffprobe = programs.ffprobe;
    request.hash = SourceHash::none;
    return probe_source(request);
}

} // namespace

std::vector<Thumbnail> make_thumbnails(const Programs &programs, const FrameScores &scores,
                                       const std::vector<std::size_t> &frames, const std::string &work_folder) {
    if (frames.empty()) return {};
    if (!scores.pieces.empty() && scores.pieces.front().first > 0)
        throw invalid("the scores are of samples, not of the whole file");
    const Source reference = probe(programs, scores.reference), distorted = probe(programs, scores.distorted);
    std::vector<std::size_t> ordered = frames;
    std::ranges::sort(ordered);
    const std::string choice = joined(ordered, "+", [](std::size_t f) { return "eq(n," + std::to_string(f) + ")"; });
    const int width = std::min(kPaneWidth, std::max(16, reference.width / 2 * 2));
    const int height =
        std::max(2, static_cast<int>(std::lround(double(reference.height) * width / reference.width / 2)) * 2);
    // Pairs frames by number; takes the difference at full size, so that scaling does not average fine damage away.
    const std::string pick = "select='" + choice + "',setpts=N/TB";
    const std::string full = "scale=" + std::to_string(reference.width) + ":" + std::to_string(reference.height) +
                             ":flags=bicubic,format=gbrp";
    const std::string pane = "scale=" + std::to_string(width) + ":" + std::to_string(height) + ":flags=area,setsar=1";
    const std::string more = "'min(val*" + std::to_string(kAmplification) + ",255)'";
    const std::string graph =
        "[0:v:" + std::to_string(reference.stream) + "]" + (scores.filter.empty() ? "" : scores.filter + ",") + pick +
        "," + full + ",split[ref][r2];[1:v:" + std::to_string(distorted.stream) + "]" + pick + "," + full +
        ",split[enc][e2];[r2][e2]blend=all_mode=difference,lutrgb=r=" + more + ":g=" + more + ":b=" + more + "," +
        pane + "[diff];[ref]" + pane + "[a];[enc]" + pane + "[b];[a][b][diff]hstack=inputs=3,format=yuvj420p[out]";
    const std::string pattern = work_folder + "/thumbnail-%03d.jpg";
    Arguments command = {programs.ffmpeg, "-y", "-hide_banner", "-nostdin", "-v", "error"};
    for (const Source *source : {&reference, &distorted}) {
        const Arguments input = source->input_arguments();
        command.insert(command.end(), input.begin(), input.end());
        command.insert(command.end(), {"-i", ffmpeg_path(source->path)});
    }
    command.insert(command.end(), {"-filter_complex", graph, "-map", "[out]", "-frames:v",
                                   std::to_string(ordered.size()), "-fps_mode", "passthrough", "-c:v", "mjpeg", "-q:v",
                                   "4", "-flags", "+bitexact", "-f", "image2", ffmpeg_path(pattern)});
    const ChildResult outcome = run_child(command);
    if (!outcome.ok()) throw invalid(explain_failure("FFmpeg", outcome.code, outcome.error_tail));
    std::vector<Thumbnail> pictures;
    for (std::size_t i = 0; i < ordered.size(); i++) {
        char name[48];
        std::snprintf(name, sizeof name, "/thumbnail-%03zu.jpg", i + 1);
        fs::ifstream file(work_folder + name, std::ios::binary);
        if (!file) break;
        pictures.push_back({ordered[i], std::string((std::istreambuf_iterator<char>(file)), {}), width, height});
        std::error_code ignored;
        fs::remove(work_folder + name, ignored);
    }
    std::vector<Thumbnail> result;
    for (const std::size_t f : frames)
        for (Thumbnail &picture : pictures)
            if (picture.frame == f) result.push_back(std::move(picture));
    return result;
}

} // namespace vmaf::tune
