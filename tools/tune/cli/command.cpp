#include "cli/command.hpp"

#include <CLI/CLI.hpp>

namespace vmaf::tune {

CLI::App &Commands::add_app(const CommandText &text) {
    CLI::App &command = *app_.add_subcommand(text.name, text.summary);
    for (const std::string &alias : text.aliases) command.alias(alias);
    command.footer("Examples:\n" + text.examples);
    return command;
}

const Command *Commands::chosen() const {
    for (const Command &command : list_)
        if (command.app->parsed()) return &command;
    return nullptr;
}

} // namespace vmaf::tune
