// vmaf-tune: finds encodes for a quality target.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/complain.hpp"
#include "cli/config.hpp"
#include "cli/help.hpp"
#include "cli/run.hpp"
#include "commands/commands.hpp"
#include "config.h"
#include "jobs/slurm_run.hpp"
#include "jobs/worker.hpp"
#include "rows/row.hpp"
#include "system/files.hpp"
#include "system/output_file.hpp"
#include "system/startup.hpp"
#include "system/trust.hpp"
#include "text/json_text.hpp"

namespace {

using namespace vmaf::tune;

// The last lines of --progress json, however the command ended.
void send_end(const RunningOptions &options, int code, const std::string &error) {
    if (options.progress != ProgressMode::json) return;
    const auto send = [&](const nlohmann::json &object) {
        const std::string text = json_line(object) + "\n";
        vmaf::system::write_text(options.progress_fd, text);
    };
    if (!error.empty()) send({{"type", "error"}, {"ts", utc_timestamp()}, {"message", error}, {"exit_code", code}});
    send({{"type", "end"}, {"ts", utc_timestamp()}, {"exit_code", code}});
}

int fail(const RunningOptions &options, const std::string &subcommand, int code, const std::string &sentence) {
    send_end(options, code, sentence);
    if (options.json) // the last line of standard output reports the end (14.3)
        std::printf("%s\n", json_line({{"type", "error"}, {"message", sentence}, {"exit_code", code}}).c_str());
    complain(subcommand, sentence);
    return code;
}

void describe(CLI::App &app) {
    app.formatter(help_formatter());
    app.allow_windows_style_options(false); // "/clips/a.mkv" is a path on every system
    app.set_version_flag("--version", VMAF_VERSION);
    app.require_subcommand(1);
    app.fallthrough(false);
    app.footer("Examples:\n"
               "  vmaf-tune encode -i film.mkv -e libx264 --target-vmaf 93 -o out.mkv\n"
               "  vmaf-tune compare -i film.mkv --encoders libx264,libsvtav1 --target-vmaf 93\n"
               "  vmaf-tune ladder -i film.mkv -e libx264 --format hls -o master.m3u8\n\n"
               "`vmaf-tune COMMAND --help` shows the options of a command. Every option without\n"
               "a value has a --no- form.");
}

int run(int argc, char **argv) {
    vmaf::system::prepare_standard_streams();
    interruption::install_handlers(argc > 1 && std::strcmp(argv[1], "__task") == 0);
    CLI::App app("Finds encodes for a quality target: runs FFmpeg's encoders and scores them.", "vmaf-tune");
    describe(app);
    Commands commands(app);
    add_commands(commands);
    const auto failed = [&](int code, std::string sentence) {
        if (interruption::urgent() && code != kExitInterrupted) { // programs that a signal ended seem to have failed
            code = kExitInterrupted;
            sentence = interrupted().what();
        }
        const Command *command = commands.chosen();
        if (code == kExitInterrupted && command && !command->running->no_cache)
            sentence += "; finished probes are in the cache";
        return command ? fail(*command->running, command->app->get_name(), code, sentence)
                       : fail({}, "", code, sentence);
    };
    std::vector<std::string> given(argv + 1, argv + argc);
    try {
        // For cluster runs: `__task FOLDER PHASE TASKS`, and after all of them `__settle FOLDER PHASE`.
        const auto number = [&](std::size_t i) { return std::strtoull(given.at(i).c_str(), nullptr, 10); };
        if (given.size() == 4 && given[0] == "__task")
            return work_as_task(job_of_run(given[1]), {given[1], number(2), number(3)});
        if (given.size() == 3 && given[0] == "__settle") return settle_run(job_of_run(given[1]), given[1], number(2));
        resolve_negations(app, given);
        std::vector<std::string> arguments = given;
        add_defaults(app, arguments);
        const std::vector<std::string> command_line = arguments;
        std::ranges::reverse(arguments); // the parser takes them in reverse
        app.parse(arguments);
        const Command &command = *commands.chosen();
        check_files(command.files());
        const int code = command.run(command_line);
        send_end(*command.running, code, "");
        return code;
    } catch (const CLI::Success &e) {
        app.exit(e);
        return kExitOk;
    } catch (const CLI::ParseError &e) {
        if (const std::string word = unknown_command(app, given); !word.empty()) return failed(kExitUsage, word);
        const std::string hint = hint_for_unknown_flag(app, given);
        return failed(kExitUsage, e.what() + (hint.empty() ? " (see --help)" : "; " + hint));
    } catch (const CommandError &e) {
        return failed(e.code(), e.what());
    } catch (const vmaf::system::OutputError &e) {
        if (e.code() == EPIPE) return vmaf::system::kClosedPipeStatus; // the reader closed the pipe on purpose
        return failed(kExitOutput, e.what());
    } catch (const vmaf::system::Untrusted &e) {
        return failed(kExitOutput, e.what());
    } catch (const vmaf::Error &e) {
        if (e.code() == EBUSY) return failed(kExitFailed, e.what()); // a source that changed
        return failed(e.code() == ENOSPC || e.code() == EIO ? kExitOutput : kExitUsage, e.what());
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::system_error &e) {
        return failed(kExitFailed, std::string(e.what()) +
                                       "; end other programs, use fewer --jobs, or raise the limits on processes and "
                                       "memory (ulimit -u, ulimit -v)");
    } catch (const std::exception &e) {
        return failed(kExitInternal, std::string(e.what()) + "; this is a bug, please report it");
    }
}

constexpr const char *kNoMemory = "vmaf-tune: not enough memory\n"; // printing it needs no memory

// Libraries create objects before main(), where nothing catches: prints a message there too.
struct SayWhereMemoryEnds {
    SayWhereMemoryEnds() {
        std::set_terminate([] {
            try {
                if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
            } catch (const std::bad_alloc &) {
                std::fputs(kNoMemory, stderr);
                std::_Exit(kExitInternal);
            } catch (...) {
            }
            std::abort();
        });
    }
};
__attribute__((init_priority(101))) const SayWhereMemoryEnds say_where_memory_ends;

} // namespace

int main(int argc, char **argv) {
    try {
        vmaf::system::Arguments arguments(argc, argv);
        return vmaf::system::end_with_output("vmaf-tune", run(arguments.count(), arguments.words()), kExitOutput);
    } catch (const std::bad_alloc &) {
        std::fputs(kNoMemory, stderr);
    } catch (const std::exception &e) {
        complain("", e.what());
    }
    return kExitInternal;
}
