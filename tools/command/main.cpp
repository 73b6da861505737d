#include "command.hpp"

int main(int argc, char **argv) { return vmaf::cli::vmaf_command(argc, argv); }
