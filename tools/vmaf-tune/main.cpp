// vmaf-tune: finds encodes for a quality target.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include "base/error.hpp"
#include "cli/config.hpp"
#include "cli/run.hpp"
#include "command.hpp"
#include "commands/commands.hpp"
#include "config.h"
#include "rows/row.hpp"

namespace {

using namespace vmaf::tune;

// Flags that people mean something else by (2.2).
void hint_at_mistakes(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i++)
        if (std::strcmp(argv[i], "--vmaf") == 0)
            std::fprintf(stderr, "vmaf-tune: did you mean --target-vmaf %s?\n", argv[i + 1]);
}

// The last lines of --progress json, whatever ended the command.
void send_end(const Options &options, int code, const std::string &error) {
    if (options.progress != "json") return;
    const auto send = [&](const nlohmann::json &object) {
        const std::string text = row_text(object) + "\n";
        (void)!::write(options.progress_fd, text.data(), text.size());
    };
    if (!error.empty()) send({{"type", "error"}, {"ts", utc_timestamp()}, {"message", error}, {"exit_code", code}});
    send({{"type", "end"}, {"ts", utc_timestamp()}, {"exit_code", code}});
}

int fail(const Options &options, const std::string &subcommand, int code, const std::string &sentence) {
    send_end(options, code, sentence);
    std::fprintf(stderr, "vmaf-tune%s%s: %s\n", subcommand.empty() ? "" : " ", subcommand.c_str(), sentence.c_str());
    return code;
}

} // namespace

int main(int argc, char **argv) {
    // The scorer's own process: the vmaf command inside this executable (a crash fails one probe, not the sweep).
    if (argc > 1 && std::strcmp(argv[1], "__vmaf") == 0) {
        constexpr std::string_view kReport = "--progress-fd=";
        if (argc < 3 || !std::string_view(argv[2]).starts_with(kReport))
            return vmaf::cli::vmaf_command(argc - 1, argv + 1);
        const int report = std::atoi(argv[2] + kReport.size());
        argv[2] = argv[1];
        return vmaf::cli::vmaf_command(argc - 2, argv + 2, report);
    }

    interruption::install_handlers();
    Options options;
    int exit_code = kExitOk;
    CLI::App app("Finds encodes for a quality target: drives FFmpeg's encoders and scores what they make.",
                 "vmaf-tune");
    app.set_version_flag("--version", VMAF_VERSION);
    app.require_subcommand(1);
    app.fallthrough(false);
    app.footer("`vmaf-tune COMMAND --help` shows the flags and examples of a command.");
    bind_commands(app, options, exit_code);
    const auto subcommand = [&] {
        const auto parsed = app.get_subcommands();
        return parsed.empty() ? std::string() : parsed.front()->get_name();
    };
    try {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        add_defaults(app, arguments);
        std::reverse(arguments.begin(), arguments.end()); // the order that the parser wants
        app.parse(arguments);
        send_end(options, exit_code, "");
        return exit_code;
    } catch (const CLI::Success &e) {
        app.exit(e);
        return kExitOk;
    } catch (const CLI::ParseError &e) {
        hint_at_mistakes(argc, argv);
        return fail(options, subcommand(), kExitUsage, std::string(e.what()) + " (see --help)");
    } catch (const CommandError &e) {
        return fail(options, subcommand(), e.code(), e.what());
    } catch (const vmaf::Error &e) {
        return fail(options, subcommand(), e.code() == ENOSPC || e.code() == EIO ? kExitOutput : kExitUsage, e.what());
    } catch (const std::exception &e) {
        return fail(options, subcommand(), kExitInternal, std::string(e.what()) + "; this is a bug, please report it");
    }
}
