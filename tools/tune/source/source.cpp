#include "source/source.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "hash/sha256.hpp"
#include "source/display.hpp"
#include "source/stream.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

bool ends_with(const std::string &text, std::string_view end) {
    return text.size() >= end.size() && std::equal(end.rbegin(), end.rend(), text.rbegin(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
           });
}

// Raw planar files: geometry from the caller, length from the size.
void describe_raw(Source &source, const SourceRequest &request) {
    if (!request.width || !request.height)
        throw invalid("'" + source.path + "' is raw video: give --width and --height (and --pix-fmt, --framerate)");
    source.width = *request.width;
    source.height = *request.height;
    source.pix_fmt = request.pix_fmt.value_or("yuv420p");
    const auto layout = pixel_layout(source.pix_fmt);
    if (!layout) throw invalid("--pix-fmt " + source.pix_fmt + " is not a planar YUV format that can be scored");
    if (source.width <= 0 || source.height <= 0 || source.width > 32768 || source.height > 32768)
        throw invalid("a size of " + std::to_string(source.width) + "x" + std::to_string(source.height) +
                      " is not possible");
    const std::int64_t frame = frame_bytes(*layout, source.width, source.height);
    const auto bytes = static_cast<std::int64_t>(source.file_bytes);
    if (bytes == 0 || bytes % frame != 0) {
        std::string fitting;
        constexpr std::pair<int, int> kUsualSizes[] = {{3840, 2160}, {1920, 1080}, {1280, 720}, {720, 576}, {720, 480},
                                                       {640, 480},   {640, 360},   {576, 324},  {352, 288}, {176, 144}};
        int found = 0;
        for (const auto &[w, h] : kUsualSizes)
            if (bytes > 0 && bytes % frame_bytes(*layout, w, h) == 0 && found++ < 3)
                add_item(fitting, std::to_string(w) + "x" + std::to_string(h));
        throw invalid("'" + source.path + "' has " + std::to_string(bytes) + " bytes, not a multiple of a " +
                      std::to_string(source.width) + "x" + std::to_string(source.height) + " " + source.pix_fmt +
                      " frame of " + std::to_string(frame) +
                      (fitting.empty() ? std::string() : "; sizes that would fit: " + fitting));
    }
    source.frames = bytes / frame;
    if (source.rate.value() > 0) source.duration = double(*source.frames) / source.rate.value();
}

// For files written to a pipe, and bare streams, which do not state it: from their packets.
void measure_length(Source &source, const std::string &ffprobe) {
    const std::vector<double> times = frame_times(ffprobe, source);
    if (times.size() > 1) {
        source.duration = (times.back() - times.front()) * double(times.size()) / double(times.size() - 1);
        source.frames = std::ssize(times);
        return;
    }
    const std::int64_t packets = video_packets(ffprobe, source.path, source.stream).packets;
    if (packets < 2 || source.rate.value() <= 0) return; // a picture has no length
    source.frames = packets;
    source.duration = double(packets) / source.rate.value();
}

} // namespace

std::string lost_streams(const Source &source, bool is_mp4, bool keeps_attachments) {
    std::string text;
    const auto add = [&](bool is_lost, const std::string &what) {
        if (is_lost) add_item(text, what);
    };
    add(!source.covers.empty() && !(is_mp4 && keeps_attachments), "the cover picture");
    add(source.attachments > 0 && (is_mp4 || !keeps_attachments),
        counted(source.attachments, "attached file") + " (fonts and the like)");
    add(source.data_streams > 0, counted(source.data_streams, "data stream") + " (time codes and the like)");
    const int other_videos = source.video_streams - 1 - static_cast<int>(source.covers.size());
    add(other_videos > 0, counted(other_videos, "other video stream"));
    return text;
}

