// Parses ffprobe's description of a stream.
#include "source/stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <tuple>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/thread_group.hpp"
#include "source/display.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

std::string text_of(const json &object, const char *key) {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    return found->is_string() ? found->get<std::string>() : found->dump();
}

double number_of(const json &object, const char *key) {
    const std::string text = text_of(object, key);
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() || !std::isfinite(value) ? 0 : value;
}

// Seconds from the stream's own tag "00:00:05.960000000"; 0 without one.
double tagged_duration(const json &stream) {
    const auto tags = stream.find("tags");
    if (tags == stream.end() || !tags->is_object()) return 0;
    int hours = 0, minutes = 0;
    double seconds = 0;
    const std::string text = text_of(*tags, "DURATION");
    if (std::sscanf(text.c_str(), "%d:%d:%lf", &hours, &minutes, &seconds) != 3) return 0;
    const double all = 3600.0 * hours + 60.0 * minutes + seconds;
    return std::isfinite(all) ? all : 0;
}

double ratio_of(const json &object, const char *key) { // "34000/50000"
    const std::string text = text_of(object, key);
    const std::size_t slash = text.find('/');
    const double num = std::strtod(text.c_str(), nullptr);
    const double den = slash == std::string::npos ? 1 : std::strtod(text.c_str() + slash + 1, nullptr);
    return den == 0 ? 0 : num / den;
}

json run_ffprobe(const std::string &ffprobe, const Arguments &more, const std::string &path) {
    Arguments command = {ffprobe, "-v", "error", "-of", "json"};
    append(command, more);
    append(command, {"-i", ffmpeg_path(path)});
    const ChildResult outcome = run_child(command);
    if (!outcome.ok()) {
        const std::string said = last_line(outcome.error_tail);
        throw invalid("'" + path + "' cannot be read as video: " +
                      (said.empty() ? "ffprobe ended with status " + std::to_string(outcome.code) : said) +
                      "; check the file with: ffprobe " + shell_quoted(path));
    }
    const json document = json::parse(outcome.out, nullptr, false);
    if (!document.is_object())
        throw invalid("ffprobe's answer for '" + path + "' is not JSON; check --ffprobe-bin " + ffprobe);
    return document;
}

// Mastering display and content light, from side data of a stream or frame.
void read_light(Hdr &hdr, const json &list) {
    for (const json &side : list) {
        const std::string type = text_of(side, "side_data_type");
        if (type.find("Mastering display") != std::string::npos) {
            const auto chroma = [&](const char *key) {
                return std::to_string(std::lround(ratio_of(side, key) * 50000));
            };
            const auto light = [&](const char *key) {
                return std::to_string(std::lround(ratio_of(side, key) * 10000));
            };
            bool complete = true;
            for (const char *key : {"red_x", "red_y", "green_x", "green_y", "blue_x", "blue_y", "white_point_x",
                                    "white_point_y", "min_luminance", "max_luminance"})
                complete = complete && side.contains(key);
            if (complete)
                hdr.mastering_display = "G(" + chroma("green_x") + "," + chroma("green_y") + ")B(" + chroma("blue_x") +
                                        "," + chroma("blue_y") + ")R(" + chroma("red_x") + "," + chroma("red_y") +
                                        ")WP(" + chroma("white_point_x") + "," + chroma("white_point_y") + ")L(" +
                                        light("max_luminance") + "," + light("min_luminance") + ")";
        } else if (type.find("Content light") != std::string::npos) {
            hdr.content_light = text_of(side, "max_content") + "," + text_of(side, "max_average");
        }
    }
}

// ffprobe prints the matrix as a dump of three lines; otherwise only the angle is known.
Orientation orientation_in(const json &side) {
    constexpr double kTolerance = 1; // degrees
    std::array<double, 9> matrix{};
    std::istringstream lines(text_of(side, "displaymatrix"));
    std::size_t found = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(std::min(line.find(':') + 1, line.size())));
        for (double value = 0; found < matrix.size() && words >> value;) matrix[found++] = value;
    }
    if (found == matrix.size()) return orientation_of(matrix, kTolerance);
    const double turn = -number_of(side, "rotation") * std::numbers::pi / 180; // clockwise
    return orientation_of({std::cos(turn), std::sin(turn), 0, -std::sin(turn), std::cos(turn), 0, 0, 0, 1}, kTolerance);
}

