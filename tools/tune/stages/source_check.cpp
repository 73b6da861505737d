#include "stages/source_check.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "hash/sha256.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

// Errors in a stream that decoders conceal; empty: none.
std::string stream_damage(const std::string &messages) {
    std::istringstream lines(messages);
    std::string first;
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view kSigns[] = {"rror while decoding",
                                               "orrupt",
                                               "nvalid data found",
                                               "Invalid NAL",
                                               "decode_slice_header error",
                                               "rror submitting",
                                               "no frame!",
                                               "Failed to decode",
                                               "runcat",
                                               "cabac decode",
                                               "overread",
                                               "damaged at",
                                               "bitstream error",
                                               "error decoding"};
        if (line.find("Broken pipe") != std::string::npos) continue; // the reader has gone
        if (std::none_of(std::begin(kSigns), std::end(kSigns),
                         [&](std::string_view sign) { return line.find(sign) != std::string::npos; }))
            continue;
        if (count++ == 0) first = line.substr(line.starts_with("[") ? std::min(line.find("] ") + 2, line.size()) : 0);
    }
    return count == 0 ? "" : "\"" + first + "\"" + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "");
}

Arguments check_command(const Programs &programs, const Source &source, unsigned threads) {
    Arguments command = {programs.ffmpeg, "-hide_banner",         "-nostdin", "-v", "error",
                         "-threads",      std::to_string(threads)};
    append(command, source.input_arguments());
    append(command, {"-i", ffmpeg_path(source.path), "-map", "0:v:" + std::to_string(source.stream), "-fps_mode",
                     "passthrough", "-f", "null", "-"});
    return command;
}

} // namespace

Outcome decode_outcome(const ChildResult &end, bool is_reference) {
    // A decoder whose output is no longer read is not at fault.
    if (end.code == 0 || end.code == 141 || end.error_tail.find("Broken pipe") != std::string::npos) return {};
    return {is_reference ? OutcomeKind::reference_undecodable : OutcomeKind::encode_undecodable,
            explain_failure(is_reference ? "decoding the reference" : "decoding the encode", end.code, end.error_tail),
            "", end.error_tail};
}

Outcome damage_outcome(const ChildResult &end, bool is_reference, bool is_allowed, std::vector<std::string> &remarks) {
    const std::string damage = stream_damage(end.error_tail);
    if (damage.empty()) return {};
    const std::string sentence =
        std::string("the ") + (is_reference ? "source" : "distorted video") + " is damaged; its decoder says " + damage;
    if (is_reference && !is_allowed)
        return {OutcomeKind::reference_undecodable,
                sentence + "; repair it, or use --allow-damaged, and do not trust the scores", "", end.error_tail};
    remarks.push_back(sentence + (is_reference ? "; scores of damaged pictures are meaningless" : ""));
    return {};
}

// Starts it, unless its answer is known.
SourceChecks::Check &SourceChecks::check_of(const Programs &programs, const Source &source) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Check> &check = checks_[source.path];
    if (check) return *check;
    auto made = std::make_unique<Check>();
    const json key = {"decodes-1", source.id, source.stream, programs.ffmpeg, programs.ffmpeg_version};
    if (!source.id.empty()) made->key = sha256_hex(json_line(key));
    const bool is_known = read_stored(programs.facts, Cache::Kind::fact, made->key, [&](const json &stored) {
        made->end.code = stored.at("code");
        made->end.error_tail = stored.at("err");
    });
    if (is_known)
        made->key.clear(); // stored already
    else
        made->child = std::make_unique<PipedChild>(check_command(programs, source, threads_));
    check = std::move(made); // one that could not be started has no answer
    return *check;
}

void SourceChecks::begin(const Programs &programs, const Source &source) { check_of(programs, source); }

// It prints nothing; its output closes when it ends.
void SourceChecks::wait_for(PipedChild &child) const {
    RunOptions options;
    options.timeout = timeout_;
    options.progress_marker = processor_time;
    Patience patience(options, child.number());
    std::array<system::Waited, 1> output = {{{child.output()}}};
    for (;;) {
        const bool is_ready = system::wait_for_input(output, patience.wait());
        if (patience.is_over(is_ready)) return child.kill();
        if (is_ready && !read_text(child.output(), [](std::string_view) {})) return;
    }
}

Outcome SourceChecks::outcome(const Programs &programs, const Source &source, bool is_damage_allowed,
                              std::vector<std::string> &remarks) {
    Check &check = check_of(programs, source);
    const std::lock_guard lock(check.mutex);
    if (check.child) {
        wait_for(*check.child);
        check.end = check.child->wait();
        check.child.reset();
    }
    const Outcome outcome = decode_outcome(check.end, true);
    if (!outcome.ok()) return outcome;
    const json answer = {{"code", check.end.code}, {"err", check.end.error_tail}};
    if (!check.end.interrupted &&
        try_store(programs.facts, Cache::Kind::fact, check.key, answer, "damage of " + source.path).empty())
        check.key.clear();
    return damage_outcome(check.end, true, is_damage_allowed, remarks);
}

void SourceChecks::give_up(const Source &source) {
    const std::lock_guard lock(mutex_);
    given_up_.insert(source.path);
}

bool SourceChecks::is_given_up(const Source &source) const {
    const std::lock_guard lock(mutex_);
    return given_up_.contains(source.path);
}

} // namespace vmaf::tune
