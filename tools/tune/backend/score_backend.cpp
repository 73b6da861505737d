#include "backend/score_backend.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "device/backends.hpp"
#include "system/host.hpp"

namespace vmaf::tune {

using nlohmann::json;

namespace {

constexpr auto kProbeLimit = std::chrono::seconds(5);

constexpr bool can_be_wished_for(std::string_view name) {
    for (const auto &choice : kBackendWishes)
        if (choice.word == name) return true;
    return false;
}
static_assert(std::ranges::all_of(kBackends, [](const BackendRow &row) { return can_be_wished_for(row.name); }));

bool contains_ci(const std::string &text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
           }) != text.end();
}

std::optional<ChildResult> run_limited(const Arguments &command) {
    if (!find_program(command.at(0))) return std::nullopt;
    RunOptions options;
    options.timeout = kProbeLimit;
    try {
        return run_child(command, options);
    } catch (const Error &) {
        return std::nullopt;
    }
}

// Looks for an agent in rocminfo's output whose device type is GPU; processors do not count.
bool has_gpu_agent(const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find("Device Type:") != std::string::npos && line.find("GPU") != std::string::npos) return true;
    return false;
}

void survey_from_capabilities(const json &document, BackendSurvey &survey) {
    survey.from_capabilities = true;
    survey.version =
        document.value("implementation", std::string("vmaf")) + " " + document.value("version", std::string("unknown"));
    const json details = document.value("details", json::object());
    for (const json &entry : document["backends"]) {
        if (!entry.is_string()) continue;
        const std::string name = entry.get<std::string>();
        BackendState &state = survey.states[name];
        state.supported = true;
        const json detail = details.value(name, json::object());
        state.usable = name == "cpu" || detail.value("usable", false);
        if (!state.usable) state.reason = detail.value("reason", std::string("the scorer cannot start it"));
    }
}

} // namespace

const std::vector<std::string> &gpu_words() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> list;
        for (const auto &[word, wish] : kBackendWishes)
            if (wish != BackendWish::automatic && wish != BackendWish::cpu) list.emplace_back(word);
        return list;
    }();
    return words;
}

const std::vector<std::string> &backend_order() {
    static const std::vector<std::string> order = [] {
        std::vector<std::string> list = gpu_words();
        const auto metal = std::ranges::find(list, "metal");
        if (system::has_metal())
            std::rotate(list.begin(), metal, metal + 1);
        else
            list.erase(metal);
        list.emplace_back("cpu");
        return list;
    }();
    return order;
}

std::vector<std::string> BackendSurvey::usable() const {
    std::vector<std::string> list;
    for (const std::string &name : backend_order())
        if (const auto found = states.find(name);
            found != states.end() && found->second.usable && !found->second.only_on_request)
            list.push_back(name);
    if (const auto metal = states.find("metal");
        metal != states.end() && metal->second.usable && !contains(list, "metal"))
        list.insert(list.begin(), "metal");
    return list;
}

std::string BackendSurvey::reasons() const {
    std::string text;
    for (const std::string &name : backend_order()) {
        const auto found = states.find(name);
        const bool is_built = found != states.end() && found->second.supported;
        if (is_built && found->second.usable && !found->second.only_on_request) continue;
        const std::string why = !is_built                       ? "not built"
                                : found->second.only_on_request ? "software device; only on request"
                                                                : found->second.reason;
        add_item(text, name + ": " + why);
    }
    return text;
}

std::vector<std::string> backends_in_help(const std::string &help) {
    std::vector<std::string> found = {"cpu"};
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string::npos || line.compare(start, 9, "--backend") != 0) continue;
        std::string token;
        for (const char c : line.substr(start + 9) + " ") {
            if (c == '|' || c == ' ' || c == '.' || c == '\t' || c == ',' || c == '<' || c == '>') {
                if (contains(gpu_words(), token) && !contains(found, token)) found.push_back(token);
                token.clear();
            } else {
                token += c;
            }
        }
    }
    return found;
}

