#include "system/build_id.hpp"

#include <cstring>

#include "system/windows.hpp"

namespace vmaf::system {

// In the image's debug directory: a CodeView record with the linker's fingerprint.
std::string build_id() {
    const auto *const base = reinterpret_cast<const unsigned char *>(GetModuleHandleW(nullptr));
    const auto *const dos = reinterpret_cast<const IMAGE_DOS_HEADER *>(base);
    const auto *const headers = reinterpret_cast<const IMAGE_NT_HEADERS *>(base + dos->e_lfanew);
    const IMAGE_DATA_DIRECTORY place = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_DEBUG];
    const auto *const entries = reinterpret_cast<const IMAGE_DEBUG_DIRECTORY *>(base + place.VirtualAddress);
    constexpr char kMark[] = {'R', 'S', 'D', 'S'};
    constexpr std::size_t kBytes = 16;
    for (DWORD i = 0; i < place.Size / sizeof *entries; i++) {
        const unsigned char *const record = base + entries[i].AddressOfRawData;
        if (entries[i].Type != IMAGE_DEBUG_TYPE_CODEVIEW || entries[i].SizeOfData < sizeof kMark + kBytes ||
            std::memcmp(record, kMark, sizeof kMark) != 0)
            continue;
        std::string text;
        for (std::size_t k = 0; k < kBytes; k++)
            for (const int digit : {record[sizeof kMark + k] >> 4, record[sizeof kMark + k] & 15})
                text += "0123456789abcdef"[digit];
        return text;
    }
    return {};
}

} // namespace vmaf::system
