#include "system/c_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vmaf::system {

CFile open_to_read(const std::string &path) {
    const int descriptor =
        open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // does not block on a pipe without a writer
    if (descriptor < 0) return nullptr;
    struct stat status {};
    CFile file;
    if (fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode))
        errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
    else
        file.reset(fdopen(descriptor, "rb"));
    if (!file) {
        const int reason = errno;
        close(descriptor);
        errno = reason;
    }
    return file;
}

} // namespace vmaf::system
