#include "metrics/adm/adm.hpp"

#include <functional>
#include <string_view>
#include <vector>

#include "metrics/adm/adm_device.hpp"
#include "metrics/adm/plan.hpp"
#include "metrics/adm/rows.hpp"
#include "metrics/adm/sweep.hpp"

namespace vmaf {

namespace {

using namespace adm;

constexpr OptionSpec kOptions[] = {
    {"debug", "", "also emit numerators and denominators", false},
    {"adm_csf_scale", "scf", "factor of the contrast sensitivity for H and V (Barten mode)", 1.0, 0, 50, true},
    {"adm_csf_diag_scale", "scfd", "factor of the contrast sensitivity for D (Barten mode)", 1.0, 0, 50, true},
    {"adm_dlm_weight", "dlmw", "weight of adm2 against 1 - aim in adm3", 0.5, 0, 1, true},
    {"adm_enhn_gain_limit", "egl", "largest enhancement that counts; 1: none", 100.0, 1, 100, true},
    {"adm_norm_view_dist", "nvd", "viewing distance in display heights", 3.0, 0.75, 24, true},
    {"adm_ref_display_height", "rdh", "display height in pixels", 1080, 1, 4320, true},
    {"adm_csf_mode", "csf", "contrast sensitivity: 0 Watson, 1 Barten, 2 and 3 blended tables", 0, 0, 3, true},
    {"adm_noise_weight", "nw", "noise floor of numerators and denominators", 0.03125, 0, 1500, true},
    {"adm_skip_aim", "", "do not measure additive impairment: aim is 0", false},
    {"adm_skip_scale0", "ssz", "leave the finest scale out", false, 0, 0, true},
    {"adm_min_val", "min", "lower limit of adm3", 0.0, 0, 1, true},
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

class Scorer final : public FrameScorer {
  public:
    Scorer(const Plan &plan, const RowFunctions &functions) : plan_(plan), functions_(functions) {
        whole_.emplace_back(plan_, functions_);
    }

    void measure(const FrameInput &frame, FrameResult &result) override {
        const FrameSums sums = plan_.bits == 8 ? frame_sums<std::uint8_t>(frame) : frame_sums<std::uint16_t>(frame);
        store_sums(sums, result);
    }

  private:
    template <class T> FrameSums frame_sums(const FrameInput &frame) {
        const PlaneView<T> ref = frame.ref.plane<T>(0), dist = frame.dist.plane<T>(0);
        const int parts = sensible_parts(plan_.height, int(frame.parallel.threads()));
        FrameSums total{};
        if (parts == 1) {
            whole_[0].run(ref, dist, total);
            return total;
        }
        if (int(parts_.size()) != parts) { // once, when the number of threads becomes known
            parts_.clear();
            for (int i = 0; i < parts; i++) parts_.emplace_back(plan_, functions_, i, parts);
            part_sums_.resize(parts_.size());
        }
        const auto part = [&](unsigned i) {
            part_sums_[i] = FrameSums{};
            parts_[i].run(ref, dist, part_sums_[i]);
        };
        frame.parallel.run(unsigned(parts), std::ref(part));
        for (const FrameSums &sums : part_sums_)
            for (std::size_t s = 0; s < kScales; s++)
                for (std::size_t b = 0; b < kBands; b++) {
                    total[s].den[b] += sums[s].den[b];
                    total[s].num[b] += sums[s].num[b];
                    total[s].aim[b] += sums[s].aim[b];
                }
        return total;
    }

    const Plan &plan_;
    const RowFunctions &functions_;
    std::vector<Sweep> whole_, parts_;
    std::vector<FrameSums> part_sums_;
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
        return std::make_unique<Scorer>(plan_, rows_for(isa));
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return adm::make_device_scorer(plan_, device);
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

  private:
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
