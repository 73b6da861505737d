#include "system/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "system/descriptor.hpp"

namespace vmaf::system {

namespace {

#ifdef MAP_POPULATE
constexpr int kFlags = MAP_PRIVATE | MAP_POPULATE;
#else
constexpr int kFlags = MAP_PRIVATE;
#endif

} // namespace

MappedFile::MappedFile(const std::string &path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts {};
    if (!file.is_open() || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
        throw invalid("'" + path + "' cannot be read");
    size_ = static_cast<std::size_t>(facts.st_size);
    if (size_ == 0) return;
    void *const memory = mmap(nullptr, size_, PROT_READ, kFlags, file.get(), 0);
    if (memory == MAP_FAILED) throw invalid("'" + path + "' cannot be read: " + std::strerror(errno));
    data_ = static_cast<char *>(memory);
}

MappedFile::~MappedFile() {
    if (data_) munmap(data_, size_);
}

} // namespace vmaf::system
