// The reserved name `turbo` in model overloads and feature options: selects the backend of a context (backends.md
// 4.6).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vmaf {

class Device;

struct BackendWish {
    static constexpr std::string_view kName = "turbo";

    std::string backend;            // "auto", "cpu" or a name of kBackends; empty: not set
    std::optional<unsigned> device; // its index

    bool empty() const { return backend.empty() && !device; }
    bool is_auto() const { return backend == "auto"; }
    bool needs_device() const { return !backend.empty() && backend != "cpu"; }
    bool operator==(const BackendWish &) const = default;

    // Sets `turbo.KEY=TEXT`. Throws Error(EINVAL) for other keys and texts.
    void set(std::string_view key, const std::string &text);
    // Merges both; throws Error(EINVAL) if they contradict each other.
    void add(const BackendWish &other);
    // Throws Error: EINVAL for a device without a backend, ENOSYS for a backend that is not built.
    void check() const;
    void check_device() const; // only the check for a device without a backend
    // Removes `turbo.KEY` from the options of a feature.
    static BackendWish take_from(std::map<std::string, std::string, std::less<>> &options);
};

// Opens the wished device. A named backend gives that one or an Error, like --backend; `auto` gives null if no device
// is faster than the processor.
std::shared_ptr<Device> open_wished_device(const BackendWish &wish);

// The message if a backend selected by name is unavailable (backends.md 5).
std::string refusal_of_backend(std::string_view asked, std::string_view why);
std::string backend_is_not_built(std::string_view backend);

} // namespace vmaf
