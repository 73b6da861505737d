#include "metrics/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "system/c_locale.hpp"

namespace vmaf {

namespace {

std::string print_g(double value) {
    const CLocale c_locale;
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%g", value);
    return buffer.data();
}

Error bad_value(std::string_view metric, const OptionSpec &spec, const std::string &text) {
    std::string sentence = "feature '";
    sentence.append(metric).append("': option '").append(spec.name).append("' cannot be '").append(text);
    return invalid(sentence.append("'; it takes ").append(option_range_text(spec)));
}

OptionValues::Value parse(std::string_view metric, const OptionSpec &spec, const std::string &text) {
    if (std::holds_alternative<std::string_view>(spec.fallback)) return text;
    if (std::holds_alternative<bool>(spec.fallback)) {
        if (text == "true") return true;
        if (text == "false") return false;
        throw bad_value(metric, spec, text);
    }
    // Parses numbers like C's atoi and atof; a zero counts only if it is written as one (models.md 5.4).
    const CLocale c_locale;
    const bool is_int = std::holds_alternative<int>(spec.fallback);
    double number = 0;
    if (is_int) {
        const long long whole = std::strtoll(text.c_str(), nullptr, 10);
        number = double(std::clamp<long long>(whole, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    } else {
        number = std::strtod(text.c_str(), nullptr);
    }
    if (number == 0 && (text.empty() || text[0] != '0')) throw bad_value(metric, spec, text);
    if (!(number >= spec.min && number <= spec.max)) throw bad_value(metric, spec, text); // NaN fails too
    if (is_int) return int(number);
    return number;
}

OptionValues::Value fallback_value(const OptionSpec &spec) {
    return std::visit(
        [](auto v) -> OptionValues::Value {
            if constexpr (std::is_same_v<decltype(v), std::string_view>)
                return std::string(v);
            else
                return v;
        },
        spec.fallback);
}

} // namespace

std::string normalised_option_text(const std::string &text) {
    const CLocale c_locale;
    float scanned = 0;
    char behind = 0;
    if (std::sscanf(text.c_str(), "%f %c", &scanned, &behind) != 1) return text;
    return print_g(double(std::strtof(text.c_str(), nullptr)));
}

OptionValues::OptionValues(std::string_view metric, std::span<const OptionSpec> table, const OptionTexts &texts)
    : table_(table) {
    values_.reserve(table.size());
    for (const OptionSpec &spec : table) {
        const auto given = texts.find(spec.name);
        values_.push_back(given == texts.end() ? fallback_value(spec) : parse(metric, spec, given->second));
    }
}

const OptionValues::Value *OptionValues::find(std::string_view name) const {
    for (std::size_t i = 0; i < table_.size(); i++)
        if (table_[i].name == name) return &values_[i];
    return nullptr;
}

const OptionValues::Value &OptionValues::value(std::string_view name) const {
    if (const Value *const found = find(name)) return *found;
    throw std::logic_error("no option named " + std::string(name));
}

bool OptionValues::same_front(const OptionValues &other) const {
    const auto covers = [](const OptionValues &a, const OptionValues &b) {
        for (std::size_t i = 0; i < a.table_.size(); i++) {
            if (a.table_[i].stage != Stage::front) continue;
            const Value *const value = b.find(a.table_[i].name);
            if (!value || *value != a.values_[i]) return false;
        }
        return true;
    };
    return covers(*this, other) && covers(other, *this);
}

std::string OptionValues::name_suffix() const {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < table_.size(); i++)
        if (table_[i].in_name && values_[i] != fallback_value(table_[i])) shown.push_back(i);
    std::sort(shown.begin(), shown.end(), [&](auto a, auto b) { return table_[a].name < table_[b].name; });
    std::string suffix;
    for (std::size_t i : shown) {
        suffix.append("_").append(table_[i].key.empty() ? table_[i].name : table_[i].key);
        if (const auto *n = std::get_if<int>(&values_[i])) suffix.append("_").append(std::to_string(*n));
        if (const auto *x = std::get_if<double>(&values_[i])) suffix.append("_").append(print_g(*x));
        if (const auto *s = std::get_if<std::string>(&values_[i])) suffix.append("_").append(*s);
    }
    return suffix;
}

std::string option_range_text(const OptionSpec &spec) {
    if (std::holds_alternative<bool>(spec.fallback)) return "true or false";
    if (std::holds_alternative<std::string_view>(spec.fallback)) return "a text";
    const std::string number = std::holds_alternative<int>(spec.fallback) ? "a whole number" : "a number";
    if (spec.max >= 1e300) return number + " of at least " + print_g(spec.min);
    return number + " from " + print_g(spec.min) + " to " + print_g(spec.max);
}

std::string option_default_text(const OptionSpec &spec) {
    if (const auto *flag = std::get_if<bool>(&spec.fallback)) return *flag ? "true" : "false";
    if (const auto *text = std::get_if<std::string_view>(&spec.fallback))
        return text->empty() ? "none" : std::string(*text);
    if (const auto *number = std::get_if<int>(&spec.fallback)) return std::to_string(*number);
    return print_g(std::get<double>(spec.fallback));
}

std::vector<std::string> unknown_options(std::span<const OptionSpec> table, const OptionTexts &texts) {
    std::vector<std::string> unknown;
    for (const auto &given : texts)
        if (std::none_of(table.begin(), table.end(), [&](const OptionSpec &spec) { return spec.name == given.first; }))
            unknown.push_back(given.first);
    return unknown;
}

} // namespace vmaf
