#include "capi/context.hpp"

#include <cstdio>

namespace vmaf::capi {

Sentence &last_error() noexcept {
    thread_local Sentence sentence{};
    return sentence;
}

int failed(int code, const char *why, LogLevel level) noexcept {
    log(level, why);
    return refused(why, code);
}

int refused(const char *why, int code) noexcept {
    std::snprintf(last_error().data(), last_error().size(), "%s", why);
    return -code;
}

int missing_argument() noexcept { return refused("an argument is NULL"); }

int refuse_in_child() noexcept {
    return failed(EPERM,
                  "the context was made before fork(): only the process that made it can use it; make one in the child",
                  LogLevel::error);
}

std::unique_ptr<VmafFeatureDictionary> take(VmafFeatureDictionary *dictionary) {
    return std::unique_ptr<VmafFeatureDictionary>(dictionary);
}

} // namespace vmaf::capi

int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val) {
    if (!dict || !key || !val) return vmaf::capi::missing_argument();
    return vmaf::capi::guarded([&] {
        const std::string text = vmaf::normalised_option_text(val);
        if (*dict) {
            (*dict)->texts[key] = text;
            return;
        }
        auto fresh = std::make_unique<VmafFeatureDictionary>();
        fresh->texts[key] = text;
        *dict = fresh.release();
    });
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict) {
    if (!dict) return vmaf::capi::missing_argument();
    delete *dict;
    *dict = nullptr;
    return 0;
}
