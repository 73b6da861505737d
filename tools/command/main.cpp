#include "command.hpp"
#include "system/startup.hpp"

int main(int argc, char **argv) {
    vmaf::system::Arguments arguments(argc, argv);
    return vmaf::cli::vmaf_command(arguments.count(), arguments.words());
}
