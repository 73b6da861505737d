// `compare`, `ladder` and `per-shot` on several machines. The commands themselves say what their parts are and do one
// of them; what a part measures goes to the shared results, out of which the command, run as usual, makes its answer.
#include "base/error.hpp"
#include "cli/command_error.hpp"
#include "commands/commands.hpp"
#include "commands/on_cluster.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

void use_shots(ClusterRequest &o, const json &extra) {
    for (const json &shot : extra.value("shots", json::array())) o.cluster.shots.emplace_back(shot.at(0), shot.at(1));
}

} // namespace

ClusterCommand command_by_parts(const std::string &name, const LocalCommand &run) {
    ClusterCommand command;
    command.name = name;
    command.is_finish_light = false; // it may have to encode a little, and needs the backend of the tasks
    command.plan = [run](const ClusterRequest &given, Manifest &manifest) {
        ClusterRequest o = given;
        o.score_backend = BackendWish::cpu; // nothing is scored here
        bool is_told = false;
        o.cluster.on_parts = [&](const std::vector<std::vector<std::string>> &phases) {
            is_told = true;
            for (const std::vector<std::string> &parts : phases) {
                if (parts.empty()) continue;
                manifest.phases.push_back(manifest.units.size());
                for (const std::string &part : parts) manifest.units.push_back({{"part", part}, {"group", part}});
            }
        };
        o.cluster.on_shots = [&](const std::vector<std::pair<std::int64_t, std::int64_t>> &shots) {
            manifest.extra["shots"] = shots;
        };
        run(o);
        if (!is_told || manifest.units.empty()) throw usage_error("no work is left for other machines");
    };
    command.work = [run](const ClusterRequest &given, const std::vector<json> &units,
                         const std::function<void(std::size_t, const UnitResult &)> &done) {
        for (std::size_t i = 0; i < units.size(); i++) {
            ClusterRequest o = given;
            use_shots(o, o.cluster.extra);
            o.cluster.part = units[i].at("part").get<std::string>();
            o.output = "-"; // to the task's log
            o.cache_failures = true;
            try {
                const int code = run(o);
                done(i, {{json::object({{"exit_code", code}})}, "", 0});
            } catch (const CommandError &e) {
                if (e.code() == kExitInterrupted || e.code() == kExitBackend) throw; // another node may do it
                done(i, {{}, e.what(), e.code()});
            }
        }
    };
    command.finish = [run](const ClusterRequest &given, const Manifest &manifest,
                           const std::map<std::size_t, UnitResult> &) {
        ClusterRequest o = given;
        use_shots(o, manifest.extra);
        o.cache_failures = true; // of this run
        return run(o);
    };
    return command;
}

} // namespace vmaf::tune
