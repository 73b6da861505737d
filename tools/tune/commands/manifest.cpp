#include "commands/manifest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "report/escape.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

// The first bytes of a stream's extradata, as printed by ffprobe: "00000000: 0164 001e ...".
std::vector<int> leading_bytes(const json &stream) {
    const std::string text = stream.value("extradata", "");
    std::vector<int> bytes;
    const std::size_t colon = text.find(": ");
    for (std::size_t at = colon == std::string::npos ? text.size() : colon + 2;
         at + 1 < text.size() && bytes.size() < 16;) {
        if (text[at] == ' ') {
            if (text[at + 1] == ' ') break; // text follows
            at++;
            continue;
        }
        if (!std::isxdigit(static_cast<unsigned char>(text[at])) ||
            !std::isxdigit(static_cast<unsigned char>(text[at + 1])))
            break;
        bytes.push_back(static_cast<int>(std::strtol(text.substr(at, 2).c_str(), nullptr, 16)));
        at += 2;
    }
    return bytes;
}

} // namespace

std::string codec_string(const Programs &programs, const std::string &path) {
    const ChildResult outcome = run_child({programs.ffprobe, "-v", "error", "-select_streams", "v:0", "-show_entries",
                                           "stream=codec_name,profile,level,pix_fmt,extradata", "-show_data", "-of",
                                           "json", "-i", ffmpeg_path(path)});
    const json document = json::parse(outcome.out, nullptr, false);
    if (!document.is_object() || document.value("streams", json::array()).empty()) return "";
    const json &s = document["streams"][0];
    const std::string codec = s.value("codec_name", ""), profile = s.value("profile", "");
    const int level = s.value("level", 0),
              bits = pixel_layout(s.value("pix_fmt", "yuv420p")).value_or(PixelLayout{}).bits;
    char text[64] = "";
    const std::vector<int> extra = leading_bytes(s);
    if (codec == "h264" && extra.size() > 3 && extra[0] == 1) { // profile, constraints and level from the stream
        std::snprintf(text, sizeof text, "avc1.%02X%02X%02X", extra[1], extra[2], extra[3]);
    } else if (codec == "h264") {
        const int idc = profile.find("High 4:4:4") == 0   ? 244
                        : profile.find("High 4:2:2") == 0 ? 122
                        : profile.find("High 10") == 0    ? 110
                        : profile == "High"               ? 100
                        : profile == "Main"               ? 77
                                                          : 66;
        std::snprintf(text, sizeof text, "avc1.%02X%02X%02X", idc, profile == "Constrained Baseline" ? 0x40 : 0, level);
    } else if (codec == "hevc") {
        std::snprintf(text, sizeof text, "hvc1.%d.%d.L%d.B0",
                      profile == "Main 10" ? 2
                      : profile == "Main"  ? 1
                                           : 4,
                      profile == "Main 10" ? 4 : 6, level);
    } else if (codec == "av1") {
        std::snprintf(text, sizeof text, "av01.%d.%02dM.%02d",
                      profile == "High"           ? 1
                      : profile == "Professional" ? 2
                                                  : 0,
                      level, bits);
    } else if (codec == "vp9") {
        std::snprintf(text, sizeof text, "vp09.%02d.%02d.%02d", bits > 8 ? 2 : 0, level > 0 ? level : 10, bits);
    }
    return text;
}

// Largest bitrate of any two seconds, in bits per second.
double peak_bandwidth(const Programs &programs, const std::string &path, double fps) {
    std::vector<double> sizes;
    each_packet(programs.ffprobe, path, "v:0", "size",
                [&](const std::string &line) { sizes.push_back(std::atof(line.c_str())); });
    const auto window = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(2 * fps)));
    double sum = 0, peak = 0;
    for (std::size_t i = 0; i < sizes.size(); i++) {
        sum += sizes[i];
        if (i >= window) sum -= sizes[i - window];
        if (i + 1 >= window) peak = std::max(peak, sum * 8 * fps / double(window));
    }
    return sizes.size() < window ? (sizes.empty() ? 0 : sum * 8 * fps / double(sizes.size())) : peak;
}

double Rung::average_bandwidth() const { return mean_bps > 0 ? mean_bps : point.kbps * 1000; }
double Rung::bandwidth() const { return std::max(peak_bps, average_bandwidth()); }

std::string Rung::name() const {
    char text[80];
    std::snprintf(text, sizeof text, "rendition_%dx%d_%.0fk", point.width, point.height, point.kbps);
    return text;
}

