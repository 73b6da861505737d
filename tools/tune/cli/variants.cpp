#include "cli/variants.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command_error.hpp"

namespace vmaf::tune {

namespace {

// Splits at commas; a backslash keeps one in a value.
std::vector<std::string> items_of(const std::string &text) {
    std::vector<std::string> items(1);
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
            items.back() += text[++i];
        else if (text[i] == ',')
            items.emplace_back();
        else
            items.back() += text[i];
    }
    std::erase(items, "");
    return items;
}

Variant parse_variant(const std::string &text) {
    const std::size_t equals = text.find('=');
    Variant variant;
    variant.name = text.substr(0, equals);
    if (equals == std::string::npos || variant.name.empty())
        throw usage_error("--variant " + text + " is not of the form NAME=key=value,...; NAME= is one without options");
    if (variant.name.find_first_of("/\\") != std::string::npos)
        throw usage_error("--variant " + text + ": a name cannot have slashes, because kept encodes are named by it");
    for (const std::string &item : items_of(text.substr(equals + 1))) {
        const std::size_t at = item.find('=');
        const std::string key = item.substr(0, at), value = at == std::string::npos ? "" : item.substr(at + 1);
        std::string *const own = key == "encoder" || key == "codec" ? &variant.encoder
                                 : key == "preset"                  ? &variant.preset
                                 : key == "vfilter"                 ? &variant.vfilter
                                 : key == "keyint"                  ? &variant.keyint
                                 : key == "out-pix-fmt"             ? &variant.out_pix_fmt
                                                                    : nullptr;
        if (own && value.empty()) throw usage_error("--variant " + text + ": " + key + " has no value");
        if (own)
            *own = value;
        else
            variant.enc.push_back(item);
    }
    return variant;
}

} // namespace

std::vector<Variant> parse_variants(const std::vector<std::string> &texts) {
    std::vector<Variant> variants;
    for (const std::string &text : texts) {
        Variant variant = parse_variant(text);
        if (std::ranges::any_of(variants, [&](const Variant &v) { return v.name == variant.name; }))
            throw usage_error("--variant " + variant.name + " is given twice");
        variants.push_back(std::move(variant));
    }
    if (variants.empty()) variants.emplace_back();
    return variants;
}

EncodingOptions with_variant(const EncodingOptions &options, const Variant &variant) {
    EncodingOptions o = options;
    o.enc.insert(o.enc.end(), variant.enc.begin(), variant.enc.end());
    if (!variant.vfilter.empty()) o.vfilter = variant.vfilter;
    if (!variant.keyint.empty()) o.keyint = variant.keyint;
    if (!variant.out_pix_fmt.empty()) o.out_pix_fmt = variant.out_pix_fmt;
    return o;
}

void bind_variants(CLI::App &app, EncodingOptions &o) {
    app.add_option(
           "--variant", o.variants,
           "NAME=key=value,...: a named set of encoder options (encoder, preset, keyint, vfilter, out-pix-fmt or "
           "any --enc); may be repeated")
        ->group("Encoding");
}

} // namespace vmaf::tune
