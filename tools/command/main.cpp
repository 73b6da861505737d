#include <cstdio>
#include <new>

#include "command.hpp"
#include "exit_code.hpp"
#include "system/startup.hpp"

int main(int argc, char **argv) {
    try {
        vmaf::system::Arguments arguments(argc, argv);
        return vmaf::system::end_with_output("vmaf", vmaf::cli::vmaf_command(arguments.count(), arguments.words()),
                                             static_cast<int>(vmaf::cli::ExitCode::setup));
    } catch (const std::bad_alloc &) {
        std::fputs("vmaf: not enough memory to start\n", stderr);
        return static_cast<int>(vmaf::cli::ExitCode::setup);
    }
}
