#include "stages/products.hpp"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "hash/sha256.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

// Of a family's only codec, as FFmpeg names it; empty for others.
std::string codec_of(EncoderFamily family) {
    switch (family) {
    case EncoderFamily::x264: return "h264";
    case EncoderFamily::x265: return "hevc";
    case EncoderFamily::svtav1:
    case EncoderFamily::aom:
    case EncoderFamily::rav1e: return "av1";
    case EncoderFamily::vp9: return "vp9";
    default: return {};
    }
}

std::mutex products_mutex;
std::map<std::string, Source> known_products; // of this process

} // namespace

void remember(Cache *cache, Cache::Kind kind, const std::string &key, const json &value, const std::string &about,
              std::vector<std::string> &warnings) {
    if (const std::string why = try_store(cache, kind, key, value, about); !why.empty())
        warnings.push_back("results are not remembered: " + why);
}

Products::Products(const ProbeSetup &setup) : setup_(setup) {
    const EncodeSettings &e = setup.encode;
    Source source = setup.source; // its properties matter, not the file
    source.frames.reset();
    source.duration = source.start = 0;
    const json key = {
        "produced", setup.programs.ffmpeg, setup.programs.ffmpeg_version, e.adapter->name,     e.preset, e.out_pix_fmt,
        e.vfilter,  e.user_arguments,      e.user_input_arguments,        source_facts(source)};
    name_ = sha256_hex(json_line(key));
}

std::optional<Source> Products::known() const {
    const std::lock_guard lock(products_mutex);
    if (const auto found = known_products.find(name_); found != known_products.end()) return found->second;
    std::optional<Source> facts;
    read_stored(setup_.cache, Cache::Kind::fact, name_, [&](const json &stored) { facts = source_from_facts(stored); });
    if (facts) known_products.emplace(name_, *facts);
    return facts;
}

std::optional<Source> Products::expected() const {
    const auto layout = pixel_layout(setup_.encode.out_pix_fmt);
    const Adapter &adapter = *setup_.encode.adapter;
    if (!setup_.encode.vfilter.empty() || !layout || adapter.is_hardware) return std::nullopt;
    Source source = setup_.source;
    source.kind = Source::Kind::container;
    source.pix_fmt = setup_.encode.out_pix_fmt;
    source.codec = codec_of(adapter.family);
    source.stream = 0;
    source.video_streams = 1;
    source.hdr = {};
    source.turning.clear();
    source.display_filter.clear();
    source.ffmpeg_crops = false;
    source.ignores_matrix = true;
    return source;
}

Source Products::read_back(const std::string &path) const {
    // Frames pair by number, and its rate is the source's.
    const Source found = probe_own_encode(setup_.programs.ffprobe, path, setup_.source.rate);
    try_store(setup_.cache, Cache::Kind::fact, name_, source_facts(found));
    const std::lock_guard lock(products_mutex);
    return known_products.emplace(name_, found).first->second;
}

bool Products::are_alike(const Source &real, const Source &guess) {
    const auto fits = []<class T>(const T &a, const T &b) { return a == b || a == T{} || b == T{}; };
    return real.width == guess.width && real.height == guess.height && real.pix_fmt == guess.pix_fmt &&
           (real.codec == "av1") == (guess.codec == "av1") && fits(real.range, guess.range) &&
           fits(real.matrix, guess.matrix);
}

} // namespace vmaf::tune
