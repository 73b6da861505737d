#include "metrics/adm/adm.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/adm/adm_device.hpp"
#include "metrics/adm/plan.hpp"
#include "metrics/adm/rows.hpp"
#include "metrics/adm/sweep.hpp"

namespace vmaf {

namespace {

using namespace adm;

// The wavelets depend on none of these.
constexpr OptionSpec kOptions[] = {
    {"debug", "", "also emit numerators and denominators", false, 0, 0, false, kLate},
    {"adm_csf_scale", "scf", "factor of the contrast sensitivity for H and V (Barten mode)", 1.0, 0, 50, true, kLate},
    {"adm_csf_diag_scale", "scfd", "factor of the contrast sensitivity for D (Barten mode)", 1.0, 0, 50, true, kLate},
    {"adm_dlm_weight", "dlmw", "weight of adm2 against 1 - aim in adm3", 0.5, 0, 1, true, kLate},
    {"adm_enhn_gain_limit", "egl", "largest enhancement that counts; 1: none", 100.0, 1, 100, true, kLate},
    {"adm_norm_view_dist", "nvd", "viewing distance in display heights", 3.0, 0.75, 24, true, kLate},
    {"adm_ref_display_height", "rdh", "display height in pixels", 1080, 1, 4320, true, kLate},
    {"adm_csf_mode", "csf", "contrast sensitivity: 0 Watson, 1 Barten, 2 and 3 blended tables", 0, 0, 3, true, kLate},
    {"adm_noise_weight", "nw", "noise floor of numerators and denominators", 0.03125, 0, 1500, true, kLate},
    {"adm_skip_aim", "", "do not measure additive impairment: aim is 0", false, 0, 0, false, kLate},
    {"adm_skip_scale0", "ssz", "leave the finest scale out", false, 0, 0, true, kLate},
    {"adm_min_val", "min", "lower limit of adm3", 0.0, 0, 1, true, kLate},
};

constexpr std::string_view kFeatures[] = {
    "VMAF_integer_feature_adm2_score",
    "VMAF_integer_feature_aim_score",
    "VMAF_integer_feature_adm3_score",
    "integer_adm_scale0",
    "integer_adm_scale1",
    "integer_adm_scale2",
    "integer_adm_scale3",
    "integer_adm",
    "integer_adm_num",
    "integer_adm_den",
    "integer_adm_num_scale0",
    "integer_adm_den_scale0",
    "integer_adm_num_scale1",
    "integer_adm_den_scale1",
    "integer_adm_num_scale2",
    "integer_adm_den_scale2",
    "integer_adm_num_scale3",
    "integer_adm_den_scale3",
};

// Measures all members of a family: wavelets and denominators once, the rest for each distinct variant.
class Scorer final : public FrameScorer, public SharesReference {
  public:
    Scorer(std::span<const Plan *const> members, const RowFunctions &functions) : functions_(functions) {
        for (const Plan *member : members) {
            const auto known = std::find_if(variants_.begin(), variants_.end(),
                                            [&](const Plan *variant) { return measure_alike(*variant, *member); });
            variant_of_.push_back(std::size_t(known - variants_.begin()));
            if (known == variants_.end()) variants_.push_back(member);
        }
        sums_.resize(variants_.size());
        const bool skip_scale0 = std::all_of(variants_.begin(), variants_.end(),
                                             [](const Plan *variant) { return variant->options.skip_scale0; });
        half_key_ = skip_scale0 ? "adm without scale 0" : "adm";
    }

    void measure(const FrameInput &frame, FrameResult &result) override { measure_family(frame, {&result, 1}); }

    void measure_family(const FrameInput &frame, std::span<FrameResult> results) override {
        std::fill(sums_.begin(), sums_.end(), FrameSums{});
        HalfClaim claim(frame.tiles ? nullptr : shared_.halves, half_key_,
                        [&] { return std::make_unique<Wavelets>(*variants_[0]); });
        reference_ = {claim.half<Wavelets>(), claim.is_ready()};
        if (variants_[0]->bits == 8)
            add_frame<std::uint8_t>(frame);
        else
            add_frame<std::uint16_t>(frame);
        if (reference_.wavelets) share_denominators(claim);
        for (std::size_t i = 0; i < results.size(); i++) store_sums(sums_[variant_of_[i]], results[i]);
        if (!frame.tiles) return;
        results[0].tiles.assign(frame.tiles->count() * kTileWords, 0);
        for (const std::vector<Tile> &tiles : part_tiles_) add_tiles(tiles, results[0].tiles);
    }

  private:
    // Equal for all variants, except those that skip scale 0.
    void share_denominators(HalfClaim &claim) {
        FrameSums &kept = reference_.wavelets->denominators;
        if (reference_.are_made) {
            for (std::size_t v = 0; v < variants_.size(); v++)
                for (std::size_t s = variants_[v]->options.skip_scale0; s < kScales; s++) sums_[v][s].den = kept[s].den;
            return;
        }
        for (std::size_t v = 0; v < variants_.size(); v++)
            for (std::size_t s = variants_[v]->options.skip_scale0; s < kScales; s++) kept[s].den = sums_[v][s].den;
        claim.made();
    }

