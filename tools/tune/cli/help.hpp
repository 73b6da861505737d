// The layout of --help: 80 columns, common options first.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vmaf::tune {

class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_option(const CLI::Option *option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option *option) const override;
    std::string make_subcommand(const CLI::App *sub) const override;
};

} // namespace vmaf::tune
