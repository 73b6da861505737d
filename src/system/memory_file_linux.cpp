#include "system/descriptor.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/error.hpp"

namespace vmaf::system {

MemoryFile::MemoryFile() : file_(memfd_create("vmaf", MFD_CLOEXEC)) {
    if (!file_.is_open()) throw Error(errno, std::string("no memory for a file: ") + std::strerror(errno));
}

MemoryFile::~MemoryFile() = default;

Descriptor MemoryFile::open() const {
    Descriptor again(::open(("/proc/self/fd/" + std::to_string(file_.get())).c_str(), O_RDONLY | O_CLOEXEC));
    if (!again.is_open()) throw Error(errno, std::string("a file in memory cannot be read: ") + std::strerror(errno));
    return again;
}

} // namespace vmaf::system
