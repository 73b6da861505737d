#include "adapters/adapter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "text/near_names.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace {

void append(Arguments &to, std::initializer_list<std::string> more) { to.insert(to.end(), more.begin(), more.end()); }

} // namespace

Arguments Adapter::codec_arguments(std::string_view preset, double q) const {
    if (!(q >= hard.low && q <= hard.high))
        throw invalid(name + ": " + knob + " " + number_text(q) + " is outside " + number_text(hard.low) + " to " +
                      number_text(hard.high));
    const auto native = native_preset(preset);
    if (!native)
        throw invalid(name + " has no preset '" + std::string(preset) + "'; it knows " + joined(preset_names()));
    const std::string &p = *native, value = number_text(q);
    switch (family) {
    case EncoderFamily::svtav1: {
        const bool plain = q == static_cast<int>(q) && q <= 63;
        if (plain) return {"-preset", p, "-crf", value};
        return {"-preset", p, "-crf", number_text(std::min(63, static_cast<int>(q))), "-svtav1-params", "crf=" + value};
    }
    case EncoderFamily::aom: return {"-cpu-used", p, "-crf", value, "-b:v", "0"};
    case EncoderFamily::vp9: return {"-deadline", "good", "-cpu-used", p, "-crf", value, "-b:v", "0"};
    case EncoderFamily::vvenc: return {"-preset", p, "-qp", value};
    case EncoderFamily::rav1e: return {"-speed", p, "-qp", value};
    case EncoderFamily::nvenc: return {"-preset", p, "-rc", "vbr", "-cq", value, "-b:v", "0"};
    case EncoderFamily::qsv: return {"-preset", p, "-global_quality", value};
    case EncoderFamily::amf: return {"-quality", p, "-rc", "cqp", "-qp_i", value, "-qp_p", value};
    case EncoderFamily::videotoolbox: return {"-realtime", p, "-q:v", value};
    case EncoderFamily::prores: {
        constexpr std::array<const char *, 6> profiles = {"proxy", "lt", "standard", "hq", "4444", "xq"};
        return {"-realtime", p, "-profile:v", profiles[static_cast<std::size_t>(q)]};
    }
    default: return {"-preset", p, "-crf", value};
    }
}

Arguments Adapter::bitrate_arguments(std::string_view preset, unsigned kbps) const {
    // Takes the preset's arguments and replaces the knob by a bitrate.
    Arguments arguments = codec_arguments(preset, default_q);
    for (const char *option : {"-crf", "-qp", "-cq", "-b:v"}) {
        const auto at = std::ranges::find(arguments, option);
        if (at != arguments.end()) arguments.erase(at, at + 2);
    }
    append(arguments, {"-b:v", std::to_string(kbps) + "k"});
    return arguments;
}

Arguments Adapter::extra_arguments(std::string_view output_extension) const {
    switch (family) {
    case EncoderFamily::aom:
    case EncoderFamily::vp9: return {"-row-mt", "1"};
    default: return container_tag(output_extension);
    }
}

Arguments Adapter::container_tag(std::string_view output_extension) const {
    const bool is_tagged = output_extension == "mp4" || output_extension == "mov";
    if (family == EncoderFamily::x265 && is_tagged) return {"-tag:v", "hvc1"};
    return {};
}

bool Adapter::has_hdr_arguments() const {
    switch (family) {
    case EncoderFamily::x264:
    case EncoderFamily::x265:
    case EncoderFamily::svtav1:
    case EncoderFamily::aom:
    case EncoderFamily::vp9:
    case EncoderFamily::rav1e:
    case EncoderFamily::vvenc: return true;
    case EncoderFamily::nvenc:
    case EncoderFamily::qsv:
    case EncoderFamily::amf: return !name.starts_with("h264");
    case EncoderFamily::videotoolbox: return name.starts_with("hevc");
    default: return false;
    }
}

bool Adapter::keeps_light() const {
    return family == EncoderFamily::x265 || family == EncoderFamily::svtav1 || name == "hevc_nvenc";
}

namespace {

// SVT-AV1 takes chromaticities from 0 to 1 and candelas; others count 50000ths and 10000ths.
std::string with_fractions(const std::string &mastering_display) {
    std::string result;
    double unit = 50000;
    for (std::size_t i = 0; i < mastering_display.size();) {
        const char c = mastering_display[i];
        if (c == 'L') unit = 10000;
        if (c < '0' || c > '9') {
            result += c;
            i++;
            continue;
        }
        char *end = nullptr;
        std::string number = fixed_text(std::strtod(mastering_display.c_str() + i, &end) / unit, 6); // no exponents
        number.erase(number.find_last_not_of('0') + 1);
        if (number.ends_with('.')) number.pop_back();
        result += number;
        i = static_cast<std::size_t>(end - mastering_display.c_str());
    }
    return result;
}

} // namespace