Bandwidth playlist_bandwidth(const std::string &path) {
    system::fs::ifstream playlist(path);
    const system::fs::path folder = system::fs::path(path).parent_path();
    Bandwidth result;
    double seconds = 0, all_bits = 0, all_seconds = 0;
    for (std::string line; std::getline(playlist, line);) {
        if (line.starts_with("#EXTINF:")) seconds = std::atof(line.c_str() + 8);
        if (line.empty() || line.starts_with("#") || seconds <= 0) continue;
        std::error_code error;
        const auto bits = 8 * double(system::fs::file_size(folder / line, error));
        if (error) continue;
        result.peak_bps = std::max(result.peak_bps, bits / seconds);
        all_bits += bits;
        all_seconds += seconds;
        seconds = 0;
    }
    result.mean_bps = all_seconds > 0 ? all_bits / all_seconds : 0;
    return result;
}

Bandwidth file_bandwidth(const Programs &programs, const std::string &path, double segment_seconds, double fps) {
    // Packets with their times, grouped by segment length.
    std::map<std::int64_t, double> bits;
    double last = 0, total = 0;
    each_packet(programs.ffprobe, path, "", "pts_time,size", [&](const std::string &line) {
        double time = 0, size = 0;
        if (std::sscanf(line.c_str(), "%lf,%lf", &time, &size) != 2) return;
        bits[static_cast<std::int64_t>(std::floor(std::max(0.0, time) / segment_seconds + 1e-6))] += 8 * size;
        total += 8 * size;
        last = std::max(last, time);
    });
    const double duration = last + (fps > 0 ? 1 / fps : 0);
    Bandwidth result;
    for (const auto &[number, sum] : bits) {
        const double seconds = std::min(segment_seconds, duration - double(number) * segment_seconds);
        if (seconds > 0.25 * segment_seconds || bits.size() == 1)
            result.peak_bps = std::max(result.peak_bps, sum / std::max(seconds, 1e-3));
    }
    result.mean_bps = duration > 0 ? total / duration : 0;
    return result;
}

namespace {

// Removes quotes and line ends, which playlist attributes cannot contain.
std::string playlist_text(std::string text) {
    for (char &c : text)
        if (c == '"' || static_cast<unsigned char>(c) < ' ') c = '\'';
    return text;
}

std::string hls_media(const SideTrack &track) {
    const bool is_sound = track.kind == SideTrack::Kind::sound;
    return std::string("#EXT-X-MEDIA:TYPE=") +
           (is_sound ? "AUDIO,GROUP-ID=\"sound\"" : "SUBTITLES,GROUP-ID=\"subtitles\"") + ",NAME=\"" +
           playlist_text(track.label) + "\"" +
           (track.language.empty() ? "" : ",LANGUAGE=\"" + playlist_text(track.language) + "\"") +
           (track.is_default ? ",DEFAULT=YES" : ",DEFAULT=NO") + ",AUTOSELECT=YES" +
           (track.channels > 0 ? ",CHANNELS=\"" + std::to_string(track.channels) + "\"" : "") + ",URI=\"" + track.name +
           ".m3u8\"\n";
}

} // namespace

std::string hls_playlist(const std::vector<Rung> &rungs, const Source &source, const std::vector<SideTrack> &tracks) {
    std::string text = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n", sound_codecs, groups;
    double sound_peak = 0, sound_mean = 0; // of the largest
    for (const SideTrack &track : tracks) {
        text += hls_media(track);
        const bool is_sound = track.kind == SideTrack::Kind::sound;
        const std::string group = is_sound ? ",AUDIO=\"sound\"" : ",SUBTITLES=\"subtitles\"";
        if (groups.find(group) == std::string::npos) groups += group;
        sound_peak = std::max(sound_peak, track.peak_bps);
        sound_mean = std::max(sound_mean, track.mean_bps);
        if (is_sound && sound_codecs.find("," + track.codecs) == std::string::npos) sound_codecs += "," + track.codecs;
    }
    for (const Rung &r : rungs) {
        char line[400];
        std::snprintf(line, sizeof line,
                      "#EXT-X-STREAM-INF:BANDWIDTH=%.0f,AVERAGE-BANDWIDTH=%.0f,RESOLUTION=%dx%d,FRAME-RATE=%.3f,VIDEO-"
                      "RANGE=%s,CODECS=\"%s\"%s\n%s.m3u8\n",
                      r.bandwidth() + sound_peak, r.average_bandwidth() + sound_mean, r.point.width, r.point.height,
                      source.rate.value(),
                      source.hdr.transfer == Hdr::Transfer::pq    ? "PQ"
                      : source.hdr.transfer == Hdr::Transfer::hlg ? "HLG"
                                                                  : "SDR",
                      (r.codecs + sound_codecs).c_str(), groups.c_str(), r.name().c_str());
        text += line;
    }
    return text;
}

