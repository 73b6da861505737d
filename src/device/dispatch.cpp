#include "device/dispatch.hpp"

#include <mutex>

#include "device/backends.hpp"
#include "device/device.hpp"
#include "system/environment.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Accepts an optional "integer_" prefix and the backend's suffix.
std::string extractor_of(std::string_view name, std::string_view suffix, const DispatchTable::Resolve &resolve) {
    constexpr std::string_view kPrefix = "integer_";
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    std::string found = resolve(name);
    if (found.empty() && name.starts_with(kPrefix)) found = resolve(name.substr(kPrefix.size()));
    return found;
}

std::string list_of_words(const DispatchRequest &request) {
    std::string text;
    std::size_t left = request.words.size();
    for (const auto &[word, meaning] : request.words) {
        text += word;
        if (--left) text += left == 1 ? " and " : ", ";
    }
    return text;
}

} // namespace

DispatchRequest Device::dispatch_request() const { return {}; }

DispatchRequest read_dispatch(std::string_view backend) {
    const BackendRow &row = kBackends.at(find_backend(backend).value());
    return {.variable = row.dispatch_variable,
            .suffix = row.suffix,
            .text = system::environment(std::string(row.dispatch_variable)).value_or("")};
}

DispatchTable DispatchTable::parse(const DispatchRequest &request, const Resolve &extractor, const Warn &warn) {
    DispatchTable table;
    std::string_view text = request.text;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view item = trimmed(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (item.empty()) continue;
        const auto ignored = [&](const std::string &why) {
            warn(std::string(request.variable) + ": '" + std::string(item) + "' is ignored: " + why);
        };
        const auto equals = item.find('=');
        const auto chosen =
            request.words.find(equals == std::string_view::npos ? item : trimmed(item.substr(equals + 1)));
        if (chosen == request.words.end()) {
            ignored("the strategies are " + list_of_words(request));
        } else if (equals == std::string_view::npos) {
            table.fallback_ = chosen->second;
        } else if (const std::string name = extractor_of(trimmed(item.substr(0, equals)), request.suffix, extractor);
                   !name.empty()) {
            table.by_extractor_[name] = chosen->second;
        } else {
            ignored("there is no such feature extractor");
        }
    }
    return table;
}

const DispatchTable &DispatchTable::of_process(const DispatchRequest &request, const Resolve &extractor) {
    static std::mutex mutex;
    static std::map<std::string_view, DispatchTable> tables;
    const std::lock_guard lock(mutex);
    const auto found = tables.find(request.variable);
    if (found != tables.end()) return found->second;
    return tables
        .emplace(request.variable,
                 parse(request, extractor, [](const std::string &warning) { log(LogLevel::warning, warning); }))
        .first->second;
}

Dispatch DispatchTable::of(std::string_view extractor) const {
    const auto found = by_extractor_.find(extractor);
    return found == by_extractor_.end() ? fallback_ : found->second;
}

} // namespace vmaf