// FFmpeg silently skips an incomplete frame.
void refuse_cut_off_y4m(const Source &source) {
    const auto layout = pixel_layout(source.pix_fmt);
    fs::ifstream file(source.path, std::ios::binary);
    std::string header, frame_line;
    if (!layout || !std::getline(file, header) || !std::getline(file, frame_line) || frame_line != "FRAME") return;
    const std::int64_t frame = frame_bytes(*layout, source.width, source.height) + 6; // "FRAME" and its line end
    const std::int64_t frames =
        static_cast<std::int64_t>(source.file_bytes) - static_cast<std::int64_t>(header.size()) - 1;
    if (frames % frame != 0)
        throw invalid("'" + source.path + "' is cut off or damaged: it ends inside frame " +
                      std::to_string(frames / frame));
}

json answer_about_times(const SourceRequest &request, int stream) {
    return run_ffprobe(request.ffprobe,
                       {"-select_streams", "v:" + std::to_string(stream), "-show_entries", "packet=pts_time",
                        "-read_intervals", "%+#500"},
                       request.path);
}

bool has_disposition(const json &stream, const char *name) {
    return stream.contains("disposition") && number_of(stream["disposition"], name) != 0;
}

// The stream to use has the highest, as in vmaf: the file's default one, of several (or none) the largest.
auto rank(const json &stream) {
    return std::tuple(!text_of(stream, "codec_name").empty(), number_of(stream, "nb_frames") != 1,
                      has_disposition(stream, "default"), number_of(stream, "width") * number_of(stream, "height"));
}

// The video stream to use, and the other streams.
const json &choose_stream(Source &source, const SourceRequest &request, const json &streams) {
    const json *chosen = nullptr;
    int video = 0;
    for (const json &stream : streams) {
        if (text_of(stream, "codec_type") != "video") {
            source.has_other_streams = true;
            source.attachments += text_of(stream, "codec_type") == "attachment";
            source.data_streams += text_of(stream, "codec_type") == "data";
            continue;
        }
        const bool cover = has_disposition(stream, "attached_pic");
        const bool wanted =
            request.stream ? video == *request.stream : !cover && (!chosen || rank(stream) > rank(*chosen));
        if (wanted) {
            chosen = &stream;
            source.stream = video;
        } else if (cover) {
            source.covers.push_back(video);
        }
        video++;
    }
    if (!chosen && request.stream && video > 0)
        throw invalid("'" + source.path + "' has no video stream " + std::to_string(*request.stream) +
                      "; --stream counts from 0 to " + std::to_string(video - 1));
    if (!chosen) throw invalid("'" + source.path + "' has no video stream");
    source.video_streams = video;
    return *chosen;
}

void describe_pictures(Source &source, const SourceRequest &request, const json &stream) {
    source.codec = text_of(stream, "codec_name");
    source.width = static_cast<int>(number_of(stream, "width"));
    source.height = static_cast<int>(number_of(stream, "height"));
    source.pix_fmt = request.pix_fmt.value_or(text_of(stream, "pix_fmt"));
    if (source.width <= 0 || source.height <= 0 || source.pix_fmt.empty())
        throw invalid("'" + source.path + "': the video stream has no size or pixel format; is the file damaged?");
    const json tags = stream.value("tags", json::object());
    source.has_alpha =
        text_of(tags, "alpha_mode") == "1" || text_of(tags, "ALPHA_MODE") == "1"; // separate from the pictures
    for (const char *sign : {"yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16"})
        source.has_alpha = source.has_alpha || source.pix_fmt.starts_with(sign);
    for (const auto &[field, key] :
         {std::pair(&source.primaries, "color_primaries"), std::pair(&source.transfer, "color_transfer"),
          std::pair(&source.matrix, "color_space")})
        if (const std::string name = text_of(stream, key); name != "unknown") *field = name;
    source.range = range_of_ffmpeg_name(text_of(stream, "color_range"));
    if (const std::string order = text_of(stream, "field_order"); !order.empty() && order != "unknown")
        source.field_order = order;
    if (const std::string sar = text_of(stream, "sample_aspect_ratio"); !sar.empty() && sar != "0:1")
        source.sample_aspect = sar;
}