Arguments Adapter::hdr_arguments(const Hdr &hdr) const {
    if (hdr.transfer == Hdr::Transfer::none || !has_hdr_arguments()) return {};
    const bool pq = hdr.transfer == Hdr::Transfer::pq;
    const std::string transfer = pq ? "smpte2084" : "arib-std-b67";
    Arguments result;
    if (is_hardware) append(result, {"-pix_fmt", "p010le"});
    if (is_hardware && name.starts_with("hevc")) append(result, {"-profile:v", "main10"});
    append(result, {"-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", hdr.matrix, "-color_range",
                    hdr.range});
    const bool full = hdr.range == "pc";
    if (family == EncoderFamily::x265) {
        std::string params =
            "colorprim=bt2020:transfer=" + transfer + ":colormatrix=bt2020nc:range=" + (full ? "full" : "limited");
        if (!hdr.mastering_display.empty()) params += ":master-display=" + hdr.mastering_display;
        if (!hdr.content_light.empty()) params += ":max-cll=" + hdr.content_light;
        if (pq) params += ":hdr10-opt=1";
        append(result, {"-x265-params", params});
    } else if (family == EncoderFamily::svtav1) {
        std::string params = std::string("color-primaries=9:transfer-characteristics=") + (pq ? "16" : "18") +
                             ":matrix-coefficients=9:color-range=" + (full ? "1" : "0");
        if (!hdr.mastering_display.empty()) params += ":mastering-display=" + with_fractions(hdr.mastering_display);
        if (!hdr.content_light.empty()) params += ":content-light=" + hdr.content_light;
        append(result, {"-svtav1-params", params});
    } else if (name == "hevc_nvenc") {
        if (!hdr.mastering_display.empty()) append(result, {"-master_display", hdr.mastering_display});
        if (!hdr.content_light.empty()) append(result, {"-max_cll", hdr.content_light});
    }
    return result;
}

Adapter::TwoPass Adapter::two_pass() const {
    switch (family) {
    case EncoderFamily::x264:
    case EncoderFamily::x265:
    case EncoderFamily::svtav1:
    case EncoderFamily::vvenc: return TwoPass::bitrate_only;
    case EncoderFamily::vp9:
    case EncoderFamily::aom: return TwoPass::quality_too;
    case EncoderFamily::nvenc: return TwoPass::one_run;
    default: return TwoPass::no;
    }
}

Arguments Adapter::two_pass_arguments(int pass, const std::string &stats_prefix) const {
    if (family == EncoderFamily::nvenc) return {"-multipass", "fullres"};
    if (family == EncoderFamily::x265) {
        std::string path; // inside k=v:k=v
        for (const char c : stats_prefix)
            path += c == ':' || c == '\\' || c == '\'' ? std::string("\\") + c : std::string(1, c);
        return {"-x265-params", "pass=" + std::to_string(pass) + ":stats=" + path};
    }
    return {"-pass", std::to_string(pass), "-passlogfile", stats_prefix};
}

std::string_view Adapter::preset_number_option() const {
    switch (family) {
    case EncoderFamily::svtav1: return "-preset";
    case EncoderFamily::aom:
    case EncoderFamily::vp9: return "-cpu-used";
    case EncoderFamily::rav1e: return "-speed";
    default: return {};
    }
}

const Adapter *adapter_by_short_name(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"x264", "libx264"},      {"x265", "libx265"},   {"svtav1", "libsvtav1"},   {"svt-av1", "libsvtav1"},
        {"svt", "libsvtav1"},     {"aom", "libaom-av1"}, {"aom-av1", "libaom-av1"}, {"libaom", "libaom-av1"},
        {"aomenc", "libaom-av1"}, {"vp9", "libvpx-vp9"}, {"vpx-vp9", "libvpx-vp9"}, {"libvpx", "libvpx-vp9"},
        {"vvenc", "libvvenc"},    {"rav1e", "librav1e"}};
    for (const auto &[short_name, full] : kNames)
        if (name == short_name) return find_adapter(full);
    return nullptr;
}

std::string adapter_meant_by(std::string_view name) {
    std::string word(name);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
        {"h264", "libx264"},  {"avc", "libx264"},   {"h.264", "libx264"}, {"h265", "libx265"}, {"hevc", "libx265"},
        {"h.265", "libx265"}, {"av1", "libsvtav1"}, {"vvc", "libvvenc"},  {"h266", "libvvenc"}};
    for (const auto &[format, full] : kFormats)
        if (word == format) return std::string(full);
    if (const Adapter *a = adapter_by_short_name(word)) return a->name;
    std::vector<std::string> names;
    for (const Adapter &a : adapters()) names.push_back(a.name);
    return nearest_name(word, names);
}

