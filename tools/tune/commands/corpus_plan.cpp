#include "commands/corpus_plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "hash/sha256.hpp"
#include "system/filesystem.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

using nlohmann::json;
namespace fs = vmaf::system::fs;

namespace {

std::vector<double> quality_values(const CorpusRequest &o) {
    std::vector<double> values = o.q_values;
    if (!o.q_range.empty()) {
        double low = 0, high = 0, step = 1;
        const int count = std::sscanf(o.q_range.c_str(), "%lf:%lf:%lf", &low, &high, &step);
        if (count < 2 || !(step > 0) || low > high || (high - low) / step > 10000)
            throw usage_error("--crf-range " + o.q_range + " is not LOW:HIGH or LOW:HIGH:STEP");
        for (int i = 0; low + i * step <= high + 1e-9; i++) values.push_back(std::round((low + i * step) * 1e6) / 1e6);
    }
    std::vector<double> once; // repeated values are one cell
    for (const double q : values)
        if (!contains(once, q)) once.push_back(q);
    return once;
}

// Keeps what is usable; an error if nothing remains, or with --strict if anything fails.
void demand_some(Progress &progress, const std::vector<Outcome> &outcomes, bool is_strict) {
    const auto failed = [](const Outcome &outcome) { return !outcome.ok(); };
    const auto last = std::find_if(outcomes.rbegin(), outcomes.rend(), failed);
    if (last == outcomes.rend()) return;
    if (is_strict || std::ranges::all_of(outcomes, failed)) throw usage_error(last->sentence);
    for (const Outcome &outcome : outcomes)
        if (!outcome.ok()) progress.warn(outcome.sentence + "; its cells become failed rows");
}

} // namespace

CorpusGrid::CorpusGrid(Run &run, const CorpusRequest &o) : run_(run), o_(o), variants_(parse_variants(o.variants)) {
    std::set<std::string> stems;
    for (const std::string &path : o.sources)
        if (!stems.insert(fs::path(path).stem().string()).second) repeated_.insert(fs::path(path).stem().string());
}

std::string CorpusGrid::kept_name(const ProbeSetup &setup, double q) const {
    const fs::path source(setup.source.path);
    std::string stem = source.stem().string();
    if (repeated_.contains(stem)) stem += "-" + sha256_hex(fs::absolute(source).string()).substr(0, 8);
    return (fs::path(setup.keep_in) / (tune::kept_name(setup, stem, q) + "." + setup.encode.adapter->container))
        .string();
}

std::vector<std::string> CorpusGrid::encoder_names() const {
    std::vector<std::string> names = o_.encoders;
    for (const Variant &variant : variants_)
        if (!variant.encoder.empty() && !contains(names, variant.encoder)) names.push_back(variant.encoder);
    return names.empty() ? std::vector<std::string>{"libx264"} : names;
}

const CorpusGrid::Encoder &CorpusGrid::encoder(const std::string &name) {
    if (const auto found = encoders_.find(name); found != encoders_.end()) return found->second;
    const Adapter &known = run_.known_adapter(name);
    Encoder encoder{&known, {}};
    if (const auto problem = run_.encoder_problem(known))
        encoder.outcome = {OutcomeKind::encoder_failed, *problem, "encode"};
    else
        encoder.adapter = &run_.adapter(name);
    return encoders_.emplace(name, std::move(encoder)).first->second;
}

const CorpusGrid::OpenedSource &CorpusGrid::source(const std::string &path) {
    if (const auto found = sources_.find(path); found != sources_.end()) return found->second;
    OpenedSource opened;
    try {
        opened.source = run_.open_source(path);
    } catch (const CommandError &e) {
        if (interruption::urgent()) throw;
        opened.source.path = path;
        opened.outcome = {OutcomeKind::reference_undecodable, e.what(), "source"};
    }
    return sources_.emplace(path, std::move(opened)).first->second;
}

