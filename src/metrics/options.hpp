// Options of a metric: one table per metric serves parsing, range checks, help texts and the suffix of score names
// (models.md 5.2, 5.4, 5.5).
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vmaf {

// Which part of a metric's work an option changes. Instances that differ in late options only are a family: they share
// the work on pixels up to the point where the options come in (MetricFamily).
enum class Stage { front, late };
inline constexpr Stage kLate = Stage::late;

// One row of table 5.5. The type of `fallback` is the type of the option.
struct OptionSpec {
    std::string_view name;
    std::string_view key; // short name in suffixes; empty: the name itself
    std::string_view help;
    std::variant<bool, int, double, std::string_view> fallback;
    double min = 0, max = 0; // closed range of numbers; defaults are not checked against it
    bool in_name = false;    // a value other than the default shows in score names
    Stage stage = Stage::front;
};

// Option texts as they come from a command line, a dictionary or a model file.
using OptionTexts = std::map<std::string, std::string, std::less<>>;

// Numbers are rewritten as `%g` of their single-precision value, other texts are kept (cli-and-formats.md 6.2).
std::string normalised_option_text(const std::string &text);

class OptionValues {
  public:
    using Value = std::variant<bool, int, double, std::string>;

    // Texts for options that the table does not have are ignored; see unknown_options().
    // Throws Error(EINVAL) naming metric, option and range.
    OptionValues(std::string_view metric, std::span<const OptionSpec> table, const OptionTexts &texts);

    bool flag(std::string_view name) const { return std::get<bool>(value(name)); }
    int integer(std::string_view name) const { return std::get<int>(value(name)); }
    double real(std::string_view name) const { return std::get<double>(value(name)); }
    const std::string &text(std::string_view name) const { return std::get<std::string>(value(name)); }

    // All values are equal but for those of late options.
    bool same_front(const OptionValues &other) const;

    // "_egl_1.2_ssclz": the in_name options that differ from their defaults, in byte order of their names.
    std::string name_suffix() const;

  private:
    const Value *find(std::string_view name) const; // null: the table has none
    const Value &value(std::string_view name) const;

    std::span<const OptionSpec> table_;
    std::vector<Value> values_; // in table order
};

// For people: "a number from 1 to 100", "true or false", ...; the default as one would write it.
std::string option_range_text(const OptionSpec &spec);
std::string option_default_text(const OptionSpec &spec);

std::vector<std::string> unknown_options(std::span<const OptionSpec> table, const OptionTexts &texts);

} // namespace vmaf
