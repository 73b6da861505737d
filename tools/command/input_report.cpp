#include "input_report.hpp"

namespace vmaf::cli {

namespace {

InputReport::Fact number(const char *name, std::uint64_t value) { return {name, std::to_string(value), true}; }

InputReport::Fact seconds(const char *name, std::int64_t nanoseconds) {
    std::string text;
    append_decimals(text, static_cast<double>(nanoseconds) / 1e9, 6);
    return {name, text, true};
}

InputReport::Section facts_section(const std::string &name, const std::string &path, const VideoFacts &f) {
    InputReport::Section section{name, {}};
    const auto text = [&](const char *key, const std::string &value) {
        if (!value.empty()) section.facts.push_back({key, value});
    };
    text("path", path);
    text("container", f.container);
    text("codec", f.codec);
    text("decoder", f.decoder);
    text("hwaccel", f.hwaccel);
    text("size", std::to_string(f.width) + "x" + std::to_string(f.height));
    text("pixel_format", f.pixel_format);
    section.facts.push_back(number("bits", f.bits));
    text("range", to_string(f.range));
    text("matrix", f.matrix);
    text("primaries", f.primaries);
    text("transfer", f.transfer);
    if (f.has_sample_aspect)
        text("sample_aspect", std::to_string(f.sample_aspect.num) + ":" + std::to_string(f.sample_aspect.den));
    if (f.rotation) section.facts.push_back(number("rotation", static_cast<unsigned>(f.rotation)));
    if (f.is_mirrored) text("mirrored", "yes");
    text("field_order", f.is_interlaced ? "interlaced" : "progressive");
    if (f.average_rate.num > 0) text("frame_rate", f.average_rate.text());
    section.facts.push_back(seconds("start", f.start));
    return section;
}

} // namespace

InputReport input_report(const PairsReport *pairs, const Options &options) {
    InputReport report;
    if (!pairs) return report;
    report.sections.push_back(facts_section("reference", options.reference, pairs->reference));
    report.sections.push_back(facts_section("distorted", options.distorted, pairs->distorted));

    const PictureFormat &p = pairs->scored_as;
    report.sections.push_back({"scored_as",
                               {{"size", std::to_string(p.width) + "x" + std::to_string(p.height)},
                                {"chroma", to_string(p.pixel_format)},
                                number("bits", p.bits)}});

    const PairingCounts &c = pairs->counts;
    report.sections.push_back({"pairing",
                               {{"by", pairs->is_by_index ? "index" : "time"},
                                seconds("offset", pairs->offset),
                                number("pairs", c.pairs),
                                number("reference_unpaired", c.before_reference + c.unpaired_reference),
                                number("distorted_unpaired", c.before_distorted + c.unpaired_distorted),
                                number("repeated", c.repeated),
                                number("frozen", pairs->frozen)}});
    report.steps = pairs->steps;
    report.warnings = pairs->warnings;
    report.notes = pairs->notes;
    return report;
}

} // namespace vmaf::cli
