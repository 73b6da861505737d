// The whole `vmaf` command as a function: main() of the tool, and the scoring process of vmaf-tune.
#pragma once

namespace vmaf::cli {

int vmaf_command(int argc, char **argv); // returns the exit status

} // namespace vmaf::cli
