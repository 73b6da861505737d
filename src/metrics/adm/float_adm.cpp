#include "metrics/adm/float_adm.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "metrics/adm/csf.hpp"
#include "metrics/adm/float_adm_device.hpp"
#include "metrics/adm/float_sweep.hpp"

namespace vmaf {

namespace {

using namespace adm;

constexpr OptionSpec kOptions[] = {
    {"debug", "", "also emit numerators and denominators", false, 0, 0, false, kLate},
    {"adm_enhn_gain_limit", "egl", "largest enhancement that counts; 1: none", 100.0, 1, 100, true},
    {"adm_norm_view_dist", "nvd", "viewing distance in display heights", 3.0, 0.75, 24, true},
    {"adm_noise_weight", "nw", "noise floor of numerators and denominators", 0.03125, 0, 1500, true},
    {"adm_csf_scale", "scf", "factor of the contrast sensitivity for H and V (Barten mode)", 1.0, 0, 50, true},
    {"adm_csf_diag_scale", "scfd", "factor of the contrast sensitivity for D (Barten mode)", 1.0, 0, 50, true},
    {"adm_ref_display_height", "rdf", "display height in pixels", 1080, 1, 4320, true},
    {"adm_csf_mode", "csf", "contrast sensitivity: 0 Watson, 1 Barten, 2 native; 3 to 9 as 0", 0, 0, 9, true},
    {"adm_bypass_cm", "bcm", "1: no contrast masking", 0, 0, 1, true},
    {"adm_adm3_apply_hm", "aah", "adm3 as harmonic mean of adm2 and aim", false, 0, 0, true, kLate},
    {"adm_p_norm", "apn", "exponent of the pooling", 3.0, 1, 20, true},
    {"adm_dlm_weight", "dlmw", "weight of adm2 against 1 - aim in adm3", 0.5, 0, 1, true, kLate},
    {"adm_min_val", "min", "lower limit of adm3", 0.0, 0, 1, true, kLate},
    {"adm_f1s0", "f1s0", "contrast sensitivity of H and V at scale 0; -1: by mode", -1.0, -1, 10, true},
    {"adm_f1s1", "f1s1", "contrast sensitivity of H and V at scale 1; -1: by mode", -1.0, -1, 10, true},
    {"adm_f1s2", "f1s2", "contrast sensitivity of H and V at scale 2; -1: by mode", -1.0, -1, 10, true},
    {"adm_f1s3", "f1s3", "contrast sensitivity of H and V at scale 3; -1: by mode", -1.0, -1, 10, true},
    {"adm_f2s0", "f2s0", "contrast sensitivity of D at scale 0; -1: by mode", -1.0, -1, 10, true},
    {"adm_f2s1", "f2s1", "contrast sensitivity of D at scale 1; -1: by mode", -1.0, -1, 10, true},
    {"adm_f2s2", "f2s2", "contrast sensitivity of D at scale 2; -1: by mode", -1.0, -1, 10, true},
    {"adm_f2s3", "f2s3", "contrast sensitivity of D at scale 3; -1: by mode", -1.0, -1, 10, true},
    {"adm_skip_aim_scale", "sasc", "scale to leave out of aim", -1, 0, 3, true, kLate},
    {"adm_skip_scale0", "ssz", "leave the finest scale out", false, 0, 0, true},
};

// Excludes `adm`, which never gets a suffix (4.1).
constexpr std::string_view kFeatures[] = {
    "VMAF_feature_adm2_score",
    "VMAF_feature_aim_score",
    "VMAF_feature_adm3_score",
    "VMAF_feature_adm_scale0_score",
    "VMAF_feature_adm_scale1_score",
    "VMAF_feature_adm_scale2_score",
    "VMAF_feature_adm_scale3_score",
    "adm_num",
    "adm_den",
    "adm_scale0",
    "adm_num_scale0",
    "adm_den_scale0",
    "adm_num_scale1",
    "adm_den_scale1",
    "adm_num_scale2",
    "adm_den_scale2",
    "adm_num_scale3",
    "adm_den_scale3",
};
constexpr std::size_t kNumFeature = 7, kFirstScaleFeature = 10;
constexpr std::size_t kLocalFeatures = 7, kTileWords = kScales * kFloatTileWords;

Factors factors_of(const OptionValues &o, int scale) {
    const float r = samples_per_degree(o.real("adm_norm_view_dist"), o.integer("adm_ref_display_height"));
    const int mode = o.integer("adm_csf_mode");
    Factors f = mode == 1   ? barten_factors(scale, r, o.real("adm_csf_scale"), o.real("adm_csf_diag_scale"))
                : mode == 2 ? native_factors(scale, r)
                            : watson_factors(scale, r);
    const double edges = o.real("adm_f1s" + std::to_string(scale)),
                 diagonal = o.real("adm_f2s" + std::to_string(scale));
    if (edges >= 0) f.edges = float(edges);
    if (diagonal >= 0) f.diagonal = float(diagonal);
    return f;
}

// Inputs of a frame's combination.
struct Combination {
    bool debug, harmonic;
    double dlm_weight, min_val, noise_weight;
    int skip_aim_scale;
};

class Scorer final : public FrameScorer {
  public:
    Scorer(const FloatPlan &plan, double noise_weight, const FloatRowFunctions &functions)
        : plan_(plan), noise_weight_(noise_weight), functions_(functions),
          windows_(scale_windows(plan.width, plan.height)), sums_(make_float_sums(plan.width, plan.height)) {
        sweeps_.emplace_back(plan_, functions_);
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        if (frame.tiles) begin_tiles(*frame.tiles, result);
        if (plan_.bits == 8)
            sweep<std::uint8_t>(frame);
        else
            sweep<std::uint16_t>(frame);
        for (std::size_t s = 0; s < kScales; s++) {
            ScaleValues v;
            if (s > 0 || !plan_.skip_scale0)
                v = {pooled(total(sums_[s].num, windows_[s]), windows_[s].area(), plan_.exponent, noise_weight_),
                     pooled(total(sums_[s].den, windows_[s]), windows_[s].area(), plan_.exponent, noise_weight_),
                     pooled(total(sums_[s].aim, windows_[s]), windows_[s].area(), plan_.exponent, 0.0)};
            store_scale(s, v, result);
        }
    }

