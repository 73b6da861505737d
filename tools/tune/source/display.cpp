#include "source/display.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "source/boxes.hpp"
#include "source/ebml.hpp"
#include "system/c_file.hpp"

namespace vmaf::tune {

namespace {

// Walks the elements of a Matroska file to the video settings of the tracks.
class MatroskaTracks {
  public:
    explicit MatroskaTracks(std::FILE *file) : file_(file), reader_{file} {}

    std::optional<Cropping> of_video(int wanted, int width, int height) {
        constexpr std::uint64_t kHead = 0x1A45DFA3, kSegment = 0x18538067, kTracks = 0x1654AE6B, kCluster = 0x1F43B675,
                                kEntry = 0xAE;
        int video = 0;
        for (int elements = 0; elements < 10000; elements++) {
            const auto id = reader_.number(true);
            const auto size = id ? reader_.number(false) : std::nullopt;
            if (!size || *id == kCluster) return std::nullopt;
            if (elements == 0 && *id != kHead) return std::nullopt;
            if (*id == kSegment || *id == kTracks) continue; // descend
            if (*size == ebml::kUnknownSize) return std::nullopt;
            const off_t end = ftello(file_) + static_cast<off_t>(*size);
            if (*id == kEntry) {
                read_entry(end);
                if (type_ == 1 && video++ == wanted) return cropping(width, height);
            }
            if (fseeko(file_, end, SEEK_SET) != 0) return std::nullopt;
        }
        return std::nullopt;
    }

  private:
    void read_entry(off_t end) {
        type_ = 0;
        left_ = top_ = right_ = bottom_ = display_width_ = display_height_ = display_unit_ = 0;
        while (ftello(file_) < end) {
            const auto id = reader_.number(true);
            const auto size = id ? reader_.number(false) : std::nullopt;
            if (!size || *size == ebml::kUnknownSize) return;
            if (*id == 0xE0) continue; // Video: descend
            std::uint64_t *field = *id == 0x83     ? &type_
                                   : *id == 0x54CC ? &left_
                                   : *id == 0x54BB ? &top_
                                   : *id == 0x54DD ? &right_
                                   : *id == 0x54AA ? &bottom_
                                   : *id == 0x54B0 ? &display_width_
                                   : *id == 0x54BA ? &display_height_
                                   : *id == 0x54B2 ? &display_unit_
                                                   : nullptr;
            if (field)
                *field = reader_.unsigned_value(*size).value_or(0);
            else if (fseeko(file_, static_cast<off_t>(*size), SEEK_CUR) != 0)
                return;
        }
    }

    std::optional<Cropping> cropping(int width, int height) const {
        const auto w = static_cast<std::uint64_t>(width), h = static_cast<std::uint64_t>(height);
        if (left_ + right_ >= w || top_ + bottom_ >= h) return std::nullopt;
        Cropping c{int(left_), int(top_), int(right_), int(bottom_), std::nullopt};
        if (c.any() && display_width_ > 0 && display_height_ > 0 && display_unit_ <= 3)
            c.sample_aspect = Fraction{std::int64_t(display_width_ * (h - top_ - bottom_)),
                                       std::int64_t(display_height_ * (w - left_ - right_))};
        return c;
    }

    std::FILE *file_;
    ebml::Reader reader_;
    std::uint64_t type_ = 0, left_ = 0, top_ = 0, right_ = 0, bottom_ = 0, display_width_ = 0, display_height_ = 0,
                  display_unit_ = 0;
};

// The boxes of an MP4 file, down to a video track's clean aperture.
class Mp4Tracks {
  public:
    explicit Mp4Tracks(std::FILE *file) : boxes_(file) {}

    std::optional<Cropping> of_video(int wanted, int width, int height) {
        std::optional<Cropping> found;
        int video = 0;
        boxes_.each(0, boxes_.end(), [&](const std::string &name, off_t from, off_t to) {
            if (name != "moov") return;
            boxes_.each(from, to, [&](const std::string &trak, off_t first, off_t last) {
                if (trak != "trak") return;
                is_video_ = false;
                aperture_.clear();
                walk(first, last);
                if (is_video_ && video++ == wanted) found = cropping(width, height);
            });
        });
        return found;
    }

  private:
    void walk(off_t from, off_t to) {
        boxes_.each(from, to, [&](const std::string &name, off_t first, off_t last) {
            if (name == "mdia" || name == "minf" || name == "stbl") walk(first, last);
            if (name == "hdlr") {
                const auto w = boxes_.words(first, 3);
                is_video_ = w.size() == 3 && w[2] == 0x76696465; // vide
            }
            if (name == "stsd")
                boxes_.each(first + 8, last, [&](const std::string &, off_t entry, off_t entry_end) {
                    constexpr off_t kVisualEntry = 78; // fixed part of a sample entry
                    boxes_.each(entry + kVisualEntry, entry_end, [&](const std::string &inner, off_t at, off_t) {
                        if (inner == "clap") aperture_ = boxes_.words(at, 8);
                    });
                });
        });
    }

