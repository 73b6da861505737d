// Parses command lines like GNU getopt_long, the same on every system: "--name value",
// "--name=value", prefixes of names, "-x value", "-xvalue", "-xyz", words among the options, "--"
// before plain words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace vmaf {

enum class OptionValue { none, required, optional };

struct LongOption {
    std::string_view name; // without dashes
    OptionValue value = OptionValue::none;
    char letter = 0;           // short form
    bool is_preferred = false; // prefixes need to be unique only among preferred options
};

struct ScannedOption {
    enum class Status { found, unknown, ambiguous, value_missing, value_unwanted };
    Status status;
    std::size_t option = 0;                // index in the table; meaningless for unknown and ambiguous options
    char letter = 0;                       // set if given as a letter
    std::string_view name;                 // as written after "--", up to a '='; empty for letters
    std::optional<std::string_view> value; // if it has one
};

class OptionScanner {
  public:
    // `words` excludes the program's name; words and table must outlive the scanner. `stops_at_first_word`: options end
    // at the first plain word (POSIXLY_CORRECT).
    OptionScanner(std::span<const LongOption> table, std::span<const char *const> words,
                  bool stops_at_first_word = false);

    std::optional<ScannedOption> next(); // empty at the end

    // Plain words in order; complete once next() has returned empty.
    std::span<const std::string_view> others() const { return others_; }

  private:
    ScannedOption long_option(std::string_view word);
    ScannedOption letter();
    std::optional<std::size_t> find(std::string_view name, ScannedOption::Status &problem) const;

    std::span<const LongOption> table_;
    std::span<const char *const> words_;
    std::size_t next_ = 0;
    std::string_view letters_; // the rest of a word of letters
    std::vector<std::string_view> others_;
    bool stops_at_first_word_;
};

} // namespace vmaf