  private:
    void begin_tiles(const TileGrid &grid, FrameResult &result) {
        result.tiles.assign(grid.count() * kTileWords, 0);
        tiles_.clear();
        for (int s = 0; s < kScales; s++) {
            const Window &window = windows_[std::size_t(s)];
            tiles_.emplace_back(grid, float_tile_axis(s, window.width), float_tile_axis(s, window.height), result.tiles,
                                kTileWords, std::size_t(s) * kFloatTileWords);
        }
    }

    // With tiles, one thread makes all rows.
    template <class T> void sweep_tiles(const PlaneView<T> &ref, const PlaneView<T> &dist) {
        if (!tile_sweep_) tile_sweep_.emplace(plan_, functions_, 0, 1, true);
        tile_sweep_->run(ref, dist, sums_, tiles_);
    }

    template <class T> void sweep(const FrameInput &frame) {
        if (frame.tiles) return sweep_tiles(frame.ref.plane<T>(0), frame.dist.plane<T>(0));
        const int parts = sensible_parts(plan_.height, int(frame.parallel.threads()));
        if (int(sweeps_.size()) != parts) { // once, when the number of threads becomes known
            sweeps_.clear();
            for (int i = 0; i < parts; i++) sweeps_.emplace_back(plan_, functions_, i, parts);
        }
        const PlaneView<T> ref = frame.ref.plane<T>(0), dist = frame.dist.plane<T>(0);
        const auto part = [&](unsigned i) { sweeps_[i].run(ref, dist, sums_); };
        if (parts == 1)
            part(0);
        else
            frame.parallel.run(unsigned(parts), std::ref(part));
    }

