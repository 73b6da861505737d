// The header of a YUV4MPEG2 file says all there is to know; starting ffprobe for it would take longer than reading it.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "source/source.hpp"

namespace vmaf::tune {

namespace {

std::optional<std::string> pix_fmt_of(const std::string &colour) {
    static const std::map<std::string, std::string> names = {
        {"420", "yuv420p"},        {"420jpeg", "yuv420p"},    {"420mpeg2", "yuv420p"},   {"420paldv", "yuv420p"},
        {"422", "yuv422p"},        {"444", "yuv444p"},        {"mono", "gray"},          {"420p10", "yuv420p10le"},
        {"422p10", "yuv422p10le"}, {"444p10", "yuv444p10le"}, {"420p12", "yuv420p12le"}, {"422p12", "yuv422p12le"},
        {"444p12", "yuv444p12le"}, {"420p16", "yuv420p16le"}, {"422p16", "yuv422p16le"}, {"444p16", "yuv444p16le"},
        {"mono10", "gray10le"},    {"mono12", "gray12le"}};
    const auto found = names.find(colour);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

// "24:1"; nothing for 0:0, which means unknown.
std::optional<Rational> ratio_of(const std::string &text) {
    Rational value;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + colon, value.num);
    if (error != std::errc() || colon == text.size()) return std::nullopt;
    const auto second = std::from_chars(text.data() + colon + 1, text.data() + text.size(), value.den);
    if (second.ec != std::errc() || value.num <= 0 || value.den <= 0) return std::nullopt;
    return value;
}

} // namespace

bool describe_y4m(Source &source) {
    std::ifstream file(source.path, std::ios::binary);
    std::string header, frame_line;
    std::error_code error;
    if (!std::getline(file, header) || !std::getline(file, frame_line) || frame_line != "FRAME" ||
        header.size() > 1000 || !std::filesystem::is_regular_file(source.path, error))
        return false;
    std::istringstream words(header);
    std::string word, colour = "420jpeg", interlacing = "p";
    words >> word; // the magic
    std::optional<Rational> rate;
    while (words >> word) {
        const std::string value = word.substr(1);
        if (word[0] == 'W') source.width = std::atoi(value.c_str());
        if (word[0] == 'H') source.height = std::atoi(value.c_str());
        if (word[0] == 'F') rate = ratio_of(value);
        if (word[0] == 'C') colour = value;
        if (word[0] == 'I') interlacing = value;
        if (word[0] == 'A' && ratio_of(value)) source.sample_aspect = value;
        if (word == "XCOLORRANGE=FULL") source.range = "pc";
        if (word == "XCOLORRANGE=LIMITED") source.range = "tv";
    }
    const std::optional<std::string> pix_fmt = pix_fmt_of(colour);
    if (!rate || !pix_fmt || interlacing != "p" || source.width <= 0 || source.height <= 0) return false;
    source.pix_fmt = *pix_fmt;
    const PixelLayout layout = *pixel_layout(*pix_fmt);
    const std::int64_t w = source.width, h = source.height;
    const std::int64_t chroma_w = layout.chroma == 444 ? w : (w + 1) / 2,
                       chroma_h = layout.chroma == 420 ? (h + 1) / 2 : h;
    const std::int64_t frame =
        (w * h + (layout.chroma == 400 ? 0 : 2 * chroma_w * chroma_h)) * (layout.bits > 8 ? 2 : 1) + 6; // "FRAME\n"
    const std::int64_t bytes = static_cast<std::int64_t>(source.file_bytes - header.size() - 1);
    if (bytes % frame != 0) return false; // cut off, or frames have parameters: others will tell
    source.container = "yuv4mpegpipe";
    source.codec = "rawvideo";
    source.rate = source.real_rate = *rate;
    source.frames = bytes / frame;
    source.duration = double(*source.frames) / rate->value();
    return true;
}

} // namespace vmaf::tune
