// A YUV4MPEG2 header has all facts; starting ffprobe would take longer than reading it.
#include <charconv>
#include <sstream>

#include "base/error.hpp"
#include "io/y4m_header.hpp"
#include "source/source.hpp"
#include "system/filesystem.hpp"

namespace vmaf::tune {

namespace {

// FFmpeg's name of the format; empty for formats that are converted on reading.
std::optional<std::string> pix_fmt_of(const StoredFrame &frame) {
    using Conversion = ChromaConversion;
    if (frame.conversion == Conversion::from_411 || frame.conversion == Conversion::drop_fourth) return std::nullopt;
    const PixelFormat format = frame.picture.pixel_format;
    const int chroma = frame.conversion == Conversion::fill_grey ? 400
                       : format == PixelFormat::yuv444p          ? 444
                       : format == PixelFormat::yuv422p          ? 422
                                                                 : 420;
    const std::string name = pix_fmt_name({chroma, static_cast<int>(frame.picture.bits)});
    return pixel_layout(name) ? std::optional(name) : std::nullopt;
}

// "24:1"; empty for 0:0, which means unknown.
std::optional<Fraction> ratio_of(const std::string &text) {
    Fraction value;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + colon, value.num);
    if (error != std::errc() || colon == text.size()) return std::nullopt;
    const auto second = std::from_chars(text.data() + colon + 1, text.data() + text.size(), value.den);
    if (second.ec != std::errc() || value.num <= 0 || value.den <= 0) return std::nullopt;
    return value;
}

} // namespace

bool describe_y4m(Source &source) {
    system::fs::ifstream file(source.path, std::ios::binary);
    std::string header, frame_line;
    std::error_code error;
    if (!std::getline(file, header) || !std::getline(file, frame_line) || frame_line != "FRAME" ||
        header.size() > 1000 || !system::fs::is_regular_file(source.path, error))
        return false;
    StoredFrame stored;
    try {
        stored = parse_y4m_header(header, "'" + source.path + "'");
    } catch (const Error &) { // ffprobe may know more, and reports errors
        return false;
    }
    std::istringstream words(header);
    std::string word;
    std::optional<Fraction> rate;
    while (words >> word) {
        const std::string value = word.substr(1);
        if (word[0] == 'F') rate = ratio_of(value);
        if (word[0] == 'A' && ratio_of(value)) source.sample_aspect = value;
        if (word == "It" || word == "Ib") source.field_order = word == "It" ? "tt" : "bb";
        if (word == "XCOLORRANGE=FULL") source.range = SampleRange::full;
        if (word == "XCOLORRANGE=LIMITED") source.range = SampleRange::limited;
    }
    const std::optional<std::string> pix_fmt = pix_fmt_of(stored);
    if (!rate || !pix_fmt) return false;
    source.pix_fmt = *pix_fmt;
    source.width = static_cast<int>(stored.picture.width);
    source.height = static_cast<int>(stored.picture.height);
    const auto frame = static_cast<std::int64_t>(stored.bytes() + sizeof("FRAME\n") - 1);
    const std::int64_t bytes = static_cast<std::int64_t>(source.file_bytes - header.size() - 1);
    if (bytes % frame != 0) return false; // truncated, or frames have parameters: others will report it
    source.container = "yuv4mpegpipe";
    source.codec = "rawvideo";
    source.rate = source.real_rate = *rate;
    source.frames = bytes / frame;
    source.duration = double(*source.frames) / rate->value();
    return true;
}

} // namespace vmaf::tune
