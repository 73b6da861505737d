#include "system/program.hpp"

namespace vmaf::system {

std::string program_path() { return {}; }
unsigned usable_processors() { return 1; }
// Threads need shared memory, for which the server must send special headers. A page scores in several workers instead.
bool has_threads() { return false; }

} // namespace vmaf::system
