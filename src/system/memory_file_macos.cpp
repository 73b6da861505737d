#include "system/descriptor.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "system/environment.hpp"

namespace vmaf::system {

// macOS has no files in memory: a temporary file, whose name lets it be opened again.
MemoryFile::MemoryFile() : path_(environment("TMPDIR").value_or("/tmp") + "/vmaf-XXXXXX") {
    file_ = Descriptor(mkstemp(path_.data()));
    if (!file_.is_open()) throw Error(errno, std::string("no room for a temporary file: ") + std::strerror(errno));
    fcntl(file_.get(), F_SETFD, FD_CLOEXEC);
}

MemoryFile::~MemoryFile() { ::unlink(path_.c_str()); }

Descriptor MemoryFile::open() const {
    Descriptor again(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!again.is_open()) throw Error(errno, "'" + path_ + "' cannot be read: " + std::strerror(errno));
    return again;
}

} // namespace vmaf::system
