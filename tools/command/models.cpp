#include "models.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "exit_code.hpp"
#include "scores/feature_name.hpp"
#include "scores/pooling.hpp"
#include "suggestion.hpp"
#include "system/log.hpp"

namespace vmaf::cli {

namespace {

// The limit of --model auto: the 4K model is for 2160 lines, the default for 1080; from here the former is closer.
constexpr unsigned kLargeLines = 1800;
constexpr std::string_view kUsualModel = "vmaf_v0.6.1", kLargeModel = "vmaf_4k_v0.6.1";

LoadedModel load_version(const ModelArgument &argument) {
    const auto versions = builtin_models();
    const auto found = std::find_if(versions.begin(), versions.end(),
                                    [&](const BuiltinModel &m) { return m.version == argument.version; });
    if (found == versions.end()) {
        std::vector<std::string_view> names;
        for (const BuiltinModel &m : versions) names.push_back(m.version);
        throw invalid("there is no built-in model '" + argument.version + "'" + did_you_mean(argument.version, names) +
                      " (--list_models shows all)");
    }
    if (!found->is_collection) return {argument.label(), load_builtin_model(argument.version, argument.config), {}};
    auto [base, collection] = load_builtin_model_collection(argument.version, argument.config);
    return {argument.label(), std::move(base), std::move(collection)};
}

LoadedModel load_path(const ModelArgument &argument) {
    std::string single_problem;
    try {
        return {argument.label(), load_model_file(argument.path, argument.config), {}};
    } catch (const Error &e) {
        single_problem = e.what();
    }
    try {
        auto [base, collection] = load_model_collection_file(argument.path, argument.config);
        return {argument.label(), std::move(base), std::move(collection)};
    } catch (const Error &) {
        throw invalid(single_problem);
    }
}

LoadedModel load(const ModelArgument &argument) {
    if (argument.label().empty())
        throw invalid("model '" + argument.config.name + "' has neither version= nor path=; give one");
    LoadedModel loaded = argument.version.empty() ? load_path(argument) : load_version(argument);
    for (const auto &[extractor, option, value] : argument.overloads) {
        loaded.model.warn_of_idle_overload(extractor, {{option, value}}); // no error (cli-and-formats.md 5)
        loaded.model.overload(extractor, {{option, value}});
        if (loaded.collection) loaded.collection->overload(extractor, {{option, value}});
    }
    return loaded;
}

// The names under which a model's scores are stored.
std::vector<std::string> score_names(const LoadedModel &m) {
    std::vector<std::string> names = {m.model.name()};
    if (!m.collection) return names;
    for (const Model &member : m.collection->members()) names.push_back(member.name());
    for (const char *const suffix : {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"})
        names.push_back(m.collection->name() + suffix);
    return names;
}

// Whether a name can be an XML attribute, as score names are in XML. Accepts all non-ASCII letters.
bool is_xml_name(const std::string &name) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    };
    return is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
           });
}

std::string shown(const NumberFormat &numbers, double value) {
    std::string text;
    numbers.append(text, value);
    return text;
}

// "1 % low 71.2" as gamers put it, "median", "p95".
std::string percentile_text(const ScoreLines &lines, const std::vector<double> &scores) {
    std::string text;
    for (const double p : lines.percentiles) {
        const std::string number = shown(NumberFormat::significant(6), p);
        const std::string name = p < 50 ? number + " % low" : p > 50 ? "p" + number : "median";
        add_item(text, name + " " + shown(lines.numbers, percentile(scores, p)));
    }
    return text;
}

} // namespace

const std::deque<LoadedModel> &ModelSets::of(unsigned height) const {
    return large.empty() || height < kLargeLines ? usual : large;
}

ModelSets load_models(const std::vector<ModelArgument> &arguments) try {
    const auto load_all = [&](std::string_view automatic) {
        std::deque<LoadedModel> models;
        for (ModelArgument argument : arguments) {
            if (argument.is_automatic()) argument.version = automatic;
            models.push_back(load(argument));
        }
        return models;
    };
    const bool is_automatic = std::any_of(arguments.begin(), arguments.end(),
                                          [](const ModelArgument &argument) { return argument.is_automatic(); });
    return {load_all(kUsualModel), is_automatic ? load_all(kLargeModel) : std::deque<LoadedModel>{}};
} catch (const Error &e) {
    throw Failure(ExitCode::setup, e.what());
}

void check_names(const Session &session, const std::deque<LoadedModel> &models) {
    std::map<std::string, std::string> known; // score -> its owner
    for (const std::string &name : session.score_names()) {
        known.emplace(name, "a feature");
        known.emplace(feature_alias(name), "a feature");
    }
    for (const LoadedModel &m : models)
        for (const std::string &name : score_names(m))
            if (const auto [other, is_new] = known.emplace(name, "model '" + m.model.name() + "'"); !is_new)
                throw usage_error("model '" + m.model.name() + "' would give a score '" + name + "', as " +
                                  other->second + " does; choose another name=NAME");
}

void warn_of_odd_names(const std::vector<ModelArgument> &arguments) {
    for (const ModelArgument &argument : arguments)
        if (!is_xml_name(argument.config.name))
            log(LogLevel::warning,
                "the name '" + argument.config.name +
                    "' of a model makes a document that is not well-formed XML; use letters, digits, "
                    "'_', '-' and '.', beginning with a letter, or --json");
}

std::vector<std::string> predict(Session &session, const std::deque<LoadedModel> &models, unsigned frames,
                                 const ScoreLines &wanted) try {
    std::vector<std::string> lines;
    if (frames == 0) throw invalid("the clips have no frames to score");
    const NumberFormat &numbers = wanted.numbers;
    for (const LoadedModel &m : models) {
        const auto pooled = [&](Pooling method) {
            return shown(numbers, session.pooled(m.model, method, 0, frames - 1));
        };
        lines.push_back(m.label + ": " + pooled(Pooling::mean));
        if (wanted.has_extremes)
            lines.back() += " (min " + pooled(Pooling::min) + ", harmonic mean " + pooled(Pooling::harmonic_mean) + ")";
        if (!wanted.percentiles.empty())
            lines.push_back(
                m.label + ": " +
                percentile_text(wanted, session.scores().values(m.model.name(), 0, frames - 1, session.subsample())));
    }
    for (const LoadedModel &m : models) {
        if (!m.collection) continue;
        const CollectionScore score = session.pooled(*m.collection, Pooling::mean, 0, frames - 1);
        lines.push_back(m.label + ": " + shown(numbers, score.bagging) + ", ci.p95: [" +
                        shown(numbers, score.ci_p95_lo) + ", " + shown(numbers, score.ci_p95_hi) +
                        "], stddev: " + shown(numbers, score.stddev));
    }
    return lines;
} catch (const Error &e) {
    throw Failure(ExitCode::setup, e.what());
}

} // namespace vmaf::cli
