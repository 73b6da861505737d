#include "system/program.hpp"

#include <bit>
#include <thread>

#include "system/windows.hpp"

namespace vmaf::system {

std::string program_path() {
    std::wstring path(32768, L'\0');
    path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
    std::replace(path.begin(), path.end(), L'\\', L'/');
    return narrow(path);
}

unsigned usable_processors() {
    DWORD_PTR own = 0, all = 0;
    const unsigned present = std::max(1u, std::thread::hardware_concurrency());
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0) return present;
    return own == all
               ? present
               : static_cast<unsigned>(std::popcount(static_cast<unsigned long long>(own))); // all: of one group only
}

bool has_threads() { return true; }

} // namespace vmaf::system
