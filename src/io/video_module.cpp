#include <atomic>

#include "base/error.hpp"
#include "io/video_config.h"
#include "io/video_file.hpp"
#include "system/environment.hpp"
#include "system/module_search.hpp"

namespace vmaf {

namespace {

constexpr const char *kVariable = "VMAF_LIBAV_MODULE";

[[noreturn]] void cannot_open(const std::string &reason) {
    throw Error(ENOSYS, "only YUV4MPEG2 and raw clips can be read, because the module for other video files " + reason +
                            "; decode the file with ffmpeg first, or install the module (build option enable_libav)");
}

const VideoModule *load() {
#if !VMAF_ENABLE_LIBAV
    if (!system::environment(kVariable)) cannot_open("is not part of this build");
#endif
    std::string reason;
    const void *const module =
        system::load_module({"libvmaf-libav.so", kVariable, "vmaf_video_module", kVideoInterface}, reason);
    if (!module) cannot_open(reason);
    return static_cast<const VideoModule *>(module);
}

std::atomic<const VideoModule *> loaded_module = nullptr;

} // namespace

const VideoModule &video_module() {
    static const VideoModule *const module = load();
    loaded_module = module;
    return *module;
}

void release_video_devices() {
    if (const VideoModule *const module = loaded_module) module->release_devices();
}

std::unique_ptr<VideoFile> open_video(const VideoRequest &request) { return video_module().open(request); }

} // namespace vmaf
