// `ladder`: which resolutions and bitrates to ship (tune.md 12.12). The source is scaled to each rung before it is
// encoded, and the decoded rung is scaled back for scoring.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include "commands/commands.hpp"
#include "commands/hull.hpp"
#include "commands/quality_search.hpp"
#include "report/output_file.hpp"
#include "rows/row.hpp"

namespace vmaf::tune {

using nlohmann::json;

std::vector<RatePoint> upper_hull(std::vector<RatePoint> points) {
    std::sort(points.begin(), points.end(), [](const RatePoint &a, const RatePoint &b) {
        return a.kbps != b.kbps ? a.kbps < b.kbps : a.score > b.score;
    });
    std::vector<RatePoint> rising;
    for (const RatePoint &p : points)
        if (rising.empty() || p.score > rising.back().score) rising.push_back(p);
    std::vector<RatePoint> hull;
    for (const RatePoint &p : rising) {
        while (hull.size() >= 2) {
            const RatePoint &a = hull[hull.size() - 2], &b = hull.back();
            const double cross = (b.kbps - a.kbps) * (p.score - a.score) - (b.score - a.score) * (p.kbps - a.kbps);
            if (cross < 0) break;
            hull.pop_back();
        }
        hull.push_back(p);
    }
    return hull;
}

std::vector<RatePoint> choose_rungs(const std::vector<RatePoint> &hull, int count, bool by_log_bitrate) {
    const auto n = static_cast<std::size_t>(std::max(1, count));
    if (hull.size() <= n) return hull;
    if (n == 1) return {hull.back()};
    const auto position = [&](const RatePoint &p) {
        return by_log_bitrate ? std::log(std::max(p.kbps, 1.0)) : p.score;
    };
    const double low = position(hull.front()), high = position(hull.back());
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < n; i++) {
        const double wish = low + (high - low) * double(i) / double(n - 1);
        std::optional<std::size_t> best;
        for (std::size_t k = 0; k < hull.size(); k++)
            if (!taken.contains(k) &&
                (!best || std::fabs(position(hull[k]) - wish) < std::fabs(position(hull[*best]) - wish)))
                best = k;
        taken.insert(*best);
    }
    std::vector<RatePoint> rungs;
    for (const std::size_t k : taken) rungs.push_back(hull[k]);
    return rungs;
}

namespace {

std::vector<FrameSize> rung_sizes(const Options &o, const Source &source) {
    std::vector<FrameSize> sizes;
    std::istringstream list(o.resolutions.empty() ? "1920x1080,1280x720,854x480,640x360,426x240" : o.resolutions);
    for (std::string item; std::getline(list, item, ',');) {
        FrameSize size;
        char end = 0;
        if (std::sscanf(item.c_str(), "%dx%d%c", &size.width, &size.height, &end) != 2 || size.width < 16 ||
            size.height < 16 || size.width % 2 || size.height % 2)
            throw usage_error("--resolutions: '" + item + "' is not an even WxH");
        if (size.width <= source.width && size.height <= source.height)
            sizes.push_back(size);
        else if (!o.resolutions.empty())
            throw usage_error("--resolutions: " + item + " is larger than the source");
    }
    if (sizes.empty()) sizes.push_back({source.width - source.width % 2, source.height - source.height % 2});
    return sizes;
}

// RFC 6381 name of a produced stream, from ffprobe's profile and level.
std::string codec_string(const Programs &programs, const std::string &path) {
    const Outcome outcome =
        run_child({programs.ffprobe, "-v", "error", "-select_streams", "v:0", "-show_entries",
                   "stream=codec_name,profile,level,pix_fmt", "-of", "json", "-i", ffmpeg_path(path)});
    const json document = json::parse(outcome.out, nullptr, false);
    if (!document.is_object() || document.value("streams", json::array()).empty()) return "";
    const json &s = document["streams"][0];
    const std::string codec = s.value("codec_name", ""), profile = s.value("profile", "");
    const int level = s.value("level", 0),
              bits = pixel_layout(s.value("pix_fmt", "yuv420p")).value_or(PixelLayout{}).bits;
    char text[64] = "";
    if (codec == "h264") {
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
    RunOptions options;
    options.on_output_line = [&](std::string_view line) { sizes.push_back(std::atof(std::string(line).c_str())); };
    run_child({programs.ffprobe, "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size", "-of",
               "csv=p=0", "-i", ffmpeg_path(path)},
              options);
    const auto window = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(2 * fps)));
    double sum = 0, peak = 0;
    for (std::size_t i = 0; i < sizes.size(); i++) {
        sum += sizes[i];
        if (i >= window) sum -= sizes[i - window];
        if (i + 1 >= window) peak = std::max(peak, sum * 8 * fps / double(window));
    }
    return sizes.size() < window ? (sizes.empty() ? 0 : sum * 8 * fps / double(sizes.size())) : peak;
}