Fraction parse_fraction(const std::string &text) {
    if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
        char *end = nullptr;
        const long long num = std::strtoll(text.c_str(), &end, 10);
        const bool num_ok = end == text.c_str() + slash;
        const long long den = std::strtoll(text.c_str() + slash + 1, &end, 10);
        if (!num_ok || *end || den <= 0 || num < 0) throw invalid("'" + text + "' is not a frame rate");
        return {num, den};
    }
    const double value = number_of(text).value_or(0);
    if (!(value > 0) || value > 100000) throw invalid("'" + text + "' is not a frame rate");
    if (value == std::floor(value)) return {static_cast<std::int64_t>(value), 1};
    const auto ntsc = static_cast<std::int64_t>(std::llround(value * 1.001)); // 23.976 means 24000/1001
    if (std::fabs(double(ntsc) * 1000 / 1001 - value) < 0.005) return {ntsc * 1000, 1001};
    return {std::llround(value * 1000), 1000};
}

bool Source::has_full_levels() const {
    const auto content = pixel_content(pix_fmt);
    return content && !content->is_rgb && content->chroma != 400 &&
           (pix_fmt.starts_with("yuvj") || range == SampleRange::full);
}

std::int64_t frame_bytes(const PixelLayout &layout, int w, int h) {
    const std::int64_t cw = layout.chroma == 444 ? w : layout.chroma == 400 ? 0 : (w + 1) / 2;
    const std::int64_t ch = layout.chroma == 420 ? (h + 1) / 2 : h;
    return (std::int64_t(w) * h + 2 * cw * ch) * (layout.bits > 8 ? 2 : 1);
}

std::optional<PixelLayout> pixel_layout(const std::string &name) {
    std::string_view rest = name;
    if (rest.starts_with("yuvj")) {
        rest.remove_prefix(4);
    } else if (rest.starts_with("yuv")) {
        rest.remove_prefix(3);
    } else if (rest.starts_with("gray")) {
        rest.remove_prefix(4);
        if (rest.empty()) return PixelLayout{400, 8};
        return PixelLayout{400, std::atoi(std::string(rest).c_str())};
    } else {
        return std::nullopt;
    }
    PixelLayout layout;
    layout.chroma = std::atoi(std::string(rest.substr(0, 3)).c_str());
    if (layout.chroma != 420 && layout.chroma != 422 && layout.chroma != 444) return std::nullopt;
    rest.remove_prefix(3);
    if (!rest.starts_with("p")) return std::nullopt;
    rest.remove_prefix(1);
    if (rest.empty()) return layout;
    layout.bits = std::atoi(std::string(rest).c_str());
    if (layout.bits < 9 || layout.bits > 16 || !rest.ends_with("le")) return std::nullopt;
    return layout;
}

namespace {

// The number of bits that ends a name: none means 8, a float counts as 16. Empty for other text.
std::optional<int> bits_of(std::string_view text) {
    if (text.empty()) return 8;
    if (text == "f16" || text == "f32") return 16;
    int bits = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(bits) : std::nullopt;
}

// Names that follow no pattern.
struct PackedFormat {
    std::string_view name;
    PixelContent content;
};
constexpr PackedFormat kPackedFormats[] = {
    {"nv12", {420, 8}},       {"nv21", {420, 8}},        {"nv16", {422, 8}},    {"nv20", {422, 10}},
    {"nv24", {444, 8}},       {"nv42", {444, 8}},        {"yuyv422", {422, 8}}, {"uyvy422", {422, 8}},
    {"yvyu422", {422, 8}},    {"uyyvyy411", {411, 8}},   {"y210", {422, 10}},   {"y212", {422, 12}},
    {"y216", {422, 16}},      {"vuya", {444, 8}},        {"vuyx", {444, 8}},    {"ayuv", {444, 8}},
    {"ayuv64", {444, 16}},    {"xv30", {444, 10}},       {"xv36", {444, 12}},   {"xv48", {444, 16}},
    {"pal8", {444, 8, true}}, {"xyz12", {444, 12, true}}};

} // namespace