Adapter adapter_for_version(const Adapter &adapter, std::string_view version) {
    Adapter result = adapter;
    const std::size_t dash = version.rfind('-');
    const bool is_four =
        dash != std::string_view::npos && std::atoi(std::string(version.substr(dash + 1)).c_str()) >= 4;
    if (adapter.family == EncoderFamily::svtav1 && is_four) {
        result.search.high = result.hard.high = 70;
        result.step = 0.25;
    }
    return result;
}

std::string Adapter::encoder_version(std::string_view log) const {
    // The text after `mark`, up to whitespace or a comma.
    const auto behind = [&](std::string_view mark, std::size_t from = 0) -> std::string {
        const auto lower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
        const auto found = std::search(
            log.begin() + static_cast<std::ptrdiff_t>(from), log.end(), mark.begin(), mark.end(), [&](char a, char b) {
                return lower(static_cast<unsigned char>(a)) == lower(static_cast<unsigned char>(b));
            });
        if (found == log.end()) return {};
        const std::string_view rest = log.substr(static_cast<std::size_t>(found - log.begin()) + mark.size());
        return std::string(rest.substr(0, rest.find_first_of(" \t\r\n,:")));
    };
    std::string version;
    switch (family) {
    case EncoderFamily::x264: version = behind("264 - core "); break;
    case EncoderFamily::x265: version = behind("HEVC encoder version "); break;
    case EncoderFamily::svtav1:
        version = behind("SVT-AV1 Encoder Lib v");
        if (version.empty()) version = behind("SVT-AV1 ENCODER v");
        break;
    case EncoderFamily::aom:
    case EncoderFamily::vp9: {
        const auto at = log.find("[" + name + " @ ");
        if (at != std::string_view::npos) version = behind("] v", at);
        break;
    }
    case EncoderFamily::vvenc: version = behind("version ", std::min(log.size(), log.find("VVenC, the"))); break;
    default: break;
    }
    return version.empty() ? "unknown" : name + "-" + version;
}

std::vector<Adapter> known_encoders(); // encoders.cpp

std::span<const Adapter> adapters() {
    static const std::vector<Adapter> list = known_encoders();
    return list;
}

const Adapter *find_adapter(std::string_view name) {
    for (const Adapter &adapter : adapters())
        if (adapter.name == name) return &adapter;
    return nullptr;
}

Adapter generic_adapter(const std::string &encoder) {
    return {.name = encoder,
            .family = EncoderFamily::generic,
            .knob = "crf",
            .search = {0, 63},
            .hard = {0, 255},
            .step = 1,
            .default_q = 30,
            .probe_preset = "ultrafast",
            .probe_q = 30,
            .version = "generic-1"};
}

Arguments merged_params(const Arguments &arguments) {
    constexpr auto kOptions = std::to_array<std::string_view>(
        {"-x264-params", "-x265-params", "-svtav1-params", "-vvenc-params", "-aom-params", "-rav1e-params"});
    Arguments result;
    std::map<std::string, std::size_t> places; // option -> index of its value in the result
    for (std::size_t i = 0; i < arguments.size(); i++) {
        const std::string &a = arguments[i];
        const bool is_params = contains(kOptions, a);
        if (!is_params || i + 1 == arguments.size()) {
            result.push_back(a);
            continue;
        }
        const std::string &more = arguments[++i];
        const auto place = places.find(a);
        if (place == places.end()) {
            places[a] = result.size() + 1;
            append(result, {a, more});
            continue;
        }
        // Replaces repeated keys; keeps the order of others.
        const auto split = [](const std::string &text) {
            std::vector<std::string> items;
            std::string item;
            for (std::size_t c = 0; c <= text.size(); c++) {
                if (c == text.size() || (text[c] == ':' && (c == 0 || text[c - 1] != '\\'))) {
                    if (!item.empty()) items.push_back(item);
                    item.clear();
                } else {
                    item += text[c];
                }
            }
            return items;
        };
        const auto key = [](const std::string &item) { return item.substr(0, item.find('=')); };
        std::vector<std::string> items = split(result[place->second]);
        for (const std::string &item : split(more)) {
            const auto same = std::ranges::find_if(items, [&](const auto &x) { return key(x) == key(item); });
            if (same == items.end())
                items.push_back(item);
            else
                *same = item;
        }
        result[place->second] = joined(items, ":");
    }
    return result;
}

} // namespace vmaf::tune
