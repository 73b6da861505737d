// Shared by the subcommands: programs, cache, scratch folder, backend, progress.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend/backend_in_use.hpp"
#include "backend/score_backend.hpp"
#include "cli/command_error.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/variants.hpp"
#include "cli/work_folder.hpp"
#include "stages/probe.hpp"
#include "stages/shots.hpp"

namespace vmaf::tune {

class Run {
  public:
    // Finds the programs and selects the backend before anything is encoded. Throws CommandError.
    Run(const ProbeRequest &options, bool scores);

    Source open_source(const std::string &path);
    const Adapter &adapter(const std::string &name);       // known and working in this FFmpeg, else CommandError
    const Adapter &known_adapter(const std::string &name); // known, else CommandError
    const Adapter &only_adapter();                         // for commands that take one; default libx264
    std::string only_preset() const;                       // empty: the encoder's default
    std::optional<std::string> encoder_problem(const Adapter &adapter); // why it does not work here

    // Samples are cut once per source and shared.
    ProbeSetup setup(const Source &source, const Adapter &adapter, const std::string &preset, bool automatic_sampling,
                     const Variant &variant = {});

    const ProbeRequest &options() const { return options_; }
    Progress &progress() { return progress_; }
    const Programs &programs();
    std::string backend() const { return backends_->name(); }
    ShotFacts &shots() { return shots_; }
    const std::string &work_folder() const { return work_folder_->path(); }
    Cache *cache() { return cache_.get(); }
    ScoreSettings score_settings() const;
    unsigned parallel_searches() const;

    void check_interrupted() const;                                  // throws CommandError(130)
    void show_progress(ProbeSetup &setup, const std::string &label); // of its probes
    // Passes on warnings. Throws CommandError if the probe fails or is interrupted.
    ProbeResult probe(const ProbeSetup &setup, double q);

  private:
    void ask_ahead();
    void settle_backend();
    void check_room(const ProbeSetup &setup) const;
    void choose_hdr_model(ProbeSetup &setup);
    void choose_passes(EncodeSettings &encode);
    void tell_format_changes(ProbeSetup &setup, bool is_own_choice);
    const std::pair<std::vector<Sample>, std::string> &samples_of(const Source &source, bool automatic_sampling);

    ProbeRequest options_;
    Programs programs_;
    Progress progress_;
    ShotFacts shots_;
    std::unique_ptr<Cache> cache_;
    AnswersAwaited answers_; // ends before the cache closes
    Arguments version_question_;
    std::unique_ptr<WorkFolder> work_folder_;
    HostProbes hosts_;
    std::unique_ptr<BackendInUse> backends_ = std::make_unique<BackendInUse>(std::vector<std::string>{"cpu"});
    bool scorer_takes_backend_ = true, scorer_takes_precision_ = true;
    std::unique_ptr<ReferenceStore> references_;
    std::unique_ptr<SourceChecks> checks_;
    std::unique_ptr<Scorers> scorers_;
    std::map<std::string, Adapter> adapted_; // for this FFmpeg
    std::map<std::string, std::pair<std::vector<Sample>, std::string>> samples_;
    std::unique_ptr<Permits> permits_;
    unsigned processors_ = 1; // for jobs
};

// How long a program may make no progress; without --timeout only a hanging one reaches the limit.
std::chrono::milliseconds patience(const RunningOptions &options);

// The vmaf program that scores: next to vmaf-tune, or in PATH for --scorer binary, unless named. Empty if there is
// none.
std::optional<std::string> scorer_program(const ScoringOptions &scoring, const ProgramOptions &programs);

} // namespace vmaf::tune
