#include "system/mapped_file.hpp"

#include "system/windows.hpp"

namespace vmaf::system {

MappedFile::MappedFile(const std::string &path) {
    const Handle file(CreateFileW(wide_path(path).c_str(), GENERIC_READ,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_SEQUENTIAL_SCAN, nullptr));
    LARGE_INTEGER size{};
    if (!file.is_open() || GetFileType(file.get()) != FILE_TYPE_DISK || !GetFileSizeEx(file.get(), &size))
        throw invalid("'" + path + "' cannot be read");
    size_ = static_cast<std::size_t>(size.QuadPart);
    if (size_ == 0) return;
    const Handle mapping(CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
    if (mapping.is_open()) data_ = static_cast<char *>(MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, 0));
    if (!data_) throw invalid("'" + path + "' cannot be read: " + reason_of(GetLastError()));
}

MappedFile::~MappedFile() {
    if (data_) UnmapViewOfFile(data_);
}

} // namespace vmaf::system