namespace {

HostProbe ask_host(const std::string &backend) {
    HostProbe probe{.backend = backend, .command = "", .verdict = ""};
    const auto try_one = [&](const Arguments &command, const std::function<bool(const std::string &)> &shows) {
        add_item(probe.command, shell_quoted(command), ", then ");
        const auto outcome = run_limited(command);
        if (!outcome) {
            probe.verdict = command.at(0) + " is not installed";
            return false;
        }
        probe.seconds += outcome->seconds;
        probe.available = outcome->ok() && shows(outcome->out);
        probe.verdict = probe.available      ? "a device was found"
                        : outcome->timed_out ? command.at(0) + " did not answer within 5 s"
                        : outcome->code != 0 ? command.at(0) + " ended with status " + std::to_string(outcome->code)
                                             : command.at(0) + " shows no device";
        return probe.available;
    };
    if (backend == "cpu") {
        probe.available = true;
        probe.verdict = "always";
    } else if (backend == "cuda") {
        try_one({"nvidia-smi", "-L"}, [](const std::string &out) { return out.find("GPU") != std::string::npos; });
    } else if (backend == "sycl") {
        try_one({"sycl-ls"}, [](const std::string &out) {
            std::istringstream lines(out);
            for (std::string line; std::getline(lines, line);)
                if (line.find('[') != std::string::npos && contains_ci(line, ":gpu")) return true;
            return false;
        });
    } else if (backend == "hip") {
        if (!try_one({"rocminfo"}, has_gpu_agent))
            try_one({"rocm-smi", "--showproductname"}, [](const std::string &out) {
                return out.find("GPU[") != std::string::npos || out.find("Card") != std::string::npos;
            });
    } else if (backend == "vulkan") {
        try_one({"vulkaninfo", "--summary"}, [&](const std::string &out) {
            std::size_t devices = 0, processors = 0;
            std::istringstream lines(out);
            for (std::string line; std::getline(lines, line);) {
                devices += line.find("deviceName") != std::string::npos;
                processors += line.find("PHYSICAL_DEVICE_TYPE_CPU") != std::string::npos;
            }
            probe.is_software = devices > 0 && processors >= devices;
            return devices > 0;
        });
        if (probe.is_software) probe.verdict = "software device; used only on request";
    } else {
        probe.verdict = "needs macOS";
    }
    return probe;
}

} // namespace

std::vector<HostProbe> HostProbes::ask(const std::vector<std::string> &backends) {
    std::vector<Later<HostProbe> *> answers;
    {
        const std::lock_guard lock(mutex_);
        for (const std::string &name : backends)
            answers.push_back(&asked_.try_emplace(name, [name] { return ask_host(name); }).first->second);
    }
    std::vector<HostProbe> probes;
    for (Later<HostProbe> *answer : answers) probes.push_back(answer->get());
    return probes;
}

BackendSurvey survey_backends(const Arguments &command, HostProbes &hosts) {
    BackendSurvey survey;
    survey.states["cpu"] = {true, true, false, ""};
    Arguments ask = command;
    ask.push_back("--capabilities");
    const auto answer = run_limited(ask);
    if (answer && answer->ok()) {
        const json document = json::parse(answer->out, nullptr, false);
        if (document.is_object() && document.contains("backends") && document["backends"].is_array()) {
            survey.has_answered = true;
            survey_from_capabilities(document, survey);
            survey.takes_precision = document.contains("implementation"); // ours
            survey.states["cpu"] = {true, true, false, ""};
            return survey;
        }
    }
    ask.back() = "--help";
    const auto help = run_limited(ask);
    const std::vector<std::string> supported =
        help ? backends_in_help(help->out + "\n" + help->error_tail) : std::vector<std::string>{"cpu"};
    survey.has_answered = help.has_value();
    const std::string text = help ? help->out + "\n" + help->error_tail : "";
    survey.takes_backend = text.find("--backend") != std::string::npos;
    survey.takes_precision = text.find("--precision") != std::string::npos;
    for (const HostProbe &probe : hosts.ask({supported.begin() + 1, supported.end()}))
        survey.states[probe.backend] = {true, probe.available, probe.is_software, probe.available ? "" : probe.verdict};
    return survey;
}

std::string resolve_backend(BackendWish wish, const BackendSurvey &survey, HostProbes &hosts) {
    const std::vector<std::string> usable = survey.usable();
    if (wish == BackendWish::automatic) return usable.empty() ? "cpu" : usable.front();
    const std::string word = word_of(kBackendWishes, wish);
    const auto found = survey.states.find(word);
    if (found != survey.states.end() && found->second.usable) return word;
    const HostProbe host = hosts.ask({word}).front();
    const std::string why = found == survey.states.end() || !found->second.supported
                                ? "the scorer was built without it"
                                : "the scorer cannot use it here (" + found->second.reason + ")";
    throw Error(ENODEV, "--score-backend " + word + " is not usable: " + why + "; on this machine: " + host.verdict +
                            "; usable: " + joined(usable) +
                            ". Nothing was encoded. Check the driver with `vmaf-tune doctor`, build the " +
                            "library with " + word + ", or use --score-backend auto");
}

} // namespace vmaf::tune
