// The subcommands, each with its flags, in the order of help.
#pragma once

#include "commands/command.hpp"

namespace vmaf::tune {

void add_corpus(Commands &commands);
void add_search(Commands &commands);
void add_sample(Commands &commands);
void add_encode(Commands &commands);
void add_score(Commands &commands);
void add_compare(Commands &commands);
void add_benchmark(Commands &commands);
void add_ladder(Commands &commands);
void add_per_shot(Commands &commands);
void add_fast(Commands &commands);
void add_predict(Commands &commands);
void add_report(Commands &commands);
void add_status(Commands &commands);
void add_doctor(Commands &commands);
void add_cache(Commands &commands);
void add_completions(Commands &commands);

// Adds all of them; help, manual and completion derive from here.
void add_commands(Commands &commands);

// The job of a command line stored with a cluster run, for its tasks and its end.
JobCommand job_of_run(const std::string &folder);

} // namespace vmaf::tune
