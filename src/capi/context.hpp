// The types that the C API keeps opaque, and the translation of C++ errors to errno values.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/model.hpp"
#include "picture/pool.hpp"
#include "report/report.hpp"
#include "session/session.hpp"
#include "system/fork.hpp"
#include "system/log.hpp"

#pragma GCC visibility push(default)
#include "libvmaf/libvmaf.h"
#include "libvmaf/turbo.h"
#pragma GCC visibility pop
#include "capi/metadata_handler.h"

struct VmafFeatureDictionary {
    vmaf::OptionTexts texts;
};

struct VmafModel {
    vmaf::Model model;
};

struct VmafModelCollection {
    vmaf::ModelCollection collection;
};

namespace vmaf {
class HalfStore;
}
namespace vmaf::capi {
class FrameBuffers;

// Requested maps and regions, and the models and features that need scores for them.
struct LocalRequest {
    struct Map {
        std::string score;
        void (*on_cells)(void *user, const VmafTurboCells *cells);
        void *user;
    };
    LocalConfig config;
    std::vector<Map> maps; // one per config.cell_scores

    void add_model(const Model &model);
    void add_feature(std::string_view extractor);
};
} // namespace vmaf::capi

struct VmafContext {
    explicit VmafContext(const vmaf::SessionConfig &config) : has_threads(config.threads > 0), session(config) {}
    bool is_of_parent() const noexcept { return process != vmaf::system::process_mark(); }

    struct Handler {
        std::string name;
        void (*callback)(void *data, VmafMetadata *metadata);
        void *data;
    };
    std::mutex handlers_mutex;
    std::vector<Handler> handlers;
    std::unique_ptr<vmaf::PicturePool> pool; // its pictures may outlive the pool

    // A device whose state was imported, and its pictures.
    std::shared_ptr<vmaf::Device> device;
    struct {
        bool is_set = false; // a preallocation was requested
        std::unique_ptr<vmaf::PicturePool> pool;
        unsigned limit = 0; // the pool's largest size
    } device_pictures;
    std::shared_ptr<vmaf::capi::FrameBuffers> frame_buffers; // device planes that the program fills
    std::unique_ptr<vmaf::PicturePool> foreign_pictures;     // copies of pictures that the program owns
    std::shared_ptr<vmaf::HalfStore> halves;                 // of references that other contexts score too
    std::unique_ptr<vmaf::Queue> callers_queue;              // for the caller's own work
    const long process = vmaf::system::process_mark();       // a forked child has no threads or devices of ours
    const bool has_threads;
    vmaf::capi::LocalRequest local;
    vmaf::Session session;
};

namespace vmaf::capi {

// The number in an enum from a C caller, which may be any.
template <class Enum> int value_of(const Enum &given) {
    static_assert(sizeof(Enum) == sizeof(int));
    int value = 0;
    std::memcpy(&value, &given, sizeof value);
    return value;
}
// Leaves unknown formats to check_format().
inline PixelFormat pixel_format_of(const enum VmafPixelFormat &given) {
    return static_cast<PixelFormat>(value_of(given));
}
template <class Parameters> PictureFormat format_of(const Parameters &p) {
    return {pixel_format_of(p.pix_fmt), p.bpc, p.w, p.h};
}

// The text of vmaf_turbo_last_error() for this thread. Fixed in size, so that it works without memory.
using Sentence = std::array<char, 1024>;
Sentence &last_error() noexcept;
// Logs and stores why a call fails; returns -code.
int failed(int code, const char *why, LogLevel level) noexcept;

// The same without a log line, for calls whose errno says enough.
int refused(const char *why, int code = EINVAL) noexcept;
int missing_argument() noexcept;
inline constexpr const char *kInsideHandler = "this function cannot be called inside a handler";
inline constexpr const char *kNoPool = "no pictures were preallocated, or the call came from a handler";
inline constexpr const char *kNoBuffers =
    "vmaf_sycl_init_frame_buffers() was not called, or the call came from a handler";
inline constexpr const char *kNoNewPool =
    "no device was imported, pictures were preallocated before, or the call came from a handler";

// Runs a function that may throw; returns 0 or a negative errno value after one log line.
template <class F> int guarded(F &&function, LogLevel level = LogLevel::error) noexcept {
    last_error()[0] = '\0';
    try {
        function();
        return 0;
    } catch (const Error &e) {
        return failed(e.code(), e.what(), level);
    } catch (const std::bad_alloc &) {
        return failed(ENOMEM, "out of memory", level);
    } catch (const std::system_error &e) {
        return failed(ENOMEM, e.what(), level); // the system refused a thread or a lock
    } catch (const std::exception &e) {
        return failed(EINVAL, e.what(), level);
    } catch (...) {
        return failed(EINVAL, "unknown error", level);
    }
}

// For calls on a context: only the process that made it can use it.
int refuse_in_child() noexcept;
template <class F> int guarded(const VmafContext &context, F &&function, LogLevel level = LogLevel::error) noexcept {
    return context.is_of_parent() ? refuse_in_child() : guarded(std::forward<F>(function), level);
}

// A picture's C struct and our handle share one reference count.
void export_picture(Picture picture, VmafPicture *out); // passes the reference to the struct
bool is_ours(const VmafPicture &picture);               // we filled it, and it was not changed
Picture share_picture(const VmafPicture &picture);      // adds a reference
std::unique_ptr<VmafFeatureDictionary> take(VmafFeatureDictionary *dictionary);
// Passes maps and regions to the session before the first pictures.
void hand_over_local(VmafContext &vmaf);
LocalReport local_report(const VmafContext &vmaf);

} // namespace vmaf::capi
