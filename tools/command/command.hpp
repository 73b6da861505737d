// The whole `vmaf` command as a function.
#pragma once

namespace vmaf::cli {

int vmaf_command(int argc, char **argv); // returns the exit status

} // namespace vmaf::cli