void describe_length(Source &source, const json &stream, const json &format) {
    const auto rate = [&](const char *key) {
        const std::string text = text_of(stream, key);
        return text.empty() || text == "0/0" ? Fraction{0, 1} : parse_fraction(text);
    };
    source.rate = rate("avg_frame_rate");
    source.real_rate = rate("r_frame_rate");
    if (source.rate.value() <= 0) source.rate = source.real_rate;
    source.start = number_of(stream, "start_time");
    source.duration = number_of(stream, "duration");
    source.container = text_of(format, "format_name");
    if (source.duration <= 0) source.duration = tagged_duration(stream); // where Matroska has it
    // The longest stream's, possibly sound.
    if (source.duration <= 0) source.duration = number_of(format, "duration");
    if (const double frames = number_of(stream, "nb_frames"); frames > 0)
        source.frames = static_cast<std::int64_t>(frames);
}

// HDR10 figures may be only in the stream's own messages, which appear with the first frame.
void describe_light(Source &source, const SourceRequest &request) {
    const bool is_hdr = source.hdr.transfer != Hdr::Transfer::none && !source.hdr.forced;
    if (!is_hdr || source.kind != Source::Kind::container) return;
    if (!source.hdr.mastering_display.empty() && !source.hdr.content_light.empty()) return;
    const json first = run_ffprobe(
        request.ffprobe,
        {"-select_streams", "v:" + std::to_string(source.stream), "-show_frames", "-read_intervals", "%+#1"},
        source.path);
    for (const json &frame : first.value("frames", json::array())) {
        const json list = frame.value("side_data_list", json::array());
        read_light(source.hdr, list);
        for (const json &side : list)
            source.has_hdr10_plus =
                source.has_hdr10_plus || text_of(side, "side_data_type").find("2094-40") != std::string::npos;
    }
}

// From time stamps: durations are often a container's default.
bool has_uneven_times(const json &packets) {
    std::vector<double> times, gaps;
    for (const json &packet : packets.value("packets", json::array()))
        if (packet.contains("pts_time")) times.push_back(number_of(packet, "pts_time"));
    std::ranges::sort(times); // packets are in decoding order
    for (std::size_t i = 1; i < times.size(); i++) gaps.push_back(times[i] - times[i - 1]);
    // The last frames before the cut may be missing.
    if (gaps.size() > 100) gaps.resize(gaps.size() - 16);
    if (gaps.size() < 3) return false;
    const auto [low, high] = std::ranges::minmax_element(gaps);
    return *high > 1.5 * *low + 0.002; // rounded time stamps are not variable rate
}

} // namespace

void set_hdr(Source &source, HdrWish wish, const json *stream) {
    Hdr &hdr = source.hdr;
    hdr.primaries = source.primaries;
    if (wish == HdrWish::sdr) {
        hdr.forced = true;
        return;
    }
    if (wish == HdrWish::pq || wish == HdrWish::hlg) {
        hdr.forced = true;
        hdr.transfer = wish == HdrWish::pq ? Hdr::Transfer::pq : Hdr::Transfer::hlg;
        hdr.primaries = "bt2020";
        return;
    }
    constexpr std::string_view kWide[] = {"bt2020", "bt2020nc", "bt2020-ncl", "bt2020c", "bt2020-cl"};
    if (!source.is_pq() && !source.is_hlg()) return;
    if (!contains(kWide, source.primaries)) return; // the caller warns: PQ or HLG without BT.2020 primaries
    hdr.transfer = source.is_pq() ? Hdr::Transfer::pq : Hdr::Transfer::hlg;
    if (!source.matrix.empty()) hdr.matrix = source.matrix;
    if (source.range != SampleRange::unknown) hdr.range = ffmpeg_name(source.range);
    if (stream) read_light(hdr, stream->value("side_data_list", json::array()));
}

bool has_doubtful_transfer(const Source &source) {
    return source.hdr.transfer == Hdr::Transfer::none && !source.hdr.forced && (source.is_pq() || source.is_hlg());
}