std::optional<PixelContent> pixel_content(const std::string &name) {
    std::string_view rest = name;
    if (rest.ends_with("le") || rest.ends_with("be")) rest.remove_suffix(2);
    for (const PackedFormat &format : kPackedFormats)
        if (rest == format.name) return format.content;
    const auto follows = [&](std::string_view start) {
        if (!rest.starts_with(start)) return false;
        rest.remove_prefix(start.size());
        return true;
    };
    const auto with_bits = [&](PixelContent content) -> std::optional<PixelContent> {
        const auto bits = bits_of(rest);
        if (bits) content.bits = *bits;
        return bits ? std::optional(content) : std::nullopt;
    };
    if (follows("gray") || follows("ya")) return with_bits({400, 8});
    if (follows("gbrap") || follows("gbrp")) return with_bits({444, 8, true});
    if (rest.find("rgb") != std::string_view::npos || rest.find("bgr") != std::string_view::npos) {
        const bool is_deep = rest.ends_with("48") || rest.ends_with("64") || rest.ends_with("96") ||
                             rest.ends_with("128") || rest.ends_with("f16") || rest.ends_with("f32");
        return PixelContent{444, is_deep ? 16 : rest.starts_with("x2") ? 10 : 8, true};
    }
    const bool is_planar = follows("yuva") || follows("yuvj") || follows("yuv");
    if (!is_planar && !(rest.size() == 4 && follows("p"))) return std::nullopt;
    // yuv422p10 or p210
    constexpr int kChroma[] = {400, 410, 411, 420, 422, 440, 444};
    const auto chroma = bits_of(rest.substr(0, is_planar ? 3 : 1));
    const int wanted = !chroma ? 0 : is_planar ? *chroma : *chroma == 0 ? 420 : 400 + *chroma * 11;
    if (std::find(std::begin(kChroma), std::end(kChroma), wanted) == std::end(kChroma)) return std::nullopt;
    rest.remove_prefix(is_planar ? 3 : 1);
    return !is_planar || follows("p") ? with_bits({wanted, 8}) : std::nullopt;
}

std::string pix_fmt_name(const PixelLayout &layout) {
    if (layout.chroma == 400) return layout.bits == 8 ? "gray" : "gray" + std::to_string(layout.bits) + "le";
    const std::string base = "yuv" + std::to_string(layout.chroma) + "p";
    return layout.bits == 8 ? base : base + std::to_string(layout.bits) + "le";
}

std::string Source::shown(const std::string &filter) const {
    std::string chain = ignores_matrix ? turning : "";
    for (const std::string &part : {display_filter, filter})
        if (!part.empty()) add_item(chain, part, ",");
    return chain;
}

Arguments Source::input_arguments() const {
    if (kind != Kind::raw) {
        Arguments arguments;
        if (ignores_matrix) arguments.push_back("-noautorotate");
        if (ffmpeg_crops) append(arguments, {"-apply_cropping", "codec"}); // our filter crops
        return arguments;
    }
    return {"-f",         "rawvideo", "-pix_fmt", pix_fmt, "-s", std::to_string(width) + "x" + std::to_string(height),
            "-framerate", rate.text()};
}

std::int64_t Source::frame_count() const {
    if (frames) return *frames;
    return duration > 0 && rate.value() > 0 ? std::llround(duration * rate.value()) : 0;
}

std::string ffmpeg_path(const std::string &path) { return path == "-" ? path : "file:" + path; }

bool describe_y4m(Source &source); // y4m_source.cpp

