#include "stages/shots.hpp"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "hash/sha256.hpp"
#include "stages/cut_detector.hpp"
#include "stages/score_plan.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

constexpr double kPlainThreshold = 12;

using nlohmann::json;

namespace {

// Shots between cuts, none shorter than allowed, long ones split evenly.
std::vector<Shot> shots_between(const std::vector<std::int64_t> &cuts, std::int64_t frames,
                                const ShotSettings &settings) {
    constexpr std::int64_t kShortest = 4;
    std::vector<Shot> shots = {{0, frames}};
    for (const std::int64_t cut : cuts)
        if (cut - shots.back().start >= std::max(kShortest, settings.min_frames) && cut < frames) {
            shots.back().end = cut;
            shots.push_back({cut, frames});
        }
    if (settings.max_frames <= 0) return shots;
    std::vector<Shot> split;
    for (const Shot &shot : shots) {
        const std::int64_t parts = (shot.frames() + settings.max_frames - 1) / settings.max_frames;
        for (std::int64_t i = 0; i < parts; i++)
            split.push_back({shot.start + shot.frames() * i / parts, shot.start + shot.frames() * (i + 1) / parts});
    }
    return split;
}

} // namespace

std::vector<Shot> shots_from_differences(const std::vector<double> &differences, const ShotSettings &settings) {
    std::vector<std::int64_t> cuts;
    for (std::size_t i = 0; i < differences.size(); i++)
        if (differences[i] >= settings.threshold.value_or(kPlainThreshold))
            cuts.push_back(static_cast<std::int64_t>(i) + 1);
    return shots_between(cuts, std::ssize(differences) + 1, settings);
}

std::vector<ShotFeatures> shot_features(const Programs &programs, const Source &source, const ShotSettings &settings) {
    const int height = std::max(2, std::min(source.height, 180) / 2 * 2);
    const int width = std::max(2, static_cast<int>(std::lround(double(source.width) * height / source.height / 2)) * 2);
    PipedChild decoder(decode_command(programs, source, {},
                                      "scale=" + std::to_string(width) + ":" + std::to_string(height) + ":flags=area",
                                      "yuv420p", false));
    const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height); // even: see above
    std::vector<unsigned char> frame(size / 2 * 3), previous;
    const std::span<const unsigned char> planes(frame), current = planes.first(size);
    const ShotPicture picture = {{current, width, height},
                                 {planes.subspan(size, size / 4), width / 2, height / 2},
                                 {planes.subspan(size / 4 * 5, size / 4), width / 2, height / 2}};
    std::vector<double> differences, variances;
    CutDetector detector;
    while (system::read_full(decoder.output(), std::as_writable_bytes(std::span(frame))) == frame.size()) {
        if (!previous.empty()) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < size; i++) sum += std::abs(int(current[i]) - int(previous[i]));
            differences.push_back(double(sum) / double(size));
        }
        double sum = 0, squares = 0;
        for (const unsigned char x : current) {
            sum += x;
            squares += double(x) * x;
        }
        variances.push_back(squares / double(size) - sum / double(size) * (sum / double(size)));
        detector.add(picture);
        previous.assign(current.begin(), current.end());
    }
    if (!decoder.wait().ok() || variances.empty()) return {};
    std::vector<ShotFeatures> features;
    const bool by_difference = settings.threshold.has_value();
    const std::vector<Shot> shots = by_difference ? shots_from_differences(differences, settings)
                                                  : shots_between(detector.cuts(), std::ssize(variances), settings);
    for (const Shot &shot : shots) {
        ShotFeatures f{shot, 0, 0};
        for (std::int64_t k = shot.start; k < shot.end; k++) {
            f.detail += variances[static_cast<std::size_t>(k)] / double(shot.frames());
            if (k > shot.start) // the cut itself is not motion
                f.motion +=
                    differences[static_cast<std::size_t>(k - 1)] / double(std::max<std::int64_t>(1, shot.frames() - 1));
        }
        features.push_back(f);
    }
    return features;
}

std::vector<Shot> detect_shots(const Programs &programs, const Source &source, const ShotSettings &settings) {
    std::vector<Shot> shots;
    for (const ShotFeatures &f : shot_features(programs, source, settings)) shots.push_back(f.shot);
    return shots;
}

ShotSummary summary_of(const std::vector<Shot> &shots, double fps) {
    if (shots.empty() || fps <= 0) return {};
    double sum = 0, squares = 0;
    for (const Shot &shot : shots) {
        const double seconds = double(shot.frames()) / fps;
        sum += seconds;
        squares += seconds * seconds;
    }
    const auto n = double(shots.size());
    return {static_cast<std::int64_t>(shots.size()), sum / n,
            std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)))};
}

