// Facts about a video before it is encoded or scored (tune.md 3).
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "adapters/adapter.hpp"
#include "base/fraction.hpp"
#include "cache/cache.hpp"
#include "io/video_tags.hpp"
#include "system/host.hpp"
#include "text/choice.hpp"

namespace vmaf::tune {

Fraction parse_fraction(const std::string &text); // "24", "23.976", "30000/1001"; throws Error

struct PixelLayout {
    int chroma = 420; // 400, 420, 422, 444
    int bits = 8;
};
// Of an FFmpeg planar YUV name, "yuv422p10le"; empty for others.
std::optional<PixelLayout> pixel_layout(const std::string &pix_fmt);
std::string pix_fmt_name(const PixelLayout &layout);

// What any FFmpeg format holds: planar, packed, with alpha, RGB. Empty for unknown ones.
struct PixelContent {
    int chroma = 444; // 400, 410, 411, 420, 422, 440, 444
    int bits = 8;
    bool is_rgb = false;

    int columns_per_chroma() const {
        return chroma == 410 || chroma == 411 ? 4 : chroma == 420 || chroma == 422 ? 2 : 1;
    }
    int lines_per_chroma() const { return chroma == 410 ? 4 : chroma == 420 || chroma == 440 ? 2 : 1; }
};
std::optional<PixelContent> pixel_content(const std::string &pix_fmt);

// How a source is cut, for rows (12.6).
struct ShotSummary {
    std::int64_t count = 0;
    double mean_seconds = 0, deviation_seconds = 0;
};

struct Source : VideoTags {
    enum class Kind { raw, y4m, container } kind = Kind::container;
    std::string path;
    int stream = 0, video_streams = 1;       // index among video streams, for -map 0:v:N; and how many there are
    int width = 0, height = 0, rotation = 0; // as displayed; degrees as stated
    // From stored to displayed pixels (display.hpp): FFmpeg rotates what it reads, the filter does the rest.
    std::string turning, display_filter;
    bool ffmpeg_crops = false;   // also by itself
    bool ignores_matrix = false; // our own encodes, and copies in containers that drop it
    std::string pix_fmt, sample_aspect = "1:1", field_order = "progressive";
    Fraction rate{24, 1}, real_rate{24, 1};
    double start = 0, duration = 0; // seconds
    std::optional<std::int64_t> frames;
    std::uint64_t file_bytes = 0;
    bool vfr = false, has_other_streams = false, has_dolby_vision = false, has_hdr10_plus = false;
    bool has_alpha = false;                // transparency of every pixel
    std::vector<int> covers;               // cover pictures, as indices of video streams
    int attachments = 0, data_streams = 0; // such as fonts; such as time codes
    std::optional<ShotSummary> shots;      // if they were counted
    Hdr hdr;
    std::string id;                         // identity for the cache; empty: do not cache
    std::string sha256;                     // of the whole file, only on request
    std::optional<system::FileStamp> stamp; // taken before anything was read

    Arguments input_arguments() const;                  // FFmpeg's arguments before -i
    std::string shown(const std::string &filter) const; // the filter, after conversion to display pixels
    bool is_interlaced() const { return field_order != "progressive" && field_order != "unknown"; }
    // Of planar YUV. Gray and RGB have them too, but FFmpeg converts these to limited range.
    bool has_full_levels() const;
    std::int64_t frame_count() const; // exact or from the duration; 0 if unknown
};

enum class HdrWish { automatic, sdr, pq, hlg }; // how to interpret a source (3.6)
inline constexpr Choice<HdrWish> kHdrWishes[] = {
    {"auto", HdrWish::automatic}, {"sdr", HdrWish::sdr}, {"pq", HdrWish::pq}, {"hlg", HdrWish::hlg}};

enum class SourceHash { fast, full, none }; // what identifies it in the cache

// What a user says about a source, since files do not state everything.
struct SourceWishes {
    std::optional<int> width, height, stream;
    std::optional<std::string> pix_fmt, framerate;
    std::optional<double> duration;
    std::optional<std::int64_t> total_frames; // if neither file nor `duration` states the length
    HdrWish hdr = HdrWish::automatic;
    bool deinterlace = false; // one picture per two fields, if the file has fields
    SourceHash hash = SourceHash::fast;
};

struct SourceRequest : SourceWishes {
    std::string path, ffprobe = "ffprobe";
    bool is_own_encode = false; // use its pixels as stored
};

// Throws Error with what is wrong and what to do. Caches the facts in `facts`, if given, until the file
// changes.
Source probe_source(const SourceRequest &request, Cache *facts = nullptr);
// The same for a file that was just encoded from a source, at that rate; 0: the file's own.
Source probe_own_encode(const std::string &ffprobe, const std::string &path, const Fraction &rate = {});

// Throws Error if the file was written to since probe_source() opened it: results may mix both versions.
void demand_unchanged(const Source &source);

// Quick identity of a file: size, modification time, and the beginning, middle and end of the content (3.7); empty if
// it cannot be read.
std::string fast_identity(const std::string &path);

// Facts, without those of the file itself: path, identity, sizes.
nlohmann::json source_facts(const Source &source);
Source source_from_facts(const nlohmann::json &facts); // throws nlohmann::json::exception

// What a finished file cannot keep of a source, for users; empty: nothing is lost.
std::string lost_streams(const Source &source, bool is_mp4, bool keeps_attachments);

// PQ or HLG without BT.2020 primaries: treated as SDR (3.6).
bool has_doubtful_transfer(const Source &source);

// Presentation time of each frame, in seconds as FFmpeg's -ss counts them for this file. Throws Error.
std::vector<double> frame_times(const std::string &ffprobe, const Source &source);

// Passes on a line for each packet: its `entries` (names of ffprobe), separated by commas. `streams`: "v:0", for
// instance; empty: all.
ChildResult each_packet(const std::string &ffprobe, const std::string &path, const std::string &streams,
                        const std::string &entries, const std::function<void(const std::string &line)> &take);

// Size and number of the packets of a file's video stream. Throws Error.
struct PacketSummary {
    std::uint64_t bytes = 0;
    std::int64_t packets = 0;
};
PacketSummary video_packets(const std::string &ffprobe, const std::string &path, int stream = 0);

// A path that FFmpeg cannot mistake for an option or a protocol.
std::string ffmpeg_path(const std::string &path);

} // namespace vmaf::tune
