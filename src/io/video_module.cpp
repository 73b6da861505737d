#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "io/module_paths.h"
#include "io/video_file.hpp"

namespace vmaf {

namespace {

constexpr const char *kFileName = "libvmaf-libav.so";
constexpr const char *kVariable = "VMAF_LIBAV_MODULE";

// Beside the program (build tree), where it is installed relative to the program, where it was to be installed.
std::vector<std::string> candidates() {
    if (const char *const named = std::getenv(kVariable); named && *named) return {named};
    std::vector<std::string> list;
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        const auto folder = program.parent_path();
        list.push_back((folder / kFileName).string());
        list.push_back((folder.parent_path() / "vmaf" / kFileName).string()); // a sibling tool's build folder
        list.push_back((folder.parent_path() / VMAF_LIBDIR / "vmaf" / kFileName).string());
    }
    list.push_back(std::string(VMAF_MODULE_DIR) + "/" + kFileName);
    return list;
}

[[noreturn]] void cannot_open(const std::string &reason) {
    throw Error(ENOSYS, "only YUV4MPEG2 and raw clips can be read, because the module for other video files " + reason +
                            "; decode the file with ffmpeg first, or install the module (build option enable_libav)");
}

const VideoModule *load() {
#if !VMAF_ENABLE_LIBAV
    if (const char *const named = std::getenv(kVariable); !named || !*named) cannot_open("is not part of this build");
#endif
    for (const std::string &path : candidates()) {
        std::error_code error;
        if (!std::filesystem::exists(path, error)) continue;
        void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) cannot_open("cannot be loaded (" + std::string(dlerror()) + ")");
        const auto *const module = static_cast<const VideoModule *>(dlsym(library, "vmaf_video_module"));
        if (!module || std::strcmp(module->interface, kVideoInterface) != 0)
            cannot_open("'" + path + "' belongs to another version");
        return module;
    }
    cannot_open(std::string("(") + kFileName + ") was not found");
}

} // namespace

const VideoModule &video_module() {
    static const VideoModule *const module = load();
    return *module;
}

std::unique_ptr<VideoFile> open_video(const VideoRequest &request) { return video_module().open(request); }

std::string to_string(const Fraction &f) {
    return f.denominator == 1 ? std::to_string(f.numerator)
                              : std::to_string(f.numerator) + "/" + std::to_string(f.denominator);
}

std::string to_string(SampleRange range) {
    switch (range) {
    case SampleRange::limited: return "limited";
    case SampleRange::full: return "full";
    default: return "unknown";
    }
}

} // namespace vmaf