namespace {

std::string shots_key(const Source &source) {
    return source.id.empty() ? "" : sha256_hex("shots-4:" + source.id + ":" + std::to_string(source.stream));
}

} // namespace

const std::vector<ShotFeatures> *ShotFacts::known(const Source &source) {
    if (const auto found = features_.find(source.path); found != features_.end()) return &found->second;
    std::vector<ShotFeatures> features;
    const bool is_stored = read_stored(programs_.facts, Cache::Kind::fact, shots_key(source), [&](const json &stored) {
        for (const json &item : stored) features.push_back({{item.at(0), item.at(1)}, item.at(2), item.at(3)});
    });
    return is_stored ? &features_.emplace(source.path, std::move(features)).first->second : nullptr;
}

const std::vector<ShotFeatures> &ShotFacts::features(const Source &source) {
    if (const auto *found = known(source)) return *found;
    std::vector<ShotFeatures> found = shot_features(programs_, source, {});
    demand_unchanged(source);
    const auto &features = features_.emplace(source.path, std::move(found)).first->second;
    json stored = json::array();
    for (const ShotFeatures &f : features) stored.push_back({f.shot.start, f.shot.end, f.motion, f.detail});
    if (!features.empty()) try_store(programs_.facts, Cache::Kind::fact, shots_key(source), stored);
    return features;
}

std::optional<ShotSummary> ShotFacts::summary(const Source &source, bool detect) {
    const std::vector<ShotFeatures> *found = detect ? &features(source) : known(source);
    if (!found) return std::nullopt;
    std::vector<Shot> shots;
    for (const ShotFeatures &f : *found) shots.push_back(f.shot);
    return summary_of(shots, source.rate.value());
}

namespace {

// Detectors name a shot's last frame, our plans the one after it: ends are exclusive in a plan, and in a list where
// each shot starts at the end_frame of the previous one. Shots must be consecutive.
void settle_ends(std::vector<Shot> &shots, bool is_plan) {
    bool is_exclusive = is_plan || shots.size() > 1;
    for (std::size_t i = 1; i < shots.size() && !is_plan; i++)
        is_exclusive = is_exclusive && shots[i].start == shots[i - 1].end;
    if (is_exclusive) return;
    for (Shot &shot : shots) shot.end++;
}

bool is_frame(const json &item, const char *key) {
    return item.is_object() && item.contains(key) && item[key].is_number_integer();
}

// start_frame and end_frame, as JSON or CSV.
std::vector<Shot> parse_shots(const std::string &text, const std::string &path) {
    std::vector<Shot> shots;
    bool is_plan = false;
    const json document = json_of(text);
    if (!document.is_discarded()) {
        is_plan = document.is_object() && document.contains("segment_commands");
        const json list = document.is_object() ? document.value("shots", json::array()) : document;
        for (const json &item : list)
            if (is_frame(item, "start_frame") && is_frame(item, "end_frame"))
                shots.push_back({item["start_frame"].get<std::int64_t>(), item["end_frame"].get<std::int64_t>()});
    } else {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            long long start = 0, end = 0;
            if (std::sscanf(line.c_str(), "%lld,%lld", &start, &end) == 2) shots.push_back({start, end});
        }
    }
    if (shots.empty()) throw invalid("'" + path + "' has no shots with start_frame and end_frame");
    settle_ends(shots, is_plan);
    for (std::size_t i = 0; i < shots.size(); i++)
        if (shots[i].frames() < 1 || (i > 0 && shots[i].start != shots[i - 1].end))
            throw invalid("'" + path + "': shots must follow each other without gaps");
    return shots;
}

} // namespace

std::vector<Shot> read_shots(const std::string &path) {
    system::fs::ifstream file(path);
    if (!file) throw invalid("'" + path + "' cannot be read");
    return parse_shots(std::string((std::istreambuf_iterator<char>(file)), {}), path);
}

std::vector<Shot> shots_from_program(const std::string &program, const Source &source) {
    const auto path = find_program(program);
    if (!path) throw invalid("the shot detector '" + program + "' was not found; check --per-shot-bin");
    const PixelContent content = pixel_content(source.pix_fmt).value_or(PixelContent{420, 8});
    const ChildResult outcome =
        run_child({*path, "--reference", source.path, "--width", std::to_string(source.width), "--height",
                   std::to_string(source.height), "--pixel_format", std::to_string(content.chroma), "--bitdepth",
                   std::to_string(content.bits), "--output", "-", "--format", "json"});
    if (!outcome.ok()) throw invalid(explain_failure("the shot detector", outcome.code, outcome.error_tail));
    return parse_shots(outcome.out, program);
}

} // namespace vmaf::tune