// Encoders with presets and variants, without source and quality.
std::vector<json> CorpusGrid::series_units() {
    std::vector<json> units;
    std::vector<Outcome> outcomes;
    const std::vector<std::string> presets = o_.presets.empty() ? std::vector<std::string>{""} : o_.presets;
    for (const std::string &name : encoder_names()) {
        const Encoder &used = encoder(name);
        outcomes.push_back(used.outcome);
        const std::string &full_name = used.adapter->name;
        const bool is_named = o_.encoders.empty() || contains(o_.encoders, full_name);
        for (const std::string &preset : presets)
            for (const Variant &variant : variants_) {
                const bool is_meant = variant.encoder.empty() ? is_named : variant.encoder == full_name;
                const bool is_repeated = !variant.preset.empty() && &preset != &presets.front();
                if (is_meant && !is_repeated)
                    units.push_back({{"encoder", name},
                                     {"preset", variant.preset.empty() ? preset : variant.preset},
                                     {"variant", variant.name}});
            }
    }
    demand_some(run_.progress(), outcomes, o_.strict);
    return units;
}

void CorpusGrid::check_values(const std::vector<json> &series, const std::vector<double> &values) {
    for (const json &one : series) {
        const Adapter &adapter = *encoder(one["encoder"]).adapter;
        const std::string preset = one["preset"];
        try {
            for (const double q : values) adapter.codec_arguments(preset.empty() ? kDefaultPreset : preset, q);
        } catch (const Error &e) {
            throw usage_error(e.what());
        }
        if (o_.coarse_to_fine) QualityGrid(adapter, o_, 1); // checks windows
    }
}

std::vector<json> CorpusGrid::units() {
    const std::vector<double> values = quality_values(o_);
    if (values.empty() && !o_.coarse_to_fine)
        throw usage_error("no quality values: give --crf 20 --crf 30, --crf-range 18:38:5, or --coarse-to-fine");
    if (!values.empty() && o_.coarse_to_fine)
        throw usage_error("--coarse-to-fine chooses the quality values itself; leave out --crf and --crf-range");
    const std::vector<json> encodes = series_units();
    check_values(encodes, values);
    std::vector<Outcome> outcomes;
    for (const std::string &path : o_.sources) outcomes.push_back(source(path).outcome);
    demand_some(run_.progress(), outcomes, o_.strict);
    std::vector<json> units;
    for (const std::string &path : o_.sources)
        for (json unit : encodes) {
            unit["src"] = path;
            const CorpusSeries &one = series(unit);
            if (!one.outcome.ok()) unit["fails"] = true;
            if (o_.coarse_to_fine && !one.outcome.ok()) unit["crf"] = one.setup.encode.adapter->default_q;
            if (o_.coarse_to_fine) units.push_back(unit);
            for (const double q : values) {
                unit["crf"] = q;
                units.push_back(unit);
            }
        }
    return units;
}

const CorpusSeries &CorpusGrid::series(const json &unit) {
    json key = unit;
    key.erase("crf");
    key.erase("fails");
    const std::string name = json_line(key);
    const std::lock_guard lock(mutex_);
    if (const auto found = series_.find(name); found != series_.end()) return found->second;
    return series_.emplace(name, make_series(unit)).first->second;
}

CorpusSeries CorpusGrid::make_series(const json &unit) {
    const OpenedSource &from = source(unit.at("src"));
    const Encoder &used = encoder(unit.at("encoder"));
    const std::string preset = unit.at("preset");
    const Variant &variant =
        *std::ranges::find_if(variants_, [&](const Variant &v) { return v.name == unit.at("variant"); });
    CorpusSeries series;
    series.outcome = from.outcome.ok() ? used.outcome : from.outcome;
    if (series.outcome.ok()) {
        try {
            series.setup = run_.setup(from.source, *used.adapter, preset, false, variant);
        } catch (const CommandError &e) { // no sample could be cut: only this source is affected
            if (e.code() != kExitFailed) throw;
            series.outcome = {OutcomeKind::reference_undecodable, e.what(), "source"};
        }
    }
    ProbeSetup &setup = series.setup;
    if (!series.outcome.ok()) {
        setup.programs = run_.programs();
        setup.variant = variant.name;
        setup.source = from.source;
        setup.encode.adapter = used.adapter;
        setup.encode.preset = preset.empty() ? kDefaultPreset : preset;
        setup.score = run_.score_settings();
        setup.pool = run_.options().pool;
    }
    run_.show_progress(setup, setup.encode.adapter->name + " " + setup.encode.preset +
                                  (variant.name.empty() ? "" : " " + variant.name));
    return series;
}

} // namespace vmaf::tune