namespace {

Source examine(const SourceRequest &request) {
    Source source;
    source.path = request.path;
    std::error_code error;
    const fs::file_status status = fs::status(request.path, error);
    if (!fs::exists(status)) throw invalid("'" + request.path + "' does not exist");
    if (fs::is_directory(status)) throw invalid("'" + request.path + "' is a directory; give a video file");
    source.file_bytes = fs::is_regular_file(status) ? fs::file_size(request.path, error) : 0;
    if (fs::is_regular_file(status) && source.file_bytes == 0) throw invalid("'" + request.path + "' is empty");
    fs::ifstream file(request.path, std::ios::binary);
    if (!file) throw invalid("'" + request.path + "' cannot be read; check its permissions");
    std::string first(10, '\0');
    file.read(first.data(), 10);

    if (request.framerate) source.rate = source.real_rate = parse_fraction(*request.framerate);
    if (ends_with(request.path, ".yuv") || ends_with(request.path, ".raw")) {
        source.kind = Source::Kind::raw;
        source.container = "rawvideo";
        source.codec = "rawvideo";
        describe_raw(source, request);
        set_hdr(source, request.hdr, nullptr);
    } else {
        if (first == "YUV4MPEG2 ") source.kind = Source::Kind::y4m;
        if (source.kind == Source::Kind::y4m && !request.pix_fmt && describe_y4m(source)) {
            set_hdr(source, request.hdr, nullptr);
            if (!request.is_own_encode)
                apply_display(source, {}, {}, false, request.deinterlace && source.is_interlaced());
        } else {
            describe_stream(source, request);
        }
        if (request.framerate) source.rate = parse_fraction(*request.framerate);
    }
    if (request.duration) source.duration = *request.duration;
    if (source.duration <= 0 && source.kind == Source::Kind::container && !request.is_own_encode)
        measure_length(source, request.ffprobe);
    if (source.duration <= 0 && !source.frames && request.total_frames && source.rate.value() > 0) {
        source.frames = request.total_frames;
        source.duration = double(*request.total_frames) / source.rate.value();
    }
    return source;
}

} // namespace

Source probe_source(const SourceRequest &request, Cache *facts) {
    std::error_code ignored;
    // Opening a pipe blocks until it has a writer, and its data cannot be read twice.
    if (const fs::file_status status = fs::status(request.path, ignored);
        fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        throw invalid("'" + request.path + "' is a pipe or a device; videos are read several times: give a file");
    const auto stamp = system::file_stamp(request.path);
    const std::string identity = request.hash == SourceHash::none ? "" : fast_identity(request.path);
    std::string key;
    if (facts && !identity.empty()) {
        const json asked = {"probe-7",
                            identity,
                            request.ffprobe,
                            request.width.value_or(0),
                            request.height.value_or(0),
                            request.stream.value_or(-1),
                            request.pix_fmt.value_or(""),
                            request.framerate.value_or(""),
                            request.duration.value_or(0),
                            request.total_frames.value_or(0),
                            word_of(kHdrWishes, request.hdr),
                            request.is_own_encode,
                            request.deinterlace,
                            fs::path(request.path).extension().string()};
        key = sha256_hex(json_line(asked));
    }
    Source source;
    const bool is_known =
        read_stored(facts, Cache::Kind::fact, key, [&](const json &stored) { source = source_from_facts(stored); });
    if (!is_known) {
        source = examine(request);
        try_store(facts, Cache::Kind::fact, key, source_facts(source), "probe of " + request.path);
    }
    std::error_code error;
    source.path = request.path;
    source.stamp = stamp;
    if (is_known) source.file_bytes = fs::file_size(request.path, error);
    source.id = identity;
    if (request.hash == SourceHash::full) source.id = source.sha256 = sha256_of_file(request.path);
    // The same bytes with another geometry or display are another source.
    if (const std::string shown = source.turning + source.display_filter; !source.id.empty() && !shown.empty())
        source.id += ":" + shown;
    if (!source.id.empty() && source.kind == Source::Kind::raw)
        source.id += ":" + std::to_string(source.width) + "x" + std::to_string(source.height) + ":" + source.pix_fmt;
    return source;
}

Source probe_own_encode(const std::string &ffprobe, const std::string &path, const Fraction &rate) {
    SourceRequest request;
    request.path = path;
    request.ffprobe = ffprobe;
    request.hash = SourceHash::none;
    request.hdr = HdrWish::sdr; // its HDR metadata is not needed
    request.is_own_encode = true;
    if (rate.value() > 0) request.framerate = rate.text();
    return probe_source(request);
}

void demand_unchanged(const Source &source) {
    const auto now = system::file_stamp(source.path);
    if (source.stamp && now && now->text() != source.stamp->text())
        throw Error(EBUSY,
                    "'" + source.path + "' was changed while it was worked on; start again when nothing writes to it");
}

} // namespace vmaf::tune
