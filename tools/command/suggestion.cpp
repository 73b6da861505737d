#include "suggestion.hpp"

#include "base/edit_distance.hpp"

namespace vmaf::cli {

namespace {

constexpr std::size_t kMaxLength = 64;     // longer words are not typos
constexpr std::size_t kLeastContained = 3; // shorter words are part of anything

} // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    word = word.substr(0, kMaxLength);
    std::string_view begun, containing;
    const auto keep_shorter = [](std::string_view &kept, std::string_view other) {
        if (kept.empty() || other.size() < kept.size()) kept = other;
    };
    for (const std::string_view candidate : candidates) {
        if (!word.empty() && candidate.starts_with(word)) keep_shorter(begun, candidate);
        if (word.size() >= kLeastContained && candidate.find(word) != candidate.npos)
            keep_shorter(containing, candidate);
    }
    if (!begun.empty()) return begun;
    if (!containing.empty()) return containing;
    std::string_view best;
    std::size_t fewest = word.size() / 2 + 1;
    for (const std::string_view candidate : candidates)
        if (const std::size_t edits = edit_distance(word, candidate); edits < fewest) {
            fewest = edits;
            best = candidate;
        }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string_view name = nearest(word, candidates);
    return name.empty() ? std::string() : "; did you mean '" + std::string(name) + "'?";
}

} // namespace vmaf::cli
