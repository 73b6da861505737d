#include "system/build_id.hpp"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <span>
#include <string_view>

#include "base/aligned.hpp"

namespace vmaf::system {

namespace {

std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) text.append({kDigits[(byte >> 4) & 15], kDigits[byte & 15]});
    return text;
}

// Notes follow each other: a head, a name, a content, each padded to four bytes.
std::string find_build_id(std::string_view notes) {
    const auto padded = [](std::size_t bytes) { return round_up<std::size_t>(bytes, 4); };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        std::memcpy(&head, notes.data(), sizeof head);
        notes.remove_prefix(sizeof head);
        const std::size_t content = padded(head.n_namesz), end = content + padded(head.n_descsz);
        if (end > notes.size()) break;
        if (head.n_type == NT_GNU_BUILD_ID && notes.starts_with("GNU"))
            return hexadecimal(notes.substr(content, head.n_descsz));
        notes.remove_prefix(end);
    }
    return {};
}

int visit_executable(dl_phdr_info *info, std::size_t, void *result) {
    for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
        auto &id = *static_cast<std::string *>(result);
        if (segment.p_type == PT_NOTE && id.empty())
            id = find_build_id({reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz});
    }
    return 1; // the executable comes first; libraries do not matter
}

} // namespace

std::string build_id() {
    std::string id;
    dl_iterate_phdr(visit_executable, &id);
    return id;
}

} // namespace vmaf::system