struct Rung {
    RatePoint point;
    std::string codecs;
    double peak_bps = 0;
};

std::string hls(const std::vector<Rung> &rungs, const Source &source) {
    std::string text = "#EXTM3U\n#EXT-X-VERSION:6\n";
    for (const Rung &r : rungs) {
        char line[400];
        std::snprintf(line, sizeof line,
                      "#EXT-X-STREAM-INF:BANDWIDTH=%.0f,AVERAGE-BANDWIDTH=%.0f,RESOLUTION=%dx%d,FRAME-RATE=%.3f,VIDEO-"
                      "RANGE=%s,CODECS=\"%s\"\nrendition_%dx%d_%.0fk.m3u8\n",
                      std::max(r.peak_bps, r.point.kbps * 1000), r.point.kbps * 1000, r.point.width, r.point.height,
                      source.rate.value(),
                      source.hdr.transfer == Hdr::Transfer::pq    ? "PQ"
                      : source.hdr.transfer == Hdr::Transfer::hlg ? "HLG"
                                                                  : "SDR",
                      r.codecs.c_str(), r.point.width, r.point.height, r.point.kbps);
        text += line;
    }
    return text;
}

std::string dash(const std::vector<Rung> &rungs, const Source &source) {
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
        "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\" mediaPresentationDuration=\"PT" +
        number_text(std::round(source.duration * 1000) / 1000) +
        "S\" minBufferTime=\"PT2S\">\n  <Period>\n    <AdaptationSet contentType=\"video\" "
        "segmentAlignment=\"true\">\n";
    int id = 0;
    for (const Rung &r : rungs) {
        char line[400];
        std::snprintf(line, sizeof line,
                      "      <Representation id=\"%d\" bandwidth=\"%.0f\" width=\"%d\" height=\"%d\" frameRate=\"%s\" "
                      "codecs=\"%s\"><BaseURL>rendition_%dx%d_%.0fk.mp4</BaseURL></Representation>\n",
                      id++, std::max(r.peak_bps, r.point.kbps * 1000), r.point.width, r.point.height,
                      source.rate.text().c_str(), r.codecs.c_str(), r.point.width, r.point.height, r.point.kbps);
        text += line;
    }
    return text + "    </AdaptationSet>\n  </Period>\n</MPD>\n";
}

} // namespace

