#include "jobs/run_folder.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "rows/row.hpp"
#include "system/files.hpp"
#include "system/filesystem.hpp"
#include "system/host.hpp"
#include "system/output_file.hpp"
#include "system/trust.hpp"
#include "text/json_text.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

constexpr int kVersion = 3; // 1: hooks told a command its part; 2: lines of rows started with the rows
constexpr const char *kUnit = "{\"unit\":", *kGood = ",\"failed\":false,", *kFailed = ",\"failed\":true,";
constexpr const char *kRooms[] = {"phases", "claims", "rows", "tasks", "nodes", "errors", "encodes", "logs"};
constexpr std::size_t kClaimsInFolder = 1000;

std::string content_of(const std::string &path) {
    fs::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_whole(const std::string &path, const std::string &text) {
    system::write_output_file(path, [&](const auto &out) { out(text); });
}

// The unit of a line written by add_result(), with its outcome. Empty if the line is damaged.
std::optional<std::size_t> read_head(const std::string &line, UnitOutcome &outcome) {
    const std::size_t digits = std::string_view(kUnit).size();
    const std::size_t after = line.find(',', digits);
    if (!line.starts_with(kUnit) || after == std::string::npos || after == digits || !line.ends_with("]}")) return {};
    const std::string number = line.substr(digits, after - digits);
    const std::string_view rest = std::string_view(line).substr(after);
    if (number.find_first_not_of("0123456789") != std::string::npos) return {};
    outcome.has_failed = rest.starts_with(kFailed);
    if (!outcome.has_failed && !rest.starts_with(kGood)) return {};
    if (outcome.has_failed) {
        const json whole = json::parse(line, nullptr, false);
        if (!whole.is_object()) return {};
        outcome.failure = whole.value("failure", "");
        outcome.exit_code = ExitCode(whole.value("exit_code", 0));
    }
    return std::strtoull(number.c_str(), nullptr, 10);
}

} // namespace

RunFolder RunFolder::create(const std::string &shared, Manifest manifest) {
    char when[32];
    const std::tm parts = system::utc(std::time(nullptr));
    std::strftime(when, sizeof when, "%Y%m%d-%H%M%S-", &parts);
    manifest.id = when + random_id().substr(0, 6);
    RunFolder run;
    run.path_ = fs::absolute(shared).lexically_normal().string() + "/runs/" + manifest.id;
    system::make_folders(fs::path(run.path_).parent_path().string());
    if (!system::make_own_folder(run.path_)) throw Error(EIO, "'" + run.path_ + "' cannot be made");
    for (const char *room : kRooms) system::make_folders(run.path_ + "/" + room);
    run.make_claim_folders(manifest.units.size());
    if (manifest.store.empty()) manifest.store = run.path_ + "/store"; // uses nothing of other runs
    write_whole(run.path_ + "/run.json", json_line({{"version", kVersion},
                                                    {"id", manifest.id},
                                                    {"command", manifest.command},
                                                    {"working_folder", manifest.working_folder},
                                                    {"store", manifest.store},
                                                    {"arguments", manifest.arguments},
                                                    {"units", manifest.units}}) +
                                             "\n");
    run.manifest_ = std::move(manifest);
    return run;
}

RunFolder::RunFolder(const std::string &path) : path_(fs::absolute(path).lexically_normal().string()) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
    const std::string file = path_ + "/run.json";
    std::string danger;
    json stored = json::parse(system::content_if_own(file, danger), nullptr, false);
    if (!danger.empty()) throw system::Untrusted("the run in '" + path_ + "' is not used, because " + danger);
    try {
        if (const int version = stored.at("version"); version != kVersion)
            throw Error(EINVAL, "'" + path_ + "' is the folder of a run of another version of vmaf-tune (format " +
                                    std::to_string(version) + ", not " + std::to_string(kVersion) +
                                    "); use the version that began it, or begin the run again");
        manifest_.id = stored.at("id");
        manifest_.command = stored.at("command");
        manifest_.working_folder = stored.at("working_folder");
        manifest_.store = stored.at("store");
        manifest_.arguments = stored.at("arguments");
        manifest_.units = std::move(stored.at("units").get_ref<json::array_t &>());
    } catch (const json::exception &) {
        throw Error(ENOENT, "'" + path_ + "' is not the folder of a run (run.json is missing or damaged)");
    }
    read_phases();
}

