#include "system/leftovers.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "system/windows.hpp"

namespace vmaf::system {

namespace {

void remove_file(const wchar_t *name) noexcept { DeleteFileW(name); } // closing its handle at process exit deletes it
void wait_a_moment() noexcept { Sleep(1); }
[[noreturn]] void wait_forever() noexcept {
    for (;;) Sleep(INFINITE);
}

struct SignalsBlocked { // handlers run in their own thread
    static void begin() noexcept {}
    static void end() noexcept {}
};

} // namespace

} // namespace vmaf::system

#include "system/leftovers-inl.hpp"
