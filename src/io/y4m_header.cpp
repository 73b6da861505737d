#include "io/y4m_header.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

struct ChromaTag {
    std::string_view tag;
    PixelFormat format;
    unsigned bits;
    ChromaConversion conversion = ChromaConversion::none;
};

using enum PixelFormat;
constexpr auto kChromaTags = std::to_array<ChromaTag>({
    {"420", yuv420p, 8},
    {"420jpeg", yuv420p, 8},
    {"420mpeg2", yuv420p, 8},
    {"420paldv", yuv420p, 8, ChromaConversion::paldv},
    {"420p9", yuv420p, 9},
    {"420p10", yuv420p, 10},
    {"420p12", yuv420p, 12},
    {"420p14", yuv420p, 14},
    {"420p16", yuv420p, 16},
    {"422", yuv422p, 8, ChromaConversion::move_right},
    {"422p9", yuv422p, 9},
    {"422p10", yuv422p, 10},
    {"422p12", yuv422p, 12},
    {"422p14", yuv422p, 14},
    {"422p16", yuv422p, 16},
    {"444", yuv444p, 8},
    {"444p9", yuv444p, 9},
    {"444p10", yuv444p, 10},
    {"444p12", yuv444p, 12},
    {"444p14", yuv444p, 14},
    {"444p16", yuv444p, 16},
    {"444alpha", yuv444p, 8, ChromaConversion::drop_fourth},
    {"411", yuv422p, 8, ChromaConversion::from_411},
    {"mono", yuv420p, 8, ChromaConversion::fill_grey},
    {"mono9", yuv420p, 9, ChromaConversion::fill_grey},
    {"mono10", yuv420p, 10, ChromaConversion::fill_grey},
    {"mono12", yuv420p, 12, ChromaConversion::fill_grey},
    {"mono14", yuv420p, 14, ChromaConversion::fill_grey},
    {"mono16", yuv420p, 16, ChromaConversion::fill_grey},
});

constexpr std::size_t kMaxChromaTagLength = 15;
constexpr std::size_t kMaxSizeDigits = 9;

// Header text for messages: printable and short.
std::string shown(std::string_view text) {
    std::string clean(text.substr(0, 40));
    for (char &c : clean)
        if (c < 0x20 || c > 0x7e) c = '?';
    return clean;
}

// Like C's %d: uses leading digits and ignores the rest.
std::optional<int> leading_integer(const std::string &text) {
    int value = 0;
    if (std::sscanf(text.c_str(), "%9d", &value) != 1) return std::nullopt;
    return value;
}

// The number of leading characters that form a whole number of any size; 0 if none.
std::size_t integer_length(std::string_view text) {
    const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", sign), text.size());
    return end > sign ? end : 0;
}

bool is_ratio(std::string_view text) {
    const std::size_t colon = integer_length(text);
    return colon > 0 && text.substr(colon).starts_with(':') && integer_length(text.substr(colon + 1)) > 0;
}

// The value of such a text; 0 if it is meaningless.
double ratio(const std::string &text) {
    const double above = std::strtod(text.c_str(), nullptr),
                 below = std::strtod(text.c_str() + text.find(':') + 1, nullptr);
    return above > 0 && below > 0 ? above / below : 0;
}

class HeaderParser {
  public:
    explicit HeaderParser(const std::string &name) : name_(name) {}

    void take_tag(std::string_view tag) {
        const std::string value(tag.substr(1));
        switch (tag[0]) {
        case 'W': width_ = size(tag, value); break;
        case 'H': height_ = size(tag, value); break;
        case 'F':
            if (!is_ratio(value)) throw bad("the frame rate '" + shown(tag) + "' is not of the form F25:1");
            has_rate_ = true;
            rate_ = ratio(value);
            break;
        case 'A':
            if (!is_ratio(value)) throw bad("the aspect ratio '" + shown(tag) + "' is not of the form A1:1");
            break;
        case 'I': interlacing_ = value.empty() ? '?' : value[0]; break;
        case 'C':
            if (value.size() > kMaxChromaTagLength) throw bad("the chroma tag '" + shown(tag) + "' is too long");
            chroma_ = value;
            break;
        default: break;
        }
    }

    StoredFrame result() const {
        if (!width_ || !height_) throw bad("it has no width (W) or no height (H)");
        if (!has_rate_) throw bad("it has no frame rate (F)");
        if (interlacing_ == '?')
            log(LogLevel::warning, name_ + " does not state whether it is interlaced; progressive is assumed");
        else if (interlacing_ != 'p')
            throw bad(std::string("it is interlaced ('I") + shown(std::string_view(&interlacing_, 1)) +
                      "'); deinterlace the clip first");
        for (const ChromaTag &known : kChromaTags)
            if (known.tag == chroma_) {
                StoredFrame frame({known.format, known.bits, unsigned(*width_), unsigned(*height_)}, known.conversion);
                frame.frame_rate = rate_;
                return frame;
            }
        if (chroma_.ends_with('\r')) throw bad("its line ends in CR LF; a text filter has changed the clip");
        throw bad("the chroma format 'C" + shown(chroma_) + "' is not supported; use 420, 422 or 444, 8 to 16 bit");
    }

    Error bad(const std::string &why) const {
        return invalid("the YUV4MPEG2 header of " + name_ + " is wrong: " + why);
    }

  private:
    int size(std::string_view tag, const std::string &value) const {
        const auto number = leading_integer(value);
        if (!number || *number <= 0 || integer_length(value) > kMaxSizeDigits)
            throw bad("'" + shown(tag) + "' is not a size in pixels");
        return *number;
    }

    const std::string &name_;
    std::optional<int> width_, height_;
    bool has_rate_ = false;
    double rate_ = 0;
    char interlacing_ = '?';
    std::string chroma_ = "420";
};

} // namespace

StoredFrame parse_y4m_header(std::string_view line, const std::string &name) {
    constexpr std::string_view kMagic = "YUV4MPEG";
    if (!line.starts_with(kMagic))
        throw invalid(name + " is not a YUV4MPEG2 clip; for raw video give --width, --height, --pixel_format and "
                             "--bitdepth (other video is read from files, not from pipes)");
    line.remove_prefix(kMagic.size());
    if (!line.starts_with('2')) log(LogLevel::warning, name + " is not version 2 of YUV4MPEG; read as if it were");
    HeaderParser parser(name);
    std::size_t at = line.find(' ');
    while (at < line.size()) {
        const std::size_t begin = line.find_first_not_of(' ', at);
        if (begin == std::string_view::npos) break;
        at = std::min(line.find(' ', begin), line.size());
        parser.take_tag(line.substr(begin, at - begin));
    }
    return parser.result();
}

} // namespace vmaf
