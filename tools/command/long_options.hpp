// Command lines by the rules of GNU getopt_long, the same on every system: "--name value", "--name=value", prefixes of
// names, "-x value",
// "-xvalue", "-xyz", words among the options, "--" before words alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace vmaf {

enum class OptionValue { none, required, optional };

struct LongOption {
    std::string_view name; // without its dashes
    OptionValue value = OptionValue::none;
    char letter = 0;           // short form
    bool is_preferred = false; // a prefix that is unique among such options means that one, whatever others begin alike
};

struct ScannedOption {
    enum class Status { found, unknown, ambiguous, value_missing, value_unwanted };
    Status status;
    std::size_t option = 0;                // its place in the table; of no meaning for unknown and ambiguous ones
    char letter = 0;                       // set if it was given as a letter
    std::string_view name;                 // what was written after "--", up to a '='; empty for letters
    std::optional<std::string_view> value; // none: it has none
};

class OptionScanner {
  public:
    // `words` without the program's name; they and the table must outlive the scanner.
    // `stops_at_first_word`: options end at the first word that is none (POSIXLY_CORRECT).
    OptionScanner(std::span<const LongOption> table, std::span<const char *const> words,
                  bool stops_at_first_word = false);

    std::optional<ScannedOption> next(); // nothing: there are no more

    // Words that are no options and no values, in their order; complete when next() has returned nothing.
    std::span<const std::string_view> others() const { return others_; }

  private:
    ScannedOption long_option(std::string_view word);
    ScannedOption letter();
    std::optional<std::size_t> find(std::string_view name, ScannedOption::Status &problem) const;

    std::span<const LongOption> table_;
    std::span<const char *const> words_;
    std::size_t place_ = 0;
    std::string_view letters_; // what is left of a word of letters
    std::vector<std::string_view> others_;
    bool stops_at_first_word_;
};

} // namespace vmaf