void RunFolder::make_claim_folders(std::size_t units) const {
    for (std::size_t i = 0; i <= units / kClaimsInFolder; i++)
        system::make_folders(path_ + "/claims/" + std::to_string(i));
}

void RunFolder::add_phase(const std::vector<json> &units) {
    make_claim_folders(manifest_.units.size() + units.size());
    write_whole(phase_path(manifest_.phases.size()), json_line(units) + "\n");
    read_phases();
}

void RunFolder::read_phases() {
    for (std::error_code error; fs::exists(phase_path(manifest_.phases.size()), error);) {
        const json units = json::parse(content_of(phase_path(manifest_.phases.size())), nullptr, false);
        if (!units.is_array() || units.empty())
            throw Error(EINVAL, "'" + phase_path(manifest_.phases.size()) + "' is damaged");
        manifest_.phases.push_back(manifest_.units.size());
        manifest_.units.insert(manifest_.units.end(), units.begin(), units.end());
    }
}

std::string RunFolder::claim_path(std::size_t unit) const {
    return path_ + "/claims/" + std::to_string(unit / kClaimsInFolder) + "/" + std::to_string(unit);
}

bool RunFolder::claim(std::size_t unit, const std::string &who) {
    return system::claim_file(claim_path(unit), who + "\n");
}

std::size_t RunFolder::add_attempt(std::size_t unit, const std::string &who) {
    system::GrowingFile(claim_path(unit), system::GrowingFile::Start::at_end).append(who + "\n");
    return attempts(unit).size();
}

std::vector<std::string> RunFolder::attempts(std::size_t unit) const {
    std::vector<std::string> lines;
    fs::ifstream file(claim_path(unit));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

void RunFolder::release(std::size_t unit) {
    std::error_code ignored;
    fs::remove(claim_path(unit), ignored);
}

std::vector<bool> RunFolder::claimed() const {
    std::vector<bool> taken(manifest_.units.size(), false);
    std::error_code error;
    for (std::size_t i = 0; i <= manifest_.units.size() / kClaimsInFolder; i++)
        for (const auto &entry : fs::directory_iterator(path_ + "/claims/" + std::to_string(i), error)) {
            const std::size_t unit = std::strtoull(entry.path().filename().string().c_str(), nullptr, 10);
            if (unit < taken.size()) taken[unit] = true;
        }
    return taken;
}

std::vector<std::size_t> RunFolder::claims_of_task(const std::string &task) const {
    std::vector<std::size_t> units;
    fs::ifstream file(path_ + "/tasks/" + task);
    for (std::string line; std::getline(file, line);)
        if (const std::size_t unit = std::strtoull(line.c_str(), nullptr, 10); unit < manifest_.units.size())
            units.push_back(unit);
    return units;
}

void RunFolder::note_claims(const std::string &task, const std::vector<std::size_t> &units) {
    std::string text;
    for (const std::size_t unit : units) text += std::to_string(unit) + "\n";
    system::GrowingFile(path_ + "/tasks/" + task, system::GrowingFile::Start::at_end).append(text);
}

void RunFolder::add_result(const std::string &who, std::size_t unit, const UnitResult &result) {
    const bool has_failed = !result.failure.empty() || std::ranges::any_of(result.rows, [](const json &row) {
        return row.is_object() && row.value("exit_status", 0) != 0;
    });
    std::string line = kUnit + std::to_string(unit) + (has_failed ? kFailed : kGood);
    if (!result.failure.empty())
        line += "\"failure\":" + json_line(result.failure) + ",\"exit_code\":" + std::to_string(result.exit_code) + ",";
    line += "\"rows\":" + json_line(result.rows) + "}\n";
    system::GrowingFile(path_ + "/rows/" + who + ".jsonl", system::GrowingFile::Start::after_whole_lines).append(line);
}

void RunFolder::note_node(const std::string &name) {
    if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos) return; // not a node name
    system::GrowingFile(path_ + "/nodes/" + name, system::GrowingFile::Start::at_end);
}

std::vector<std::string> RunFolder::nodes() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(path_ + "/nodes", error))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

void RunFolder::add_error(const TaskError &error) {
    write_whole(
        path_ + "/errors/" + error.who,
        json_line(
            {{"who", error.who}, {"node", error.node}, {"message", error.message}, {"exit_code", error.exit_code}}) +
            "\n");
}

