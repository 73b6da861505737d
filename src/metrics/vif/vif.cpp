#include "metrics/vif/vif.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "metrics/reference_halves.hpp"
#include "metrics/vif/vif_device.hpp"
#include "metrics/vif/vif_scores.hpp"
#include "metrics/vif/vif_strip.hpp"

namespace vmaf {

namespace vif {

std::span<const std::uint16_t, 32768> log_table() {
    static std::array<std::uint16_t, 32768> table; // no constant, of which the library would be larger
    [[maybe_unused]] static const bool is_filled = [] {
        // The closed form of 2.7; its odd constant accounts for a rounding to float before the one to an integer.
        for (std::size_t i = 0; i < table.size(); i++)
            table[i] = std::uint16_t(std::floor(2048.0 * std::log2(double(i + 32768)) + 0.5009765625));
        return true;
    }();
    return table;
}

ScaleSums &ScaleSums::operator+=(const ScaleSums &other) {
    num_log += other.num_log;
    den_log += other.den_log;
    num_noise += other.num_noise;
    den_noise += other.den_noise;
    return *this;
}

void store_sums(const FrameSums &sums, FrameResult &result) {
    double *out = result.values.data();
    for (const ScaleSums &s : sums)
        for (std::int64_t value : {s.num_log, s.den_log, s.num_noise, s.den_noise})
            *out++ = std::bit_cast<double>(value);
}

FrameSums load_sums(const FrameResult &result) {
    FrameSums sums;
    const double *in = result.values.data();
    for (ScaleSums &s : sums)
        for (std::int64_t *value : {&s.num_log, &s.den_log, &s.num_noise, &s.den_noise})
            *value = std::bit_cast<std::int64_t>(*in++);
    return sums;
}

ScaleScore scale_score(const ScaleSums &sums) {
    const double below_noise = double(sums.den_noise);
    return {float(double(sums.num_log) / 2048.0 + (below_noise - (double(sums.num_noise) / 16384.0) / 65025.0)),
            float(double(sums.den_log) / 2048.0 + below_noise)};
}

namespace {

constexpr OptionSpec kOptions[] = {
    {"debug", "", "also report numerators, denominators and the score of all scales together", false, 0, 0, false,
     kLate},
    {"vif_enhn_gain_limit", "egl", "upper bound of the local gain; 1 gives no credit for enhancement", 100.0, 1.0,
     100.0, true, kLate},
    {"vif_skip_scale0", "ssclz", "leave scale 0 out", false, 0, 0, true, kLate},
};

constexpr std::array<std::string_view, kScales> kScoreNames = {
    "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};
constexpr std::array<std::string_view, kScales> kNumNames = {"integer_vif_num_scale0", "integer_vif_num_scale1",
                                                             "integer_vif_num_scale2", "integer_vif_num_scale3"};
constexpr std::array<std::string_view, kScales> kDenNames = {"integer_vif_den_scale0", "integer_vif_den_scale1",
                                                             "integer_vif_den_scale2", "integer_vif_den_scale3"};
constexpr std::string_view kProvides[] = {kScoreNames[0], kScoreNames[1],    kScoreNames[2],    kScoreNames[3],
                                          "integer_vif",  "integer_vif_num", "integer_vif_den", kNumNames[0],
                                          kDenNames[0],   kNumNames[1],      kDenNames[1],      kNumNames[2],
                                          kDenNames[2],   kNumNames[3],      kDenNames[3]};

// Of FrameResult::tiles: the sums per scale.
constexpr std::size_t kScaleWords = 4, kTileWords = kScales * kScaleWords;

struct Settings {
    bool debug, skip_scale0;
    double gain_limit;
};

// What one encode keeps for others of the same reference picture (ReferenceHalves).
struct Half final : ReferenceHalf {
    std::array<AlignedArray<std::int32_t>, kScales> moments; // means and variances (Strip::half_to_make)
    std::array<AlignedArray<std::uint16_t>, kScales> levels; // the pyramid; level 0 is the picture
    FrameSums denominators;                                  // only these are used
};

// Measures all members of a family: filters once, numerators for each distinct gain limit.
class VifScorer final : public FrameScorer, public SharesReference {
  public:
    VifScorer(const PictureFormat &format, std::span<const Settings> members, Isa isa)
        : isa_(isa), width_(int(format.width)), height_(int(format.height)) {
        for (const Settings &member : members) {
            const auto known = std::find(limits_.begin(), limits_.end(), member.gain_limit);
            members_.push_back({std::size_t(known - limits_.begin()), member.skip_scale0});
            if (known == limits_.end()) limits_.push_back(member.gain_limit);
            skip_scale0_ = skip_scale0_ && member.skip_scale0;
        }
        sums_.resize(limits_.size());
        for (int s = 1; s < kScales; s++) {
            Level &level = levels_[std::size_t(s)];
            level.stride = round_up((width_ >> s) + kNextScaleSlack, 32);
            const auto samples = std::size_t(level.stride) * std::size_t(height_ >> s);
            level.ref = AlignedArray<std::uint16_t>(samples);
            level.dist = AlignedArray<std::uint16_t>(samples);
        }
        workers_.push_back(make_worker(width_, isa_));
        half_key_ = "vif " + std::to_string(int(isa_)) + (skip_scale0_ ? " without scale 0" : "");
        can_keep_ = !narrow();
        for (int s = 0; s < kScales; s++) can_keep_ = can_keep_ && workers_[0]->half_row(s) > 0;
    }

    void measure(const FrameInput &frame, FrameResult &result) override { measure_family(frame, {&result, 1}); }

    void measure_family(const FrameInput &frame, std::span<FrameResult> results) override {
        if (frame.tiles) results[0].tiles.assign(frame.tiles->count() * kTileWords, 0);
        HalfClaim claim(can_keep_ && !frame.tiles ? shared_.halves : nullptr, half_key_, [&] { return make_half(); });
        half_ = claim.half<Half>();
        for (std::size_t first = 0; first < limits_.size(); first += kLimitsAtOnce) {
            pass_limits_.count = std::min(limits_.size() - first, kLimitsAtOnce);
            std::copy_n(limits_.begin() + std::ptrdiff_t(first), pass_limits_.count, pass_limits_.values.begin());
            is_kept_ = claim.is_ready();
            for (int s = 0; s < kScales; s++) {
                StripSums sums = scale_sums(s, frame);
                if (half_) share_denominators(sums.first, half_->denominators[std::size_t(s)]);
                if (frame.tiles) store_tiles(s, frame.tiles->count(), results[0]);
                for (std::size_t l = 0; l < pass_limits_.count; l++) sums_[first + l][std::size_t(s)] = sums.of(l);
            }
            if (half_ && !is_kept_) claim.made();
        }
        for (std::size_t i = 0; i < results.size(); i++) {
            FrameSums sums = sums_[members_[i].limit];
            if (members_[i].skip_scale0) sums[0] = {};
            store_sums(sums, results[i]);
        }
    }

  private:
    struct Member {
        std::size_t limit; // its index in limits_
        bool skip_scale0;
    };

    StripSums scale_sums(int scale, const FrameInput &frame) {
        if (scale == 3 && narrow()) return narrow_scale3_sums(images(2, frame), images(3, frame), pass_limits_);
        const unsigned strips = strip_count(scale, frame.parallel);
        if (frame.tiles) tile_sums_.assign(strips * frame.tiles->count(), {});
        if (strips == 1) return workers_[0]->run(strip(scale, 0, 1, frame));
        partial_.assign(strips, {});
        frame.parallel.run(strips, [&](unsigned i) { partial_[i] = workers_[i]->run(strip(scale, i, strips, frame)); });
        StripSums sums;
        for (const StripSums &part : partial_) sums += part;
        return sums;
    }

    struct Level {
        AlignedArray<std::uint16_t> ref, dist;
        int stride = 0;
    };

    std::unique_ptr<ReferenceHalf> make_half() const {
        auto half = std::make_unique<Half>();
        for (std::size_t s = 0; s < kScales; s++) {
            const std::size_t rows = s == 0 && skip_scale0_ ? 1 : std::size_t(height_ >> s);
            half->moments[s] = Half::memory<std::int32_t>(workers_[0]->half_row(int(s)) * rows);
            if (s > 0) half->levels[s] = Half::memory<std::uint16_t>(std::size_t(levels_[s].stride) * rows);
        }
        return half;
    }
    // Sums of a scale with a half are complete in its first encode.
    void share_denominators(ScaleSums &sums, ScaleSums &kept) const {
        if (is_kept_) {
            sums.den_log = kept.den_log;
            sums.den_noise = kept.den_noise;
        } else {
            kept.den_log = sums.den_log;
            kept.den_noise = sums.den_noise;
        }
    }
    std::uint16_t *ref_level(std::size_t scale) {
        return half_ ? half_->levels[scale].data() : levels_[scale].ref.data();
    }

    // Over all strips.
    void store_tiles(int scale, std::size_t tiles, FrameResult &result) const {
        for (std::size_t i = 0; i < tile_sums_.size(); i++) {
            const ScaleSums &s = tile_sums_[i];
            std::int64_t *out = result.tiles.data() + i % tiles * kTileWords + std::size_t(scale) * kScaleWords;
            for (const std::int64_t value : {s.num_log, s.den_log, s.num_noise, s.den_noise}) *out++ += value;
        }
    }

    bool narrow() const { return std::min(width_, height_) < 2 * kSmallestSide; }

    // Strips share only the rows around their edges, which each filters itself: low strips do not pay.
    unsigned strip_count(int scale, const Parallel &parallel) {
        constexpr int lowest = 32;
        const unsigned strips =
            std::clamp(unsigned(std::max((height_ >> scale) / lowest, 0)), 1u, std::max(parallel.threads(), 1u));
        while (workers_.size() < strips) workers_.push_back(make_worker(width_, isa_));
        return strips;
    }

    ScaleImages images(int scale, const FrameInput &frame) {
        ScaleImages images;
        images.width = width_ >> scale;
        images.height = height_ >> scale;
        if (scale == 0) {
            images.ref = frame.ref.data(0);
            images.dist = frame.dist.data(0);
            images.ref_stride = frame.ref.stride_bytes(0);
            images.dist_stride = frame.dist.stride_bytes(0);
            images.bits = frame.ref.format().bits;
        } else {
            const Level &level = levels_[std::size_t(scale)];
            images.ref = ref_level(std::size_t(scale));
            images.dist = level.dist.data();
            images.ref_stride = images.dist_stride = level.stride * std::ptrdiff_t(sizeof(std::uint16_t));
        }
        return images;
    }

    Strip strip(int scale, unsigned index, unsigned count, const FrameInput &frame) {
        Strip strip;
        strip.scale = scale;
        strip.images = images(scale, frame);
        const auto edge = [&](unsigned i) {
            const auto height = std::uint64_t(strip.images.height);
            return i == count ? int(height) : int(height * i / count / 2 * 2);
        };
        strip.first_row = edge(index);
        strip.end_row = edge(index + 1);
        strip.statistics = scale > 0 || !skip_scale0_;
        strip.limits = pass_limits_;
        if (half_) {
            std::int32_t *const moments = half_->moments[std::size_t(scale)].data();
            if (is_kept_)
                strip.half_kept = moments;
            else
                strip.half_to_make = moments;
        }
        if (frame.tiles) {
            strip.tiles = frame.tiles;
            strip.tile_sums = tile_sums_.data() + index * frame.tiles->count();
        }
        if (scale + 1 < kScales) {
            Level &next = levels_[std::size_t(scale) + 1];
            strip.next_ref = is_kept_ ? nullptr : ref_level(std::size_t(scale) + 1);
            strip.next_dist = next.dist.data();
            strip.next_stride = next.stride;
        }
        return strip;
    }

    std::vector<Member> members_;
    std::vector<double> limits_;  // of the members, each once
    std::vector<FrameSums> sums_; // per limit
    GainLimits pass_limits_;      // of the current pass
    bool skip_scale0_ = true;     // all members skip it
    std::string half_key_;
    bool can_keep_ = false;
    Half *half_ = nullptr; // of the current frame; null: nothing is kept
    bool is_kept_ = false; // by another encode, or by an earlier pass
    Isa isa_;
    int width_, height_;
    std::array<Level, kScales> levels_; // the pyramid; level 0 is the picture
    std::vector<std::unique_ptr<StripWorker>> workers_;
    std::vector<StripSums> partial_;
    std::vector<ScaleSums> tile_sums_; // of each strip's tiles
};

class VifMetric final : public Metric {
  public:
    explicit VifMetric(const OptionValues &options)
        : settings_{options.flag("debug"), options.flag("vif_skip_scale0"), options.real("vif_enhn_gain_limit")} {}

    PlanesRead planes_read() const override { return {.ref = kLuma, .dist = kLuma}; }
    void prepare(const PictureFormat &format) override {
        if (format.width < kSmallestSide || format.height < kSmallestSide)
            throw invalid("feature 'vif' needs pictures of at least 8x8 pixels; these are " +
                          std::to_string(format.width) + "x" + std::to_string(format.height));
        format_ = format;
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<VifScorer>(format_, std::span(&settings_, 1), isa);
    }
    std::unique_ptr<FrameScorer> make_family_scorer(std::span<const Metric *const> members, Isa isa) const override {
        std::vector<Settings> settings;
        for (const Metric *member : members) settings.push_back(static_cast<const VifMetric *>(member)->settings_);
        return std::make_unique<VifScorer>(format_, settings, isa);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return vif::make_device_scorer(format_, settings_.gain_limit, nullptr, device);
    }
    std::unique_ptr<DeviceScorer> make_family_device_scorer(std::span<const Metric *const> members,
                                                            Device &device) const override {
        std::vector<double> limits;
        for (const Metric *member : members)
            limits.push_back(static_cast<const VifMetric *>(member)->settings_.gain_limit);
        return vif::make_family_device_scorer(format_, limits, device);
    }
    std::unique_ptr<DeviceScorer> make_tiling_device_scorer(Device &device, const TileGrid &tiles) const override {
        return vif::make_device_scorer(format_, settings_.gain_limit, &tiles, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const FrameSums sums = load_sums(result);
        report_vif(kProvides, settings_.skip_scale0, settings_.debug, index, sink, [&](std::size_t s) {
            const ScaleScore score = scale_score(sums[s]);
            return VifScaleSums{double(score.num), double(score.den), double(score.num / score.den)}; // of floats
        });
    }

    std::span<const std::string_view> local_names() const override { return kScoreNames; }
    std::size_t tile_words() const override { return kTileWords; }
    void local_scores(std::span<const std::int64_t> sums, const PictureArea &,
                      std::span<double> scores) const override {
        for (std::size_t s = 0; s < kScales; s++) {
            const std::int64_t *words = sums.data() + s * kScaleWords;
            const ScaleScore score = scale_score({words[0], words[1], words[2], words[3]});
            scores[s] = s == 0 && settings_.skip_scale0 ? 0.0 : double(score.num / score.den);
        }
    }

  private:
    Settings settings_;
    PictureFormat format_;
};

} // namespace
} // namespace vif

const MetricInfo vif_metric = {
    .name = "vif",
    .summary = "visual information fidelity of luma on four scales, fixed point",
    .options = vif::kOptions,
    .provides = vif::kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<vif::VifMetric>(options);
    },
};

} // namespace vmaf
