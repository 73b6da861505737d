#include "long_options.hpp"

#include <algorithm>

namespace vmaf {

using Status = ScannedOption::Status;

OptionScanner::OptionScanner(std::span<const LongOption> table, std::span<const char *const> words,
                             bool stops_at_first_word)
    : table_(table), words_(words), stops_at_first_word_(stops_at_first_word) {}

std::optional<ScannedOption> OptionScanner::next() {
    if (!letters_.empty()) return letter();
    while (next_ < words_.size()) {
        const std::string_view word = words_[next_];
        const bool is_end = word == "--";
        if (!is_end && word.size() > 1 && word[0] == '-') {
            next_++;
            if (word[1] == '-') return long_option(word.substr(2));
            letters_ = word.substr(1);
            return letter();
        }
        if (is_end) next_++;
        if (is_end || stops_at_first_word_) {
            others_.insert(others_.end(), words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
            next_ = words_.size();
            break;
        }
        others_.push_back(word);
        next_++;
    }
    return std::nullopt;
}

std::optional<std::size_t> OptionScanner::find(std::string_view name, Status &problem) const {
    std::optional<std::size_t> only, only_preferred;
    std::size_t count = 0, count_preferred = 0;
    for (std::size_t i = 0; i < table_.size(); i++) {
        if (!table_[i].name.starts_with(name)) continue;
        if (table_[i].name == name) return i;
        only = i;
        count++;
        if (!table_[i].is_preferred) continue;
        only_preferred = i;
        count_preferred++;
    }
    if (count_preferred == 1 && !name.empty()) return only_preferred;
    if (count == 1) return only;
    problem = count ? Status::ambiguous : Status::unknown;
    return std::nullopt;
}

ScannedOption OptionScanner::long_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    ScannedOption result{.status = Status::found, .name = word.substr(0, equals)};
    const auto found = find(result.name, result.status);
    if (!found) return result;
    result.option = *found;
    const OptionValue wanted = table_[*found].value;
    if (equals != std::string_view::npos) {
        if (wanted == OptionValue::none)
            result.status = Status::value_unwanted;
        else
            result.value = word.substr(equals + 1);
    } else if (wanted == OptionValue::required) {
        if (next_ < words_.size())
            result.value = words_[next_++];
        else
            result.status = Status::value_missing;
    }
    return result;
}

ScannedOption OptionScanner::letter() {
    const char given = letters_.front();
    letters_.remove_prefix(1);
    ScannedOption result{.status = Status::found, .letter = given};
    const auto known =
        std::find_if(table_.begin(), table_.end(), [&](const LongOption &o) { return o.letter == given; });
    if (given == 0 || known == table_.end()) {
        result.status = Status::unknown;
        return result;
    }
    result.option = static_cast<std::size_t>(known - table_.begin());
    if (known->value == OptionValue::none) return result;
    if (!letters_.empty())
        result.value = letters_;
    else if (known->value == OptionValue::required && next_ < words_.size())
        result.value = words_[next_++];
    else if (known->value == OptionValue::required)
        result.status = Status::value_missing;
    letters_ = {};
    return result;
}

} // namespace vmaf