std::vector<TaskError> RunFolder::errors() const {
    std::vector<TaskError> all;
    std::error_code failed;
    for (const auto &entry : fs::directory_iterator(path_ + "/errors", failed)) {
        const json stored = json::parse(content_of(entry.path().string()), nullptr, false);
        if (stored.is_object())
            all.push_back({stored.value("who", ""), stored.value("node", ""), stored.value("message", ""),
                           ExitCode(stored.value("exit_code", 0))});
    }
    std::ranges::sort(all, [](const TaskError &a, const TaskError &b) { return a.who < b.who; });
    return all;
}

const std::map<std::size_t, UnitOutcome> &RunFolder::outcomes() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(path_ + "/rows", error))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    for (const std::string &name : names) {
        auto file = std::ranges::find_if(files_, [&](const RowFile &f) { return f.name == name; });
        if (file == files_.end()) file = files_.insert(files_.end(), {name, 0});
        if (fs::file_size(path_ + "/rows/" + name, error) > file->bytes_read && !error)
            read_lines(static_cast<std::size_t>(file - files_.begin()));
    }
    return outcomes_;
}

// What was added to a file of rows, without parsing the rows.
void RunFolder::read_lines(std::size_t file) {
    std::uint64_t &from = files_[file].bytes_read;
    fs::ifstream in(path_ + "/rows/" + files_[file].name, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(from));
    for (std::string line; std::getline(in, line) && !in.eof();) { // a line without an end is incomplete
        UnitOutcome outcome{.file = file, .from = from, .bytes = line.size()};
        from += line.size() + 1;
        const std::optional<std::size_t> unit = read_head(line, outcome);
        if (unit && *unit < manifest_.units.size()) outcomes_.try_emplace(*unit, std::move(outcome));
    }
}

void RunFolder::each_unit(std::size_t units, const UseOfUnit &use) {
    constexpr std::size_t kMostOpen = 64; // consecutive units mostly come from one task
    std::map<std::size_t, fs::ifstream> open;
    if (units == 0) return;
    std::string line;
    for (const auto &[unit, outcome] : outcomes()) {
        if (unit >= units) return;
        if (!open.contains(outcome.file) && open.size() == kMostOpen) open.clear();
        auto [file, is_new] = open.try_emplace(outcome.file);
        const std::string path = path_ + "/rows/" + files_[outcome.file].name;
        if (is_new) file->second.open(path, std::ios::binary);
        line.resize(outcome.bytes);
        file->second.seekg(static_cast<std::streamoff>(outcome.from));
        file->second.read(line.data(), static_cast<std::streamsize>(line.size()));
        json entry = file->second ? json::parse(line, nullptr, false) : json();
        if (!entry.is_object() || !entry.contains("rows") || !entry["rows"].is_array())
            throw Error(EIO, "'" + path + "' is damaged: the rows of unit " + std::to_string(unit) + " cannot be read");
        UnitRows found(manifest_.units[unit], std::move(entry["rows"].get_ref<json::array_t &>()));
        found.failure = outcome.failure;
        use(found);
    }
}

std::size_t RunFolder::left(std::size_t phase) {
    const std::size_t first = manifest_.phases[phase], last = manifest_.phase_end(phase);
    const auto &known = outcomes();
    return last - first - static_cast<std::size_t>(std::distance(known.lower_bound(first), known.lower_bound(last)));
}

JobRows RunFolder::rows(std::size_t units) {
    JobRows rows;
    each_unit(units, [&](UnitRows &unit) { rows.push_back(std::move(unit)); });
    return rows;
}

json RunFolder::state() const {
    json state = json::parse(content_of(path_ + "/state.json"), nullptr, false);
    return state.is_object() ? state : json::object();
}

RunFolder::Lock::Lock(RunFolder &run) : run_(run), lock_(system::FileLock::wait_for(run.path_ + "/lock")) {}

void RunFolder::Lock::write(const json &state) { write_whole(run_.path_ + "/state.json", json_line(state) + "\n"); }

std::vector<std::string> runs_in(const std::string &shared) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(shared + "/runs", error))
        if (fs::exists(entry.path() / "run.json", error)) found.push_back(entry.path().string());
    std::ranges::sort(found);
    return found;
}

} // namespace vmaf::tune
