// Preset vocabularies (tune.md 4.2, 4.4): shared names from slow to fast, and their values for each encoder.
#include <array>
#include <charconv>

#include "adapters/adapter.hpp"
#include "base/lists.hpp"

namespace vmaf::tune {

namespace {

struct PresetRow {
    std::string_view name, x26x, svtav1, aom, vp9, vvenc, nvenc, amf, videotoolbox, rav1e, qsv;
};

constexpr auto kPresets = std::to_array<PresetRow>({
    {"placebo", "placebo", "0", "0", "0", "slower", "p7", "quality", "0", "0", "veryslow"},
    {"slowest", "veryslow", "1", "1", "0", "slower", "p7", "quality", "0", "1", "veryslow"},
    {"veryslow", "veryslow", "1", "1", "0", "slower", "p7", "quality", "0", "1", "veryslow"},
    {"slower", "slower", "3", "2", "1", "slower", "p6", "quality", "0", "3", "slower"},
    {"slow", "slow", "5", "3", "2", "slow", "p5", "quality", "0", "4", "slow"},
    {"medium", "medium", "7", "4", "3", "medium", "p4", "balanced", "0", "6", "medium"},
    {"fast", "fast", "9", "5", "4", "fast", "p3", "speed", "1", "7", "fast"},
    {"faster", "faster", "11", "6", "5", "faster", "p2", "speed", "1", "8", "faster"},
    {"veryfast", "veryfast", "13", "7", "5", "faster", "p1", "speed", "1", "9", "veryfast"},
    {"superfast", "superfast", "13", "8", "5", "faster", "p1", "speed", "1", "10", "veryfast"},
    {"ultrafast", "ultrafast", "13", "9", "5", "faster", "p1", "speed", "1", "10", "veryfast"},
});

std::string_view cell(const PresetRow &row, EncoderFamily family) {
    switch (family) {
    case EncoderFamily::svtav1: return row.svtav1;
    case EncoderFamily::aom: return row.aom;
    case EncoderFamily::vp9: return row.vp9;
    case EncoderFamily::vvenc: return row.vvenc;
    case EncoderFamily::nvenc: return row.nvenc;
    case EncoderFamily::amf: return row.amf;
    case EncoderFamily::videotoolbox:
    case EncoderFamily::prores: return row.videotoolbox;
    case EncoderFamily::rav1e: return row.rav1e;
    case EncoderFamily::qsv: return row.qsv;
    default: return row.x26x;
    }
}

// Range of the encoder's own numbers, if it has any.
std::optional<std::pair<int, int>> native_numbers(EncoderFamily family) {
    switch (family) {
    case EncoderFamily::svtav1: return std::pair(-1, 13);
    case EncoderFamily::aom: return std::pair(0, 9);
    case EncoderFamily::vp9: return std::pair(-8, 8);
    case EncoderFamily::rav1e: return std::pair(0, 10);
    default: return std::nullopt;
    }
}

} // namespace

std::optional<std::string> Adapter::native_preset(std::string_view preset) const {
    for (const PresetRow &row : kPresets)
        if (row.name == preset) return std::string(cell(row, family));
    for (const PresetRow &row : kPresets)
        if (cell(row, family) == preset) return std::string(preset);
    if (const auto range = native_numbers(family)) {
        int number = 0;
        const auto [end, error] = std::from_chars(preset.data(), preset.data() + preset.size(), number);
        if (error == std::errc() && end == preset.data() + preset.size() && number >= range->first &&
            number <= range->second)
            return std::string(preset);
    }
    return std::nullopt;
}

std::vector<std::string> Adapter::preset_names() const {
    std::vector<std::string> names;
    for (const PresetRow &row : kPresets) names.emplace_back(row.name);
    if (const auto range = native_numbers(family))
        names.push_back(std::to_string(range->first) + ".." + std::to_string(range->second));
    for (const PresetRow &row : kPresets) {
        const std::string own(cell(row, family));
        if (!native_numbers(family) && !contains(names, own)) names.push_back(own);
    }
    return names;
}

} // namespace vmaf::tune
