// Any bytes as a YUV4MPEG2 clip: refused with an Error, or pictures of the size in the header.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.hpp"
#include "io/y4m_reader.hpp"
#include "system/descriptor.hpp"
#include "system/log.hpp"

namespace {

using namespace vmaf;

constexpr std::uint64_t kMaxPixels = 1 << 20; // larger pictures only take time

ByteSource source_with(const std::uint8_t *data, std::size_t size) {
    system::MemoryFile file;
    if (!file.append(std::as_bytes(std::span(data, size)))) std::abort();
    return {file.open().release(), "'fuzz'"};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    set_log_level(LogLevel::none);
    try {
        Y4mReader reader(source_with(data, size));
        PictureFormat format = reader.format();
        if (std::uint64_t(format.width) * format.height > kMaxPixels) return 0;
        if (size % 2) { // as with a deeper clip
            format.bits = 16;
            reader.set_pictures(16);
        }
        const Picture picture = Picture::allocate(format);
        if (size % 3 == 0) reader.skip();
        while (reader.read(picture)) {
        }
        if (reader.frames_left() != 0u) __builtin_trap();
    } catch (const Error &) {
    }
    return 0;
}
