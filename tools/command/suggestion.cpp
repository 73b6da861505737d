#include "suggestion.hpp"

#include <algorithm>

#include "base/edit_distance.hpp"

namespace vmaf::cli {

namespace {

constexpr std::size_t kMaxLength = 64; // longer words are no slips of the finger

} // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    word = word.substr(0, kMaxLength);
    std::string_view begun; // the shortest that begins with the word
    for (const std::string_view candidate : candidates)
        if (!word.empty() && candidate.starts_with(word) && (begun.empty() || candidate.size() < begun.size()))
            begun = candidate;
    if (!begun.empty()) return begun;
    return *std::min_element(candidates.begin(), candidates.end(), [&](std::string_view a, std::string_view b) {
        return edit_distance(word, a) < edit_distance(word, b);
    });
}

} // namespace vmaf::cli
