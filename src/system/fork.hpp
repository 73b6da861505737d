// Detects processes created by fork(), which have this one's memory but not its other threads.
#pragma once

namespace vmaf::system {

// Differs between a process and its forked children; constant on systems without fork().
long process_mark() noexcept;

} // namespace vmaf::system
