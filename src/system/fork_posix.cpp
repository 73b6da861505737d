#include "system/fork.hpp"

#include <unistd.h>

namespace vmaf::system {

long process_mark() noexcept { return getpid(); }

} // namespace vmaf::system
