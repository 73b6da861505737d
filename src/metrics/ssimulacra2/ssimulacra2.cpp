#include "metrics/ssimulacra2/ssimulacra2.hpp"

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "metrics/ssimulacra2/ssimulacra2_device.hpp"
#include "metrics/ssimulacra2/ssimulacra2_pass.hpp"

namespace vmaf {

namespace ssimulacra2 {
namespace {

constexpr OptionSpec kOptions[] = {
    {"yuv_matrix", "", "0: BT.709 limited range, 1: BT.601 limited, 2: BT.709 full, 3: BT.601 full", 0, 0, 3, false},
};
constexpr std::string_view kProvides[] = {"ssimulacra2"};

class Scorer final : public FrameScorer {
  public:
    Scorer(const PictureFormat &format, int matrix, Isa isa) : passes_(format, matrix, isa) {}

    void measure(const FrameInput &frame, FrameResult &result) override {
        result.values[0] = passes_.score(frame.ref, frame.dist, frame.parallel);
    }

  private:
    Passes passes_;
};

class Ssimulacra2Metric final : public Metric {
  public:
    explicit Ssimulacra2Metric(const OptionValues &options) : matrix_(options.integer("yuv_matrix")) {}

    void prepare(const PictureFormat &format) override {
        if (!format.has_chroma())
            throw invalid("feature 'ssimulacra2' needs colour pictures (4:2:0, 4:2:2 or 4:4:4); these are 4:0:0");
        format_ = format;
    }

    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<Scorer>(format_, matrix_, isa);
    }

    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return ssimulacra2::make_device_scorer(format_, matrix_, device);
    }

    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        sink.score(kProvides[0], index, result.values[0]);
    }

  private:
    int matrix_;
    PictureFormat format_;
};

} // namespace
} // namespace ssimulacra2

const MetricInfo ssimulacra2_metric = {
    .name = "ssimulacra2",
    .summary = "perceptual quality of the JPEG XL family; 100 is identical, 90 visually lossless, may be negative",
    .options = ssimulacra2::kOptions,
    .provides = ssimulacra2::kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &options) -> std::unique_ptr<Metric> {
        return std::make_unique<ssimulacra2::Ssimulacra2Metric>(options);
    },
};

} // namespace vmaf
