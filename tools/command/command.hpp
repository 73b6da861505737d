// The whole `vmaf` command as a function: main() of the tool, and the scoring process of vmaf-tune.
#pragma once

namespace vmaf::cli {

// Returns the exit status. `report_descriptor` gets the number of frames while they are scored, one per line.
int vmaf_command(int argc, char **argv, int report_descriptor = -1);

} // namespace vmaf::cli