    const FloatPlan &plan_;
    const double noise_weight_;
    const FloatRowFunctions &functions_;
    const std::array<Window, kScales> windows_;
    std::vector<FloatSweep> sweeps_;
    std::optional<FloatSweep> tile_sweep_;
    std::vector<RealTiles> tiles_; // per scale
    FloatFrameSums sums_;
};

class FloatAdmMetric final : public Metric {
  public:
    explicit FloatAdmMetric(const OptionValues &o)
        : plan_{.skip_scale0 = o.flag("adm_skip_scale0"),
                .bypass_masking = o.integer("adm_bypass_cm") == 1,
                .gain_limit = o.real("adm_enhn_gain_limit"),
                .exponent = o.real("adm_p_norm")},
          combination_{.debug = o.flag("debug"),
                       .harmonic = o.flag("adm_adm3_apply_hm"),
                       .dlm_weight = o.real("adm_dlm_weight"),
                       .min_val = o.real("adm_min_val"),
                       .noise_weight = o.real("adm_noise_weight"),
                       .skip_aim_scale = o.integer("adm_skip_aim_scale")} {
        for (int s = 0; s < kScales; s++) {
            const Factors f = factors_of(o, s);
            plan_.factor[std::size_t(s)] = {f.edges, f.edges, f.diagonal};
        }
    }

    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        if (int(format.width) < kSmallestSide || int(format.height) < kSmallestSide)
            throw invalid("feature 'float_adm' needs pictures of at least 17x17 samples; these have " +
                          std::to_string(format.width) + "x" + std::to_string(format.height));
        plan_.width = int(format.width), plan_.height = int(format.height), plan_.bits = int(format.bits);
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<Scorer>(plan_, combination_.noise_weight, float_rows_for(isa));
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return make_float_device_scorer(plan_, combination_.noise_weight, nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return make_float_device_scorer(plan_, combination_.noise_weight, &tiles, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const auto num_of = [&](std::size_t s) { return result.values[3 * s]; };
        const auto den_of = [&](std::size_t s) { return result.values[3 * s + 1]; };
        const auto [num, den, adm2, aim] = combined(result.values, std::int64_t(plan_.width) * plan_.height);

        sink.score(kFeatures[0], index, adm2);
        sink.score(kFeatures[1], index, aim);
        sink.score(kFeatures[2], index, adm3(adm2, aim));
        for (std::size_t s = 0; s < kScales; s++) sink.score(kFeatures[3 + s], index, num_of(s) / den_of(s));
        if (!combination_.debug) return;
        sink.score("adm", index, adm2);
        sink.score(kFeatures[kNumFeature], index, num);
        sink.score(kFeatures[kNumFeature + 1], index, den);
        for (std::size_t s = 0; s < kScales; s++) {
            sink.score(kFeatures[kFirstScaleFeature + 2 * s], index, num_of(s));
            sink.score(kFeatures[kFirstScaleFeature + 2 * s + 1], index, den_of(s));
        }
    }

    std::span<const std::string_view> local_names() const override {
        return std::span(kFeatures).first(kLocalFeatures);
    }
    std::size_t tile_words() const override { return kTileWords; }
    bool has_real_tiles() const override { return true; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &area,
                      std::span<double> scores) const override {
        std::array<double, 3 * kScales> values{};
        for (std::size_t s = plan_.skip_scale0 ? 1 : 0; s < kScales; s++) {
            const auto word = [&](std::size_t kind, std::size_t band, std::size_t i) {
                return std::bit_cast<double>(sums[s * kFloatTileWords + 2 * (kind * kBands + band) + i]);
            };
            const auto of = [&](std::size_t kind, double noise_weight) {
                const FloatRowSums::PerBand bands = {float(word(kind, 0, 0)), float(word(kind, 1, 0)),
                                                     float(word(kind, 2, 0))};
                return double(pooled(bands, word(kind, 0, 1), plan_.exponent, noise_weight));
            };
            values[3 * s] = of(1, combination_.noise_weight);
            values[3 * s + 1] = of(0, combination_.noise_weight);
            values[3 * s + 2] = of(2, 0.0);
        }
        const auto [num, den, adm2, aim] = combined(values, std::int64_t(area.width()) * area.height());
        scores[0] = adm2, scores[1] = aim, scores[2] = adm3(adm2, aim);
        for (std::size_t s = 0; s < kScales; s++) scores[3 + s] = values[3 * s] / values[3 * s + 1];
    }

  private:
    struct Combined {
        double num, den, adm2, aim;
    };
    // 3.11 and 4.8; `values`: num, den and aim per scale.
    Combined combined(std::span<const double> values, std::int64_t pixels) const {
        double num = 0, den = 0, aim_num = 0, aim_den = 0;
        for (std::size_t s = 0; s < kScales; s++) {
            num += values[3 * s], den += values[3 * s + 1];
            if (int(s) == combination_.skip_aim_scale) continue;
            aim_num += values[3 * s + 2], aim_den += values[3 * s + 1];
        }
        const double limit = 1e-10 * double(pixels) / (1920.0 * 1080.0);
        if (num < limit) num = 0;
        if (den < limit) den = 0;
        const double ratio = aim_num / aim_den;
        return {num, den, den == 0 ? 1 : num / den, den == 0 ? 0 : ratio < 1 ? ratio : 1};
    }

    double adm3(double adm2, double aim) const {
        const double weight = combination_.dlm_weight;
        const double mix =
            combination_.harmonic ? 2 * adm2 * aim / (adm2 + aim) : adm2 * weight + (1 - aim) * (1 - weight);
        return mix > combination_.min_val ? mix : combination_.min_val;
    }

    FloatPlan plan_;
    Combination combination_;
};

} // namespace

const MetricInfo float_adm_metric = {
    .name = "float_adm",
    .summary = "detail loss (adm2), additive impairment (aim) and their mix (adm3), single precision",
    .options = kOptions,
    .provides = kFeatures,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &o) -> std::unique_ptr<Metric> { return std::make_unique<FloatAdmMetric>(o); },
};

} // namespace vmaf
