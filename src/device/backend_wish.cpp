#include "device/backend_wish.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "device/backends.hpp"
#include "device/device.hpp"
#include "system/log.hpp"

namespace vmaf {

namespace {

std::string named(const BackendWish &wish) { return "turbo.backend=" + wish.backend; }

std::optional<unsigned> index_of(std::string_view text) {
    unsigned index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
}

const BuiltBackend *find_built(std::string_view name) {
    const auto built = built_backends();
    const auto found =
        std::find_if(built.begin(), built.end(), [&](const auto &backend) { return backend.name == name; });
    return found == built.end() ? nullptr : &*found;
}

std::shared_ptr<Device> open_first_usable() {
    for (const BuiltBackend &backend : built_backends()) try {
            std::shared_ptr<Device> device = backend.open(std::nullopt);
            if (!device->info().is_processor) return device;
            throw Error(ENODEV, "its only device is the CPU");
        } catch (const Error &e) {
            log(LogLevel::debug, e.what());
            log(LogLevel::info, std::string(backend.name) + " not usable: " + e.brief());
        }
    return nullptr;
}

} // namespace

void BackendWish::set(std::string_view key, const std::string &text) {
    if (key == "backend") {
        if (text != "auto" && text != "cpu" && !find_backend(text))
            throw invalid("turbo.backend: '" + text + "' is not supported; use " + backend_words(", ", " or "));
        backend = text;
    } else if (key == "device") {
        const auto index = index_of(text);
        if (!index) throw invalid("turbo.device: '" + text + "' is not an index; use 0 for the first device");
        device = index;
    } else {
        throw invalid("there is no option 'turbo." + std::string(key) + "'; use turbo.backend or turbo.device");
    }
}

void BackendWish::add(const BackendWish &other) {
    if (!backend.empty() && !other.backend.empty() && backend != other.backend)
        throw invalid(named(*this) + " contradicts " + named(other) + "; one backend serves all models and features");
    if (device && other.device && *device != *other.device)
        throw invalid("turbo.device=" + std::to_string(*device) + " contradicts turbo.device=" +
                      std::to_string(*other.device) + "; one device serves all models and features");
    if (backend.empty()) backend = other.backend;
    if (!device) device = other.device;
}

void BackendWish::check_device() const {
    if (device && !find_backend(backend))
        throw invalid("turbo.device=" + std::to_string(*device) + " needs a backend with devices; add turbo.backend=" +
                      std::string(kBackends.front().name) + " or another one");
}

void BackendWish::check() const {
    check_device();
    if (find_backend(backend) && !find_built(backend))
        throw Error(ENOSYS, refusal_of_backend(named(*this), backend_is_not_built(backend)));
}

BackendWish BackendWish::take_from(std::map<std::string, std::string, std::less<>> &options) {
    const std::string prefix = std::string(kName) + ".";
    BackendWish wish;
    std::erase_if(options, [&](const auto &option) {
        if (!option.first.starts_with(prefix)) return false;
        wish.set(option.first.substr(prefix.size()), option.second);
        return true;
    });
    return wish;
}

std::shared_ptr<Device> open_wished_device(const BackendWish &wish) {
    if (wish.is_auto()) return open_first_usable();
    wish.check();
    try {
        return find_built(wish.backend)->open(wish.device);
    } catch (const Error &e) {
        log(LogLevel::error, e.what());
        throw Error(e.code(), refusal_of_backend(named(wish), "init failed") + ": " + e.brief());
    }
}

std::string refusal_of_backend(std::string_view asked, std::string_view why) {
    return std::string(asked) + " requested but " + std::string(why) +
           "; refusing to silently fall back to CPU (ADR-0498)";
}

std::string backend_is_not_built(std::string_view backend) {
    return "this libvmaf was built without " + std::string(backend) + " support";
}

} // namespace vmaf