namespace {

// Where a player finds a file's header and its index.
std::string segment_base(const std::optional<SegmentIndex> &index) {
    if (!index) return {};
    return "<SegmentBase timescale=\"" + std::to_string(index->timescale) + "\" indexRange=\"" +
           std::to_string(index->first) + "-" + std::to_string(index->last) + "\"><Initialization range=\"0-" +
           std::to_string(index->head_end) + "\"/></SegmentBase>";
}

std::string dash_track(const SideTrack &track) {
    const bool is_sound = track.kind == SideTrack::Kind::sound;
    std::string text = std::string("    <AdaptationSet contentType=\"") +
                       (is_sound ? "audio\" mimeType=\"audio/mp4\" subsegmentAlignment=\"true\" "
                                   "subsegmentStartsWithSAP=\"1\""
                                 : "text\" mimeType=\"text/vtt\"") +
                       (track.language.empty() ? "" : " lang=\"" + markup_escaped(track.language) + "\"") +
                       ">\n      <Label>" + markup_escaped(track.label) + "</Label>\n" +
                       "      <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"" +
                       (!is_sound          ? "subtitle"
                        : track.is_default ? "main"
                                           : "alternate") +
                       "\"/>\n";
    char line[200];
    std::snprintf(line, sizeof line, "      <Representation id=\"%s\" bandwidth=\"%.0f\"", track.name.c_str(),
                  std::max(1.0, track.peak_bps));
    text += line;
    if (!track.codecs.empty()) text += " codecs=\"" + track.codecs + "\"";
    if (!track.rate.empty()) text += " audioSamplingRate=\"" + track.rate + "\"";
    text += ">";
    if (track.channels > 0)
        text += "<AudioChannelConfiguration schemeIdUri=\"urn:mpeg:dash:23003:3:audio_channel_configuration:2011\" "
                "value=\"" +
                std::to_string(track.channels) + "\"/>";
    return text + "<BaseURL>" + track.name + (is_sound ? ".mp4" : ".vtt") + "</BaseURL>" + segment_base(track.index) +
           "</Representation>\n    </AdaptationSet>\n";
}

} // namespace

std::string dash_manifest(const std::vector<Rung> &rungs, const Source &source, const std::vector<SideTrack> &tracks) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
        "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\" mediaPresentationDuration=\"PT" +
        number_text(std::round(source.duration * 1000) / 1000) +
        "S\" minBufferTime=\"PT2S\">\n  <Period>\n    <AdaptationSet contentType=\"video\" mimeType=\"video/mp4\" "
        "subsegmentAlignment=\"true\" subsegmentStartsWithSAP=\"1\">\n";
    int id = 0;
    for (const Rung &r : rungs) {
        char line[400];
        std::snprintf(line, sizeof line,
                      "      <Representation id=\"%d\" bandwidth=\"%.0f\" width=\"%d\" height=\"%d\" frameRate=\"%s\" "
                      "codecs=\"%s\"><BaseURL>%s.mp4</BaseURL>",
                      id++, r.bandwidth(), r.point.width, r.point.height, source.rate.text().c_str(), r.codecs.c_str(),
                      r.name().c_str());
        text += line + segment_base(r.index) + "</Representation>\n";
    }
    text += "    </AdaptationSet>\n";
    for (const SideTrack &track : tracks) text += dash_track(track);
    return text + "  </Period>\n</MPD>\n";
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentIndex, head_end, first, last, timescale, segments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SideTrack, kind, stream, codec, language, label, name, is_default, codecs, rate,
                                   channels, peak_bps, mean_bps)

json point_json(const RatePoint &p) {
    return {{"kbps", p.kbps}, {"score", p.score}, {"width", p.width}, {"height", p.height}, {"q", p.q}};
}

RatePoint point_of(const json &j) { return {j.at("kbps"), j.at("score"), j.at("width"), j.at("height"), j.at("q")}; }

json index_json(const std::optional<SegmentIndex> &index) { return index ? json(*index) : json(); }

std::optional<SegmentIndex> index_of(const json &stored) {
    return stored.is_null() ? std::nullopt : std::optional(stored.get<SegmentIndex>());
}

json track_json(const SideTrack &track) {
    json stored = track;
    stored["index"] = index_json(track.index);
    return stored;
}

SideTrack track_of(const json &stored) {
    SideTrack track = stored.get<SideTrack>();
    track.index = index_of(stored.at("index"));
    return track;
}

} // namespace vmaf::tune
