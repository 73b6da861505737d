#include "system/program.hpp"

namespace vmaf::system {

std::string program_path() { return {}; }
unsigned usable_processors() { return 1; }
// Threads need shared memory, which pages get from servers with special headers only. A page scores in several workers.
bool has_threads() { return false; }

} // namespace vmaf::system
