#include "system/read_at.hpp"

#include <unistd.h>

namespace vmaf::system {

// preadv() of Emscripten 3.1.6 reads every part from the same offset.
ssize_t read_at(int descriptor, const iovec *parts, int count, off_t place) {
    return count > 0 ? pread(descriptor, parts->iov_base, parts->iov_len, place) : 0;
}

} // namespace vmaf::system
