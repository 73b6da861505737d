// Any bytes as a video file, through the module's entry point: refused with an Error, or frames with ascending times
// that fit pictures of the stated format.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "io/preparation.hpp"
#include "system/log.hpp"

extern "C" const vmaf::VideoModule vmaf_video_module;

namespace {

using namespace vmaf;

constexpr std::uint64_t kMaxPixels = 1 << 18; // larger pictures only take time
constexpr unsigned kMaxFrames = 24;

// A file with these bytes that can be opened by name.
class MemoryFile {
  public:
    MemoryFile(const std::uint8_t *data, std::size_t size) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
        if (descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

void read_all(VideoFile &file) {
    const VideoFacts &facts = file.facts();
    if (std::uint64_t{facts.width} * facts.height > kMaxPixels) return;
    const Preparation plan = prepare_pair(facts, facts, {});
    file.set_output(plan.distorted);
    const Picture picture = Picture::allocate(plan.picture);
    std::int64_t before = INT64_MIN;
    for (unsigned i = 0; i < kMaxFrames; i++) {
        const auto time = file.next();
        if (!time) break;
        if (*time <= before) __builtin_trap();
        before = *time;
        file.store(picture);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    constexpr std::array<char, 8> kMagic = {'Y', 'U', 'V', '4', 'M', 'P', 'E', 'G'};
    set_log_level(LogLevel::none);
    const MemoryFile file(data, size);
    VideoRequest request{.path = file.path(),
                         .is_y4m = size > kMagic.size() && std::memcmp(data, kMagic.data(), kMagic.size()) == 0,
                         .threads = 1 + static_cast<unsigned>(size % 2) * 2,
                         .deinterlace = size % 3 == 0};
    try {
        read_all(*vmaf_video_module.open(request));
    } catch (const Error &) {
    } catch (const std::bad_alloc &) { // a header may state any size
    }
    return 0;
}