void describe_stream(Source &source, const SourceRequest &request) {
    // Time stamps of the first stream, usually the right one, requested in parallel.
    std::optional<Later<json>> first_times;
    if (source.kind == Source::Kind::container && !request.framerate)
        first_times.emplace([&] { return answer_about_times(request, 0); });
    const json document = run_ffprobe(request.ffprobe, {"-show_format", "-show_streams"}, source.path);
    const json streams = document.value("streams", json::array());
    const json &stream = choose_stream(source, request, streams);
    describe_pictures(source, request, stream);
    describe_length(source, stream, document.value("format", json::object()));
    Orientation orientation;
    bool ffmpeg_crops = false;
    for (const json &side : stream.value("side_data_list", json::array())) {
        if (side.contains("rotation")) {
            source.rotation = static_cast<int>(number_of(side, "rotation"));
            orientation = orientation_in(side);
        }
        ffmpeg_crops = ffmpeg_crops || side.contains("crop_top");
        if (text_of(side, "side_data_type").find("DOVI") != std::string::npos) source.has_dolby_vision = true;
    }
    set_hdr(source, request.hdr, &stream);
    describe_light(source, request);
    if (source.kind == Source::Kind::y4m && source.file_bytes > 0) refuse_cut_off_y4m(source);
    if (request.is_own_encode)
        source.ignores_matrix = true;
    else
        apply_display(source, container_cropping(source.path, source.stream, source.width, source.height), orientation,
                      ffmpeg_crops, request.deinterlace && source.is_interlaced());
    if (source.kind == Source::Kind::y4m) return;

    const double a = source.rate.value(), r = source.real_rate.value();
    source.vfr = a > 0 && r > 0 && std::fabs(a - r) > 0.001 * std::max(a, r);
    if (source.vfr || request.framerate) return; // trusts a given rate
    source.vfr = has_uneven_times(source.stream == 0 ? first_times->get() : answer_about_times(request, source.stream));
}

std::optional<PacketSummary> matroska_packets(const std::string &path); // matroska.cpp

ChildResult each_packet(const std::string &ffprobe, const std::string &path, const std::string &streams,
                        const std::string &entries, const std::function<void(const std::string &line)> &take) {
    Arguments command = {ffprobe, "-v", "error"};
    if (!streams.empty()) append(command, {"-select_streams", streams});
    append(command, {"-show_entries", "packet=" + entries, "-of", "csv=p=0", "-i", ffmpeg_path(path)});
    RunOptions options;
    options.on_output_line = [&](std::string_view line) { take(std::string(line)); };
    return run_child(command, options);
}

PacketSummary video_packets(const std::string &ffprobe, const std::string &path, int stream) {
    if (stream == 0 && path.ends_with(".mkv"))
        if (const auto simple = matroska_packets(path)) return *simple;
    PacketSummary summary;
    const auto add = [&](const std::string &line) {
        char *end = nullptr;
        const unsigned long long bytes = std::strtoull(line.c_str(), &end, 10);
        if (end == line.c_str()) return;
        summary.bytes += bytes;
        summary.packets++;
    };
    const ChildResult outcome = each_packet(ffprobe, path, "v:" + std::to_string(stream), "size", add);
    if (!outcome.ok()) throw invalid("ffprobe cannot read '" + path + "': " + outcome.error_tail);
    return summary;
}

std::vector<double> frame_times(const std::string &ffprobe, const Source &source) {
    std::vector<double> times;
    if (source.kind == Source::Kind::container) {
        const json document = run_ffprobe(ffprobe,
                                          {"-select_streams", "v:" + std::to_string(source.stream), "-show_entries",
                                           "packet=pts_time:format=start_time"},
                                          source.path);
        const double start = number_of(document.value("format", json::object()), "start_time"); // -ss starts there
        for (const json &packet : document.value("packets", json::array()))
            if (packet.contains("pts_time")) times.push_back(number_of(packet, "pts_time") - start);
        std::ranges::sort(times); // packets are in decoding order
    }
    const double fps = source.rate.value();
    if (times.size() < 2 && fps > 0) { // files that count frames instead
        times.clear();
        for (std::int64_t i = 0; i < source.frame_count(); i++) times.push_back(double(i) / fps);
    }
    return times;
}

} // namespace vmaf::tune
