#include "device/cuda/dispatch.hpp"

#include <cstdlib>
#include <optional>

#include "base/log.hpp"

namespace vmaf::cuda {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<Dispatch> strategy(std::string_view word) {
    if (word == "adaptive") return Dispatch::adaptive;
    if (word == "batched") return Dispatch::batched;
    if (word == "serial") return Dispatch::serial;
    return std::nullopt;
}

// With or without "integer_" before and "_cuda" behind the extractor's name.
std::string extractor_of(std::string_view name, const DispatchTable::Resolve &resolve) {
    constexpr std::string_view kSuffix = "_cuda", kPrefix = "integer_";
    if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
    std::string found = resolve(name);
    if (found.empty() && name.starts_with(kPrefix)) found = resolve(name.substr(kPrefix.size()));
    return found;
}

} // namespace

DispatchTable DispatchTable::parse(std::string_view text, const Resolve &extractor, const Warn &warn) {
    DispatchTable table;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view item = trimmed(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (item.empty()) continue;
        const auto ignored = [&](const char *why) {
            warn("VMAF_CUDA_DISPATCH: '" + std::string(item) + "' is ignored: " + why);
        };
        const auto equals = item.find('=');
        const auto chosen = strategy(equals == std::string_view::npos ? item : trimmed(item.substr(equals + 1)));
        if (!chosen) {
            ignored("the strategies are adaptive, batched and serial");
        } else if (equals == std::string_view::npos) {
            table.fallback_ = *chosen;
        } else if (const std::string name = extractor_of(trimmed(item.substr(0, equals)), extractor); !name.empty()) {
            table.by_extractor_[name] = *chosen;
        } else {
            ignored("there is no such feature extractor");
        }
    }
    return table;
}

const DispatchTable &DispatchTable::of_process(const Resolve &extractor) {
    static const DispatchTable table = [&] {
        const char *text = std::getenv("VMAF_CUDA_DISPATCH");
        return parse(text ? text : "", extractor, [](const std::string &warning) { log(LogLevel::warning, warning); });
    }();
    return table;
}

Dispatch DispatchTable::of(std::string_view extractor) const {
    const auto found = by_extractor_.find(extractor);
    return found == by_extractor_.end() ? fallback_ : found->second;
}

} // namespace vmaf::cuda
