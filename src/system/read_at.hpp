// Fills parts of memory from one offset of a file.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

namespace vmaf::system {

ssize_t read_at(int descriptor, const iovec *parts, int count, off_t offset); // as preadv(); may fill fewer parts

} // namespace vmaf::system
