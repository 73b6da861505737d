#include "stages/products.hpp"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
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
    if (!cache || key.empty()) return;
    try {
        cache->store(kind, key, value.dump(-1, ' ', false, json::error_handler_t::replace), about);
    } catch (const Error &e) {
        warnings.push_back(std::string("results are not remembered: ") + e.what());
    }
}

Products::Products(const ProbeSetup &setup) : setup_(setup) {
    const EncodeSettings &e = setup.encode;
    Source source = setup.source; // its properties matter, not the file
    source.frames.reset();
    source.duration = source.start = 0;
    const json key = {
        "produced", setup.programs.ffmpeg, setup.programs.ffmpeg_version, e.adapter->name,     e.preset, e.out_pix_fmt,
        e.vfilter,  e.user_arguments,      e.user_input_arguments,        source_facts(source)};
    name_ = sha256_hex(key.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::optional<Source> Products::known() const {
    const std::lock_guard lock(products_mutex);
    if (const auto found = known_products.find(name_); found != known_products.end()) return found->second;
    const auto stored = setup_.cache ? setup_.cache->find(Cache::Kind::fact, name_) : std::nullopt;
    const auto facts = stored ? source_from_facts(*stored) : std::nullopt;
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
    SourceRequest request;
    request.path = path;
    request.ffprobe = setup_.programs.ffprobe;
    request.hash = SourceRequest::Hash::none;
    request.hdr = HdrWish::sdr;
    request.is_own_encode = true;
    // Our own encode: frames pair by number, and its rate is the source's.
    if (setup_.source.rate.value() > 0) request.framerate = setup_.source.rate.text();
    const Source found = probe_source(request);
    std::vector<std::string> unimportant;
    remember(setup_.cache, Cache::Kind::fact, name_, json::parse(source_facts(found)), "", unimportant);
    const std::lock_guard lock(products_mutex);
    return known_products.emplace(name_, found).first->second;
}

bool Products::are_alike(const Source &real, const Source &guess) {
    const auto is_known = [](const std::string &tag) { return !tag.empty() && tag != "unknown"; };
    const auto fits = [&](const std::string &a, const std::string &b) {
        return a == b || !is_known(a) || !is_known(b);
    };
    return real.width == guess.width && real.height == guess.height && real.pix_fmt == guess.pix_fmt &&
           (real.codec == "av1") == (guess.codec == "av1") && fits(real.range, guess.range) &&
           fits(real.matrix, guess.matrix);
}

} // namespace vmaf::tune
