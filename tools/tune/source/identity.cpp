// Identifies a file without reading all of it; and stores facts about it as text.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "hash/sha256.hpp"
#include "source/source.hpp"
#include "system/host.hpp"
#include "system/input_file.hpp"

namespace vmaf {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fraction, num, den)

}

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr std::int64_t kPart = 4 << 20;

// 256 bits of a piece of a file, much faster than SHA-256: four states of multiplication and rotation. It distinguishes
// versions and need not resist attacks.
std::string quick_digest(std::span<const std::byte> bytes) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    std::array<std::uint64_t, 4> states = {kOdd, kOdd * 3, kOdd * 5, kOdd * 7};
    const auto mix = [&](const std::byte *data) {
        for (std::uint64_t &state : states) {
            std::uint64_t word = 0;
            std::memcpy(&word, data, sizeof word);
            data += sizeof word;
            state = std::rotl((state ^ word) * kOdd, 29) + word;
        }
    };
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32) mix(bytes.data() + at);
    std::array<std::byte, 32> rest{};
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), rest.begin());
    mix(rest.data());
    std::string text = std::to_string(bytes.size());
    for (const std::uint64_t state : states) text += ":" + std::to_string(state);
    return text;
}

} // namespace

std::string fast_identity(const std::string &path) try {
    const auto stamp = system::file_stamp(path);
    if (!stamp) return {};
    const auto size = static_cast<std::int64_t>(stamp->size);
    const system::InputFile file = system::InputFile::open(path);
    std::string text = stamp->text();
    std::vector<std::byte> part(static_cast<std::size_t>(std::min<std::int64_t>(kPart, size)));
    for (const std::int64_t at :
         {std::int64_t(0), std::max<std::int64_t>(0, size / 2 - kPart / 2), std::max<std::int64_t>(0, size - kPart)}) {
        std::size_t filled = 0;
        while (filled < part.size() && file.is_regular()) {
            const system::Buffer rest{part.data() + filled, part.size() - filled};
            const std::size_t count = file.read_some_at(static_cast<std::uint64_t>(at) + filled, {&rest, 1});
            if (count == 0) break;
            filled += count;
        }
        text += "|" + quick_digest(std::span(part.data(), filled));
    }
    return "fast-" + sha256_hex(text);
} catch (const Error &) {
    return {};
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hdr, transfer, primaries, matrix, range, mastering_display, content_light, forced)

namespace {

template <class S, class Visit> void for_each_fact(S &s, Visit visit) {
    visit("kind", s.kind);
    visit("container", s.container);
    visit("codec", s.codec);
    visit("stream", s.stream);
    visit("video_streams", s.video_streams);
    visit("width", s.width);
    visit("height", s.height);
    visit("rotation", s.rotation);
    visit("turning", s.turning);
    visit("display_filter", s.display_filter);
    visit("ffmpeg_crops", s.ffmpeg_crops);
    visit("ignores_matrix", s.ignores_matrix);
    visit("pix_fmt", s.pix_fmt);
    visit("sar", s.sample_aspect);
    visit("field_order", s.field_order);
    visit("primaries", s.primaries);
    visit("transfer", s.transfer);
    visit("matrix", s.matrix);
    visit("range", s.range);
    visit("rate", s.rate);
    visit("real_rate", s.real_rate);
    visit("start", s.start);
    visit("duration", s.duration);
    visit("vfr", s.vfr);
    visit("other_streams", s.has_other_streams);
    visit("dolby_vision", s.has_dolby_vision);
    visit("hdr10_plus", s.has_hdr10_plus);
    visit("alpha", s.has_alpha);
    visit("covers", s.covers);
    visit("attachments", s.attachments);
    visit("data_streams", s.data_streams);
    visit("hdr", s.hdr);
}

} // namespace

json source_facts(const Source &source) {
    json facts;
    for_each_fact(source, [&](const char *name, const auto &value) { facts[name] = value; });
    if (source.frames) facts["frames"] = *source.frames;
    return facts;
}

Source source_from_facts(const json &facts) {
    Source source;
    for_each_fact(source, [&](const char *name, auto &value) { facts.at(name).get_to(value); });
    if (facts.contains("frames")) source.frames = facts["frames"].get<std::int64_t>();
    return source;
}

} // namespace vmaf::tune
