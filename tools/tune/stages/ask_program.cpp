// Questions to programs about themselves: asked once per process, in parallel, and cached between runs.
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/thread_group.hpp"
#include "hash/sha256.hpp"
#include "stages/encode.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

// Key of a question and the program's file; empty if the file cannot be examined.
std::string key_of(const Arguments &command) {
    std::error_code error;
    const fs::path file = fs::canonical(command.at(0), error);
    const auto size = error ? 0 : fs::file_size(file, error);
    const auto changed = error ? fs::file_time_type() : fs::last_write_time(file, error);
    if (error) return {};
    json key = command;
    key.push_back(file.string());
    key.push_back(size);
    key.push_back(changed.time_since_epoch().count());
    return sha256_hex(json_line(key));
}

ChildResult answer_of(Cache *facts, const Arguments &command) {
    const std::string key = facts ? key_of(command) : "";
    ChildResult known;
    const bool is_known = read_stored(facts, Cache::Kind::fact, key, [&](const json &stored) {
        known.out = stored.at("out");
        known.error_tail = stored.at("err");
    });
    if (is_known) return known;
    ChildResult outcome = run_child(command);
    if (outcome.ok())
        try_store(facts, Cache::Kind::fact, key, {{"out", outcome.out}, {"err", outcome.error_tail}},
                  shell_quoted(command));
    return outcome;
}

std::mutex answers_mutex;
std::map<Arguments, Later<ChildResult>> answers;

Later<ChildResult> &asked(const Programs &programs, const Arguments &command) {
    const std::lock_guard lock(answers_mutex);
    const auto ask = [facts = programs.facts, command] { return answer_of(facts, command); };
    return answers.try_emplace(command, ask).first->second;
}

} // namespace

ChildResult ask_program(const Programs &programs, const Arguments &command) { return asked(programs, command).get(); }

void ask_ahead(const Programs &programs, const Arguments &command) { asked(programs, command); }

AnswersAwaited::~AnswersAwaited() {
    const std::lock_guard lock(answers_mutex);
    for (auto &[command, answer] : answers) answer.wait();
}

} // namespace vmaf::tune