int run_ladder(const Options &o) {
    Run run(o, true);
    const Source source = run.open_source(o.sources.at(0));
    const Adapter &adapter = run.adapter(o.encoders.empty() ? "libx264" : o.encoders.front());
    std::vector<double> targets;
    std::istringstream list(o.target_vmafs);
    for (std::string item; std::getline(list, item, ',');) targets.push_back(std::strtod(item.c_str(), nullptr));
    if (targets.empty()) throw usage_error("--target-vmafs is empty");

    std::unique_ptr<RowWriter> rows;
    if (!o.points.empty())
        rows = std::make_unique<RowWriter>(o.points, o.overwrite ? RowWriter::Mode::overwrite : RowWriter::Mode::fresh);
    std::vector<RatePoint> points;
    std::string last_error;
    for (const FrameSize &size : rung_sizes(o, source)) {
        ProbeSetup setup = run.setup(source, adapter, o.presets.empty() ? "" : o.presets.front(), true);
        if (size.width != source.width || size.height != source.height) {
            const std::string scale = "scale=" + std::to_string(size.width) + ":" + std::to_string(size.height) +
                                      ":flags=" + o.scaler + ",setsar=1";
            setup.encode.vfilter = o.vfilter.empty() ? scale : o.vfilter + "," + scale;
            setup.score.reference_filter = o.reference_vfilter.value_or(o.vfilter);
        }
        // Probes of one size serve all its targets: the cache remembers them, and the set keeps each point once.
        std::map<double, ProbeResult> measured;
        std::optional<double> hint;
        for (const double target : targets) {
            const SearchReport report = search_quality(run, setup, {{o.metric, o.pool, target}}, 1, hint);
            if (report.failed) {
                last_error = report.error;
                break;
            }
            hint = report.q;
            for (const ProbeResult &probe : report.probes) measured.emplace(probe.q, probe);
        }
        for (const auto &[q, probe] : measured) {
            if (!probe.ok()) continue;
            points.push_back({probe.bitrate_kbps(), probe_score(probe, o.metric, o.pool), size.width, size.height, q});
            if (rows) rows->write(make_row(setup, probe));
        }
    }
    if (points.empty())
        throw CommandError(last_error.empty() ? kExitUnmet : kExitFailed,
                           "no point could be measured" + (last_error.empty() ? "" : ": " + last_error));
    std::vector<RatePoint> usable;
    for (const RatePoint &p : points)
        if ((!o.max_bitrate || p.kbps <= *o.max_bitrate)) usable.push_back(p);
    const std::vector<RatePoint> chosen = choose_rungs(upper_hull(usable), o.quality_tiers, o.spacing == "log_bitrate");
    if (chosen.empty()) throw CommandError(kExitUnmet, "no point is within the limits");

    std::vector<Rung> rungs;
    for (const RatePoint &point : chosen) {
        // The stream's own profile, level and peaks, from one more encode of the rung.
        ProbeSetup setup = run.setup(source, adapter, o.presets.empty() ? "" : o.presets.front(), true);
        if (point.width != source.width || point.height != source.height)
            setup.encode.vfilter = "scale=" + std::to_string(point.width) + ":" + std::to_string(point.height) +
                                   ":flags=" + o.scaler + ",setsar=1";
        const std::string path = run.work_folder() + "/rung-" + std::to_string(rungs.size()) + ".mkv";
        Rung rung{point, "", 0};
        if (run_encode(setup.programs, setup.samples[0].source, setup.samples[0].window, setup.encode, point.q, path)
                .ok()) {
            rung.codecs = codec_string(setup.programs, path);
            rung.peak_bps = peak_bandwidth(setup.programs, path, source.rate.value());
        }
        rungs.push_back(rung);
    }
    const std::string format = o.format.empty() ? "json" : o.format;
    std::string text;
    if (format == "hls") {
        text = hls(rungs, source);
    } else if (format == "dash") {
        text = dash(rungs, source);
    } else {
        json document = {{"schema", "vmaf-tune-ladder/v1"},
                         {"src", source.path},
                         {"encoder", adapter.name},
                         {"renditions", json::array()}};
        for (const Rung &r : rungs)
            document["renditions"].push_back({{"width", r.point.width},
                                              {"height", r.point.height},
                                              {"bitrate_kbps", r.point.kbps},
                                              {"bandwidth_bps", std::round(std::max(r.peak_bps, r.point.kbps * 1000))},
                                              {"vmaf", r.point.score},
                                              {"crf", r.point.q},
                                              {"codecs", r.codecs}});
        text = document.dump(2) + "\n";
    }
    vmaf::write_output_file(o.output.empty() ? "-" : o.output, [&](const auto &out) { out(text); });
    return kExitOk;
}

} // namespace vmaf::tune
