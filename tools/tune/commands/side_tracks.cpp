#include "commands/side_tracks.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/lists.hpp"
#include "rows/fields.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

// Containers use three letters, manifests BCP 47's two if they exist.
std::string short_language(const std::string &code) {
    constexpr std::pair<std::string_view, std::string_view> kCodes[] = {
        {"eng", "en"}, {"deu", "de"}, {"ger", "de"}, {"fra", "fr"}, {"fre", "fr"}, {"spa", "es"}, {"ita", "it"},
        {"por", "pt"}, {"nld", "nl"}, {"dut", "nl"}, {"swe", "sv"}, {"nor", "no"}, {"dan", "da"}, {"fin", "fi"},
        {"pol", "pl"}, {"ces", "cs"}, {"cze", "cs"}, {"hun", "hu"}, {"ron", "ro"}, {"rum", "ro"}, {"ell", "el"},
        {"gre", "el"}, {"rus", "ru"}, {"ukr", "uk"}, {"tur", "tr"}, {"ara", "ar"}, {"heb", "he"}, {"hin", "hi"},
        {"tha", "th"}, {"vie", "vi"}, {"ind", "id"}, {"jpn", "ja"}, {"kor", "ko"}, {"zho", "zh"}, {"chi", "zh"}};
    if (code == "und" || code == "mis" || code == "zxx") return {};
    for (const auto &[three, two] : kCodes)
        if (code == three) return std::string(two);
    return code;
}

bool is_text(const std::string &codec) {
    constexpr std::string_view kCodecs[] = {"subrip", "srt", "ass", "ssa", "mov_text", "webvtt", "text"};
    return contains(kCodecs, codec);
}

json streams_of(const Programs &programs, const std::string &path, const std::string &entries) {
    const ChildResult outcome =
        run_child({programs.ffprobe, "-v", "error", "-show_entries", entries, "-of", "json", "-i", ffmpeg_path(path)});
    const json document = json::parse(outcome.out, nullptr, false);
    return document.is_object() ? list_in(document, "streams") : json::array();
}

} // namespace

SideTracks side_tracks(const Programs &programs, const Source &source) {
    SideTracks result;
    std::set<std::string> names;
    std::array<int, 2> counts{};
    const json streams = streams_of(programs, source.path,
                                    "stream=index,codec_name,codec_type:stream_tags=language,title:stream_disposition="
                                    "default,attached_pic");
    int videos = 0, pictures = 0;
    for (const json &stream : streams) {
        const std::string type = text_in(stream, "codec_type"), codec = text_in(stream, "codec_name");
        const json &tags = object_in(stream, "tags");
        const std::string language = short_language(text_in(tags, "language")), title = text_in(tags, "title");
        const std::string place =
            "stream " + number_text(number_in(stream, "index")) + (language.empty() ? "" : " (" + language + ")");
        if (type == "video") (number_in(object_in(stream, "disposition"), "attached_pic") == 1 ? pictures : videos)++;
        if (type == "data" || type == "attachment") result.left_out.push_back(place + ": " + type);
        if (type == "subtitle" && !is_text(codec)) {
            result.left_out.push_back(place + ": subtitles that are pictures (" + codec + ")");
            continue;
        }
        if (type != "audio" && type != "subtitle") continue;
        SideTrack track;
        track.kind = type == "audio" ? SideTrack::Kind::sound : SideTrack::Kind::subtitles;
        const bool is_sound = track.kind == SideTrack::Kind::sound;
        track.stream = static_cast<int>(number_in(stream, "index"));
        track.codec = codec;
        track.language = language;
        const int number = ++counts[is_sound ? 0 : 1];
        const std::string stem = is_sound ? "sound" : "subtitles";
        track.name = number == 1 ? stem : stem + "_" + std::to_string(number);
        const std::string plain = !title.empty() ? title : !language.empty() ? language : stem;
        track.label = plain;
        for (int i = 2; !names.insert(stem + track.label).second; i++) track.label = plain + " " + std::to_string(i);
        track.is_default = is_sound && number == 1;
        result.tracks.push_back(std::move(track));
    }
    if (videos > 1) result.left_out.push_back(std::to_string(videos - 1) + " more video");
    if (pictures > 0) result.left_out.push_back(pictures == 1 ? "a cover" : std::to_string(pictures) + " covers");
    return result;
}

void describe_sound(const Programs &programs, const std::string &path, SideTrack &track) {
    const json streams = streams_of(programs, path, "stream=codec_name,profile,channels,sample_rate");
    if (streams.empty()) return;
    const json &s = streams[0];
    const std::string codec = text_in(s, "codec_name"), profile = text_in(s, "profile");
    track.codecs = codec == "opus"         ? "opus"
                   : codec == "flac"       ? "flac"
                   : codec == "ac3"        ? "ac-3"
                   : codec == "eac3"       ? "ec-3"
                   : codec == "mp3"        ? "mp4a.6B"
                   : profile == "HE-AAC"   ? "mp4a.40.5"
                   : profile == "HE-AACv2" ? "mp4a.40.29"
                                           : "mp4a.40.2";
    const double channels = number_in(s, "channels");
    track.channels = channels > 0 ? static_cast<int>(channels) : 0;
    track.rate = text_in(s, "sample_rate");
}

std::string subtitle_playlist(const std::string &file, double seconds) {
    return "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:" + number_text(std::ceil(seconds)) +
           "\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:" + fixed_text(seconds, 3) + ",\n" + file +
           "\n#EXT-X-ENDLIST\n";
}

} // namespace vmaf::tune
