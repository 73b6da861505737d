// Questions to programs about themselves: asked once per process, in parallel, and cached between runs.
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/thread_group.hpp"
#include "hash/sha256.hpp"
#include "stages/encode.hpp"
#include "system/filesystem.hpp"

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
    return sha256_hex(key.dump(-1, ' ', false, json::error_handler_t::replace));
}

ChildResult answer_of(Cache *facts, const Arguments &command) {
    const std::string key = facts ? key_of(command) : "";
    if (!facts || key.empty()) return run_child(command);
    if (const auto text = facts->find(Cache::Kind::fact, key)) try {
            const json stored = json::parse(*text);
            ChildResult outcome;
            outcome.out = stored.at("out");
            outcome.error_tail = stored.at("err");
            return outcome;
        } catch (const json::exception &) { // a damaged entry counts as a miss
        }
    ChildResult outcome = run_child(command);
    if (!outcome.ok()) return outcome;
    const json stored = {{"out", outcome.out}, {"err", outcome.error_tail}};
    try {
        facts->store(Cache::Kind::fact, key, stored.dump(-1, ' ', false, json::error_handler_t::replace),
                     shell_quoted(command));
    } catch (const Error &) { // it is asked again
    }
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
