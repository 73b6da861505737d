// Processes that were made by copying this one, with its memory and without its other threads.
#pragma once

namespace vmaf::system {

// Differs between a process and those that were forked from it. On systems without fork() it is always the same.
long process_mark() noexcept;

} // namespace vmaf::system
