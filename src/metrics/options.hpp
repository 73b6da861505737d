// Options of a metric: one table per metric drives parsing, range checks, help and the suffix of score names (models.md
// 5.2, 5.4, 5.5).
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vmaf {

// Which part of a metric's work an option affects. Instances that differ only in late options are a family: they share
// the work on pixels up to that point (MetricFamily).
enum class Stage { front, late };
inline constexpr Stage kLate = Stage::late;

// A row of table 5.5. The type of `fallback` is the option's type.
struct OptionSpec {
    std::string_view name;
    std::string_view key; // short name in suffixes; empty: the full name
    std::string_view help;
    std::variant<bool, int, double, std::string_view> fallback;
    double min = 0, max = 0; // closed range of numbers; not applied to defaults
    bool in_name = false;    // values other than the default appear in score names
    Stage stage = Stage::front;
};

// Options as text, from a command line, a dictionary or a model file.
using OptionTexts = std::map<std::string, std::string, std::less<>>;

// Rewrites numbers as `%g` of their single-precision value and keeps other texts (cli-and-formats.md 6.2).
std::string normalised_option_text(const std::string &text);

class OptionValues {
  public:
    using Value = std::variant<bool, int, double, std::string>;

    // Ignores options missing from the table; see unknown_options(). Throws Error(EINVAL) with metric, option and
    // range.
    OptionValues(std::string_view metric, std::span<const OptionSpec> table, const OptionTexts &texts);

    bool flag(std::string_view name) const { return std::get<bool>(value(name)); }
    int integer(std::string_view name) const { return std::get<int>(value(name)); }
    double real(std::string_view name) const { return std::get<double>(value(name)); }
    const std::string &text(std::string_view name) const { return std::get<std::string>(value(name)); }

    // Whether all values except those of late options are equal.
    bool same_front(const OptionValues &other) const;

    // "_egl_1.2_ssclz": the in_name options that differ from their defaults, in byte order of their names.
    std::string name_suffix() const;

  private:
    const Value *find(std::string_view name) const; // null if missing from the table
    const Value &value(std::string_view name) const;

    std::span<const OptionSpec> table_;
    std::vector<Value> values_; // in table order
};

// For users: "a number from 1 to 100", "true or false", ...; and the default as one would type it.
std::string option_range_text(const OptionSpec &spec);
std::string option_default_text(const OptionSpec &spec);

std::vector<std::string> unknown_options(std::span<const OptionSpec> table, const OptionTexts &texts);

} // namespace vmaf
