// Shared by the functions that JavaScript calls: errors as numbers with a message, and clips in JavaScript's files.
#pragma once

#include <cerrno>
#include <memory>
#include <new>
#include <string>

#include "base/error.hpp"
#include "io/clip_reader.hpp"

#define VMAF_EXPORT extern "C" __attribute__((visibility("default"), used))

namespace vmaf {

inline std::string last_error;

// Returns 0, or a negative errno value with the message in last_error.
template <class Call> int guarded(Call call) noexcept {
    try {
        call();
        return 0;
    } catch (const Error &e) {
        last_error = e.what();
        return -e.code();
    } catch (const std::bad_alloc &) {
        last_error = "not enough memory; score smaller pictures or close other pages";
        return -ENOMEM;
    } catch (const std::exception &e) {
        last_error = e.what();
        return -EINVAL;
    }
}

// Raw if the bit depth is not 0; `pixel_format` is 420, 422, 444 or 400.
RawGeometry geometry_of(int pixel_format, unsigned bits, unsigned width, unsigned height);
PixelFormat pixel_format_of(int number);

// Opens JavaScript's file `number` as a clip: raw if the bit depth is given, else YUV4MPEG2.
std::unique_ptr<ClipReader> open_clip(int number, const char *name, const RawGeometry &geometry);

} // namespace vmaf
