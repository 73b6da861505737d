#include "commands/corpus_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "hash/sha256.hpp"
#include "system/filesystem.hpp"
#include "text/numbers.hpp"

namespace vmaf::tune {

namespace fs = vmaf::system::fs;

namespace {

constexpr int kEncoderMissing = 1; // row status (15.2)

std::vector<double> quality_values(const CorpusRequest &o) {
    std::vector<double> values = o.q_values;
    if (!o.q_range.empty()) {
        double low = 0, high = 0, step = 1;
        const int count = std::sscanf(o.q_range.c_str(), "%lf:%lf:%lf", &low, &high, &step);
        if (count < 2 || !(step > 0) || low > high || (high - low) / step > 10000)
            throw usage_error("--crf-range " + o.q_range + " is not LOW:HIGH or LOW:HIGH:STEP");
        for (int i = 0; low + i * step <= high + 1e-9; i++) values.push_back(std::round((low + i * step) * 1e6) / 1e6);
    }
    std::vector<double> once; // a value that was given twice is one cell
    for (const double q : values)
        if (std::find(once.begin(), once.end(), q) == once.end()) once.push_back(q);
    return once;
}

ProbeResult failure_of(int status, const char *stage, const std::string &sentence) {
    ProbeResult result;
    result.status = status;
    result.stage = stage;
    result.error = sentence;
    return result;
}

std::string kept_name(const ProbeRequest &o, const ProbeSetup &setup, double q,
                      const std::set<std::string> &repeated_stems) {
    const fs::path source(setup.source.path);
    std::string stem = source.stem().string();
    if (repeated_stems.contains(stem)) stem += "-" + sha256_hex(fs::absolute(source).string()).substr(0, 8);
    const fs::path folder = o.work_dir.empty() ? fs::path("encodes") : fs::path(o.work_dir);
    fs::create_directories(folder);
    return (folder / (stem + "__" + setup.encode.adapter->name + "__" + setup.encode.preset +
                      (setup.variant.empty() ? "" : "__" + setup.variant) + "__crf" + number_text(q) + "." +
                      std::string(setup.encode.adapter->container)))
        .string();
}

// Encoders by name, with what is wrong with those that do not work.
struct Encoder {
    const Adapter *adapter;
    std::optional<ProbeResult> failure;
};

std::vector<Encoder> find_encoders(Run &run, const ProbeRequest &o, const std::vector<Variant> &variants) {
    std::vector<Encoder> encoders;
    std::string last;
    std::vector<std::string> names = o.encoders;
    for (const Variant &variant : variants)
        if (!variant.encoder.empty() && std::find(names.begin(), names.end(), variant.encoder) == names.end())
            names.push_back(variant.encoder);
    if (names.empty()) names = {"libx264"};
    for (const std::string &name : names) {
        const Adapter &known = run.known_adapter(name);
        if (const auto problem = run.encoder_problem(known)) {
            encoders.push_back({&known, failure_of(kEncoderMissing, "encode", *problem)});
            last = *problem;
        } else {
            encoders.push_back({&run.adapter(name), std::nullopt});
        }
    }
    const auto works = [](const Encoder &e) { return !e.failure; };
    if (std::none_of(encoders.begin(), encoders.end(), works) || (o.strict && !last.empty())) throw usage_error(last);
    for (const Encoder &e : encoders)
        if (e.failure) run.progress().warn(e.failure->error + "; its cells become failed rows");
    return encoders;
}

// Sources that cannot be read have only their path.
struct OpenedSource {
    Source source;
    std::optional<ProbeResult> failure;
};

std::vector<OpenedSource> open_sources(Run &run, const ProbeRequest &o) {
    std::vector<OpenedSource> sources;
    std::string last;
    for (const std::string &path : o.sources) {
        try {
            sources.push_back({run.open_source(path), std::nullopt});
        } catch (const CommandError &e) {
            Source unreadable;
            unreadable.path = path;
            sources.push_back({unreadable, failure_of(kStatusReferenceUndecodable, "source", e.what())});
            last = e.what();
        }
    }
    const auto works = [](const OpenedSource &s) { return !s.failure; };
    if (std::none_of(sources.begin(), sources.end(), works) || (o.strict && !last.empty())) throw usage_error(last);
    for (const OpenedSource &s : sources)
        if (s.failure) run.progress().warn(s.failure->error + "; its cells become failed rows");
    return sources;
}

// What a source's rows consist of, but for quality values.
struct EncodeSeries {
    const Encoder *encoder;
    std::string preset; // empty: the encoder's default
    const Variant *variant;
};

std::vector<EncodeSeries> all_series(const ProbeRequest &o, const std::vector<Encoder> &encoders,
                                     const std::vector<Variant> &variants) {
    std::vector<EncodeSeries> series;
    const std::vector<std::string> presets = o.presets.empty() ? std::vector<std::string>{""} : o.presets;
    for (const Encoder &encoder : encoders)
        for (const std::string &preset : presets)
            for (const Variant &variant : variants) {
                const bool is_meant = variant.encoder.empty()
                                          ? o.encoders.empty() || std::find(o.encoders.begin(), o.encoders.end(),
                                                                            encoder.adapter->name) != o.encoders.end()
                                          : variant.encoder == encoder.adapter->name;
                const bool is_repeated = !variant.preset.empty() && &preset != &presets.front();
                if (is_meant && !is_repeated)
                    series.push_back({&encoder, variant.preset.empty() ? preset : variant.preset, &variant});
            }
    return series;
}

CorpusJob make_job(Run &run, const OpenedSource &from, const Encoder &encoder, const std::string &preset,
                   const Variant &variant) {
    CorpusJob job;
    job.failure = from.failure ? from.failure : encoder.failure;
    if (!job.failure) {
        try {
            job.setup = run.setup(from.source, *encoder.adapter, preset, false, variant);
            return job;
        } catch (const CommandError &e) { // no sample could be cut: only this source is to blame
            if (e.code() != kExitFailed) throw;
            job.failure = failure_of(kStatusReferenceUndecodable, "source", e.what());
        }
    }
    job.setup.programs = run.programs();
    job.setup.variant = variant.name;
    job.setup.source = from.source;
    job.setup.encode.adapter = encoder.adapter;
    job.setup.encode.preset = preset.empty() ? std::string(encoder.adapter->default_preset()) : preset;
    job.setup.score = run.score_settings();
    job.setup.pool = run.options().pool;
    return job;
}

} // namespace

SearchSettings coarse_settings(const QualityGrid &grid, const SearchOptions &o) {
    SearchSettings s;
    s.last = grid.last();
    s.has_target = o.target_vmaf || !o.targets.empty();
    s.noise = o.noise;
    s.coarse_step = grid.points_in(o.coarse_step);
    s.coarse_first = grid.first_multiple(o.coarse_step);
    s.fine_step = grid.points_in(o.fine_step);
    s.fine_radius = static_cast<int>(std::lround(o.fine_radius / grid.step()));
    return s;
}

CorpusPlan plan_corpus(Run &run, const CorpusRequest &o) {
    const std::vector<double> values = quality_values(o);
    if (values.empty() && !o.coarse_to_fine)
        throw usage_error("no quality values: give --crf 20 --crf 30, --crf-range 18:38:5, or --coarse-to-fine");
    if (!values.empty() && o.coarse_to_fine)
        throw usage_error("--coarse-to-fine chooses the quality values itself; leave out --crf and --crf-range");
    const std::vector<Variant> variants = parse_variants(o.variants);
    const std::vector<Encoder> encoders = find_encoders(run, o, variants);
    const std::vector<EncodeSeries> series = all_series(o, encoders, variants);
    for (const EncodeSeries &one : series)
        for (const double q : values) {
            try {
                one.encoder->adapter->codec_arguments(one.preset.empty() ? "medium" : one.preset, q);
            } catch (const Error &e) {
                throw usage_error(e.what());
            }
        }
    if (o.coarse_to_fine)
        for (const Encoder &encoder : encoders) QualityGrid(*encoder.adapter, o, 1); // windows are checked

    std::set<std::string> stems, repeated;
    for (const std::string &path : o.sources)
        if (!stems.insert(fs::path(path).stem().string()).second) repeated.insert(fs::path(path).stem().string());
    CorpusPlan plan;
    for (const OpenedSource &source : open_sources(run, o))
        for (const EncodeSeries &one : series) {
            const Adapter &adapter = *one.encoder->adapter;
            CorpusJob job = make_job(run, source, *one.encoder, one.preset, *one.variant);
            const std::string label = adapter.name + " " + job.setup.encode.preset +
                                      (one.variant->name.empty() ? "" : " " + one.variant->name);
            job.setup.progress = [&run, label](const StageProgress &p) { run.progress().stage(label, p); };
            if (o.coarse_to_fine) {
                if (job.failure) job.qualities = {adapter.default_q};
                plan.cells += 14; // typically (9.2)
                plan.jobs.push_back(std::move(job));
                continue;
            }
            for (const double q : values) {
                CorpusJob cell = job;
                cell.qualities = {q};
                if (o.keep && !cell.failure) cell.setup.keep_as = kept_name(o, cell.setup, q, repeated);
                plan.jobs.push_back(std::move(cell));
                plan.cells++;
            }
        }
    return plan;
}

} // namespace vmaf::tune
