#include "system/host.hpp"

#include <mach/mach.h>
#include <sys/sysctl.h>

namespace vmaf::system {

std::string processor_name() {
    char name[256] = "";
    std::size_t bytes = sizeof name - 1;
    return sysctlbyname("machdep.cpu.brand_string", name, &bytes, nullptr, 0) == 0 ? name : "unknown";
}

std::optional<std::uint64_t> free_memory() {
    vm_statistics64_data_t pages{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
        KERN_SUCCESS)
        return std::nullopt;
    return (std::uint64_t{pages.free_count} + pages.inactive_count) * vm_kernel_page_size;
}

bool has_metal() { return true; }

bool may_have_gpu() { return true; }

} // namespace vmaf::system