    template <class T> void add_frame(const FrameInput &frame) {
        const PlaneView<T> ref = frame.ref.plane<T>(0), dist = frame.dist.plane<T>(0);
        prepare_sweeps(sensible_parts(variants_[0]->height, int(frame.parallel.threads())), frame.tiles);
        if (sweeps_.size() == 1) return sweeps_[0].run(ref, dist, std::span(sums_), reference_);
        const std::size_t variants = variants_.size();
        std::fill(part_sums_.begin(), part_sums_.end(), FrameSums{});
        const auto part = [&](unsigned i) {
            sweeps_[i].run(ref, dist, std::span(part_sums_).subspan(i * variants, variants), reference_);
        };
        frame.parallel.run(unsigned(sweeps_.size()), std::ref(part));
        for (std::size_t i = 0; i < part_sums_.size(); i++)
            for (std::size_t s = 0; s < kScales; s++) sums_[i % variants][s] += part_sums_[i][s];
    }

    // Recreated when the number of threads becomes known, or when tiles are first wanted.
    void prepare_sweeps(int parts, const TileGrid *grid) {
        if (int(sweeps_.size()) != parts || has_tiles_ != (grid != nullptr)) {
            sweeps_.clear();
            for (int i = 0; i < parts; i++) sweeps_.emplace_back(variants_, functions_, i, parts, grid != nullptr);
            part_sums_.resize(sweeps_.size() * variants_.size());
            part_tiles_.resize(grid ? sweeps_.size() : 0);
            has_tiles_ = grid != nullptr;
        }
        for (std::size_t i = 0; i < part_tiles_.size(); i++) {
            part_tiles_[i].assign(grid->count(), Tile{});
            sweeps_[i].begin_tiles(*grid, part_tiles_[i]);
        }
    }

    const RowFunctions &functions_;
    std::vector<const Plan *> variants_;
    std::vector<std::size_t> variant_of_; // per member
    std::vector<Sweep> sweeps_;
    std::vector<FrameSums> sums_, part_sums_;   // per variant; per part and variant
    std::vector<std::vector<Tile>> part_tiles_; // per part
    bool has_tiles_ = false;
    std::string half_key_;
    WaveletUse reference_; // of the current frame
};

class AdmMetric final : public Metric {
  public:
    explicit AdmMetric(const OptionValues &options) : plan_{.options = read_options(options)} {}

    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        check_settings(plan_.options, format);
        plan_ = make_plan(plan_.options, format);
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        const Plan *const alone[] = {&plan_};
        return std::make_unique<Scorer>(alone, rows_for(isa));
    }
    std::unique_ptr<FrameScorer> make_family_scorer(std::span<const Metric *const> members, Isa isa) const override {
        return std::make_unique<Scorer>(plans_of(members), rows_for(isa));
    }
    std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Metric *const> members,
                                                            Device &device) const override {
        return adm::make_family_device_scorer(plans_of(members), device);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return adm::make_device_scorer(plan_, nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return adm::make_device_scorer(plan_, &tiles, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const FrameScores scores = frame_scores(plan_, load_sums(result));
        std::size_t next = 0;
        const auto put = [&](double value) { sink.score(kFeatures[next++], index, value); };
        put(scores.adm2);
        put(scores.aim);
        put(scores.adm3);
        for (const double value : scores.scale) put(value);
        if (!plan_.options.debug) return;
        put(scores.adm2);
        put(scores.num);
        put(scores.den);
        for (std::size_t s = 0; s < kScales; s++) {
            put(scores.num_scale[s]);
            put(scores.den_scale[s]);
        }
    }

    std::span<const std::string_view> local_names() const override { return std::span(kFeatures).first(3 + kScales); }
    std::size_t tile_words() const override { return kTileWords; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &area,
                      std::span<double> scores) const override {
        const FrameScores all = area_scores(plan_, tile_of(sums), area);
        scores[0] = all.adm2, scores[1] = all.aim, scores[2] = all.adm3;
        for (std::size_t s = 0; s < kScales; s++) scores[3 + s] = all.scale[s];
    }

  private:
    static std::vector<const Plan *> plans_of(std::span<const Metric *const> members) {
        std::vector<const Plan *> plans;
        for (const Metric *member : members) plans.push_back(&static_cast<const AdmMetric *>(member)->plan_);
        return plans;
    }

    Plan plan_;
};

} // namespace

const MetricInfo adm_metric = {
    .name = "adm",
    .summary = "detail loss (adm2), additive impairment (aim) and their mix (adm3), fixed point",
    .options = kOptions,
    .provides = kFeatures,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &o) -> std::unique_ptr<Metric> { return std::make_unique<AdmMetric>(o); },
};

} // namespace vmaf
