// Detects what an encode would do silently: unused options, converted samples.
#include <algorithm>
#include <sstream>

#include "process/child.hpp"
#include "stages/encode.hpp"

namespace vmaf::tune {

namespace {

// The unused option named in a line of FFmpeg or an encoder; empty: none.
std::string option_in(const std::string &line) {
    struct Sign {
        std::string_view before, needed; // needed: other text in the line
    };
    static constexpr Sign kSigns[] = {{"Codec AVOption ", "has not been used for any stream"},
                                      {"Error parsing option '", ""}, // libx264
                                      {"Error parsing option ", ""},  // libsvtav1
                                      {"Unknown option: ", ""},       // libx265
                                      {"Invalid value for ", ""}};
    for (const Sign &sign : kSigns) {
        const std::size_t at = line.find(sign.before);
        if (at == std::string::npos || line.find(sign.needed) == std::string::npos) continue;
        const std::size_t start = at + sign.before.size();
        const std::size_t end = line.find_first_of(" :=.'", start);
        return line.substr(start, end == std::string::npos ? end : end - start);
    }
    return {};
}

// Without the reporting part of FFmpeg, and the reasons that it gives for every unused option.
std::string quoted_part(const std::string &line) {
    const std::size_t start = line.starts_with("[") ? std::min(line.find("] ") + 2, line.size()) : 0;
    return line.substr(start, line.find(" specified for ", start) - start);
}

std::string chroma_text(int chroma) {
    const std::string digits = std::to_string(chroma);
    return std::string() + digits[0] + ":" + digits[1] + ":" + digits[2];
}

} // namespace

std::string unused_option(const EncodeSettings &settings, const std::string &messages) {
    const bool is_generic = settings.adapter->family == EncoderFamily::generic;
    if (is_generic && messages.find("Codec AVOption crf ") != std::string::npos)
        return settings.adapter->name + " has no -crf, so that every quality value gives the same encode; "
                                        "--encoder-generic is for encoders that have it";
    if (settings.allow_unused_options || (settings.user_arguments.empty() && settings.user_input_arguments.empty()))
        return {};
    Arguments given = settings.user_arguments;
    append(given, settings.user_input_arguments);
    // The tool's own options are its own affair.
    const auto is_given = [&](const std::string &name) {
        return std::ranges::any_of(given, [&](const std::string &argument) {
            for (std::size_t at = 0; (at = argument.find(name, at)) != std::string::npos; at++) {
                const auto is_end = [&](std::size_t i) {
                    return i >= argument.size() || std::string_view("-=: ").find(argument[i]) != std::string_view::npos;
                };
                if ((at == 0 || is_end(at - 1)) && is_end(at + name.size())) return true;
            }
            return false;
        });
    };
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);)
        if (const std::string name = option_in(line); !name.empty() && is_given(name))
            return "the option '" + name + "' was not used: FFmpeg says \"" + quoted_part(line) +
                   "\"; check --enc, or use --allow-unused-options";
    return {};
}

std::vector<FormatChange> format_changes(const Source &source, const std::string &out_pix_fmt) {
    const auto from = pixel_content(source.pix_fmt), to = pixel_content(out_pix_fmt);
    if (!from || !to) return {};
    std::vector<FormatChange> changes;
    if (from->is_rgb && !to->is_rgb)
        changes.push_back({"RGB becomes Y'CbCr " + chroma_text(to->chroma), true});
    else if (from->chroma != to->chroma && from->chroma != 400)
        changes.push_back({"chroma " + chroma_text(from->chroma) + " becomes " + chroma_text(to->chroma),
                           to->columns_per_chroma() > from->columns_per_chroma() ||
                               to->lines_per_chroma() > from->lines_per_chroma()});
    if (from->bits != to->bits)
        changes.push_back(
            {std::to_string(from->bits) + " bits become " + std::to_string(to->bits), from->bits > to->bits});
    if (source.pix_fmt.starts_with("yuvj") && !out_pix_fmt.starts_with("yuvj"))
        changes.push_back({"full range becomes limited", true});
    return changes;
}

} // namespace vmaf::tune
