#include "system/read_at.hpp"

namespace vmaf::system {

ssize_t read_at(int descriptor, const iovec *parts, int count, off_t place) {
    return preadv(descriptor, parts, count, place);
}

} // namespace vmaf::system
