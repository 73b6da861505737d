#include "system/host.hpp"

namespace vmaf::system {

std::string processor_name() { return "WebAssembly"; }
std::optional<std::uint64_t> free_memory() { return std::nullopt; }
bool has_metal() { return false; }
bool may_have_gpu() { return false; }

} // namespace vmaf::system