    std::optional<Cropping> cropping(int width, int height) const {
        if (aperture_.size() != 8) return std::nullopt;
        const auto ratio = [&](std::size_t i) {
            return aperture_[i + 1] == 0 ? 0.0 : double(std::int32_t(aperture_[i])) / double(aperture_[i + 1]);
        };
        const double w = ratio(0), h = ratio(2);
        if (!(w >= 1 && w <= width && h >= 1 && h <= height)) return std::nullopt;
        // The offset is relative to the centre.
        const int left = std::clamp(int(std::lround((width - w) / 2 + ratio(4))), 0, width - 1);
        const int top = std::clamp(int(std::lround((height - h) / 2 + ratio(6))), 0, height - 1);
        Cropping c;
        c.left = left;
        c.top = top;
        c.right = std::max(0, width - left - int(std::lround(w)));
        c.bottom = std::max(0, height - top - int(std::lround(h)));
        return c;
    }

    Boxes boxes_;
    bool is_video_ = false;
    std::vector<std::int64_t> aperture_;
};

} // namespace

Cropping container_cropping(const std::string &path, int video_track, int width, int height) {
    const system::CFile file = system::open_to_read(path);
    if (!file) return {};
    std::array<unsigned char, 12> first{};
    if (std::fread(first.data(), 1, first.size(), file.get()) != first.size()) return {};
    const std::string kind(reinterpret_cast<const char *>(first.data()) + 4, 4);
    std::rewind(file.get());
    std::optional<Cropping> found;
    if (first[0] == 0x1A && first[1] == 0x45)
        found = MatroskaTracks(file.get()).of_video(video_track, width, height);
    else if (kind == "ftyp" || kind == "moov" || kind == "mdat" || kind == "wide" || kind == "free")
        found = Mp4Tracks(file.get()).of_video(video_track, width, height);
    return found.value_or(Cropping{});
}

std::string turning_filter(const Orientation &o) {
    if (o.odd_angle != 0) {
        char text[64];
        std::snprintf(text, sizeof text, "rotate=%f*PI/180", o.odd_angle);
        return text;
    }
    switch (o.rotation) {
    case 90: return o.is_mirrored ? "transpose=clock_flip" : "transpose=clock";
    case 180: return o.is_mirrored ? "vflip" : "hflip,vflip";
    case 270: return o.is_mirrored ? "transpose=cclock_flip" : "transpose=cclock";
    default: return o.is_mirrored ? "hflip" : "";
    }
}

namespace {

// The same borders of the upright picture.
Cropping turned(Cropping c, const Orientation &o) {
    if (o.is_mirrored) std::swap(c.left, c.right);
    for (int angle = 0; angle < o.rotation; angle += 90) c = {c.bottom, c.left, c.top, c.right, c.sample_aspect};
    return c;
}

} // namespace

void apply_display(Source &source, const Cropping &stored, const Orientation &orientation, bool ffmpeg_crops,
                   bool deinterlace) {
    const auto add = [&](const std::string &step) { add_item(source.display_filter, step, ","); };
    const auto size = [](int w, int h) { return std::to_string(w) + ":" + std::to_string(h); };
    const bool swaps = orientation.rotation % 180 != 0;
    source.turning = turning_filter(orientation);
    if (deinterlace && !source.turning.empty())
        throw invalid("'" + source.path + "' is rotated and interlaced; deinterlace it with --vfilter instead");
    if (deinterlace) add("bwdif=mode=send_frame");
    if (swaps) std::swap(source.width, source.height);
    int &w = source.width, &h = source.height;
    if (stored.any()) {
        source.ffmpeg_crops = ffmpeg_crops;
        const Cropping c = turned(stored, orientation);
        // Only whole chroma samples, like FFmpeg's filter.
        const PixelContent content = pixel_content(source.pix_fmt).value_or(PixelContent());
        const int across = content.columns_per_chroma(), down = content.lines_per_chroma();
        w = (w - c.left - c.right) / across * across;
        h = (h - c.top - c.bottom) / down * down;
        add("crop=" + size(w, h) + ":" + size(c.left / across * across, c.top / down * down));
    }
    double aspect = 1;
    if (long long num = 0, den = 0;
        std::sscanf(source.sample_aspect.c_str(), "%lld:%lld", &num, &den) == 2 && num > 0 && den > 0)
        aspect = double(num) / double(den);
    if (stored.sample_aspect && stored.sample_aspect->value() > 0) aspect = stored.sample_aspect->value();
    if (std::fabs(aspect - 1) < 1e-6) return;
    if (swaps) aspect = 1 / aspect;
    // Keeps the number of lines: they may belong to fields, and players do the same.
    const int shown = std::max(2, 2 * static_cast<int>(std::lround(w * aspect / 2)));
    if (shown != w && shown <= 32768) {
        w = shown;
        add("scale=" + size(w, h) + ":flags=bicubic+accurate_rnd+full_chroma_int" +
            (source.has_full_levels() ? ":out_range=pc" : ""));
    }
    add("setsar=1");
}

std::string display_sentence(const Source &source) {
    std::string done;
    const auto add = [&](bool is_done, const char *what) {
        if (is_done) add_item(done, what);
    };
    const auto has = [&](const char *filter) { return source.display_filter.find(filter) != std::string::npos; };
    add(has("bwdif"), "deinterlaced");
    add(!source.turning.empty(), "rotated");
    add(has("crop="), "cropped");
    add(has("scale="), "scaled to square pixels");
    if (done.empty()) return {};
    return done + " to " + std::to_string(source.width) + "x" + std::to_string(source.height);
}

} // namespace vmaf::tune
