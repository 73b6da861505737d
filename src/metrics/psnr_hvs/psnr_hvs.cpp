#include "metrics/psnr_hvs/psnr_hvs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/aligned.hpp"
#include "metrics/device_scorer.hpp"
#include "metrics/format_checks.hpp"

namespace vmaf {

namespace psnr_hvs {

int blocks_along(unsigned size) { return size < 8 ? 0 : int(size - 8) / kBlockStep + 1; }

double plane_score(float sum, const PictureFormat &format, unsigned plane) {
    const int columns = blocks_along(format.plane_width(plane)), rows = blocks_along(format.plane_height(plane));
    const int peak = (1 << format.bits) - 1;
    return double(sum / float(64 * columns * rows) / float(peak * peak));
}

} // namespace psnr_hvs

namespace {

using namespace psnr_hvs;

constexpr std::string_view kProvides[] = {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};
constexpr int kBandRows = 4; // rows of blocks per thread at a time

class PsnrHvsScorer final : public FrameScorer {
  public:
    PsnrHvsScorer(const PictureFormat &format, Isa isa) : functions_(pick_functions(isa)), format_(format) {}

    void measure(const FrameInput &frame, FrameResult &result) override {
        for (unsigned plane = 0; plane < 3; plane++)
            result.values[plane] = format_.bits == 8 ? plane_error<std::uint8_t>(frame, plane, functions_.errors_u8)
                                                     : plane_error<std::uint16_t>(frame, plane, functions_.errors_u16);
    }

  private:
    struct Band {
        std::array<AlignedArray<float>, kBandRows> terms;
        std::array<std::size_t, kBandRows> count{};
    };

    // 9.1: one chain of f32 additions over all blocks of the plane, whichever thread made the terms.
    template <class T, class Errors> double plane_error(const FrameInput &frame, unsigned plane, const Errors &errors) {
        const PlaneView<T> ref = frame.ref.plane<T>(plane), dist = frame.dist.plane<T>(plane);
        const int columns = blocks_along(format_.plane_width(plane)), rows = blocks_along(format_.plane_height(plane));
        const unsigned tasks = frame.parallel.threads();
        while (bands_.size() < tasks) {
            Band &band = bands_.emplace_back();
            for (auto &terms : band.terms)
                terms = AlignedArray<float>(64 * std::size_t(blocks_along(format_.width) + 1));
        }
        float sum = 0.0f;
        for (int y = 0; y < rows; y += int(tasks) * kBandRows) {
            const auto rows_of = [&](unsigned i) { return std::clamp(rows - y - int(i) * kBandRows, 0, kBandRows); };
            frame.parallel.run(tasks, [&](unsigned i) {
                for (int r = 0; r < rows_of(i); r++) {
                    const int top = (y + int(i) * kBandRows + r) * kBlockStep;
                    const BlockRow<T> row = {ref.row(top), dist.row(top),          ref.stride, dist.stride, columns,
                                             format_.bits, &kContrastTables[plane]};
                    bands_[i].count[std::size_t(r)] = errors(row, bands_[i].terms[std::size_t(r)].data());
                }
            });
            for (unsigned i = 0; i < tasks; i++)
                for (std::size_t r = 0; r < std::size_t(rows_of(i)); r++)
                    for (std::size_t t = 0; t < bands_[i].count[r]; t++) sum += bands_[i].terms[r][t];
        }
        return plane_score(sum, format_, plane);
    }

    const Functions &functions_;
    PictureFormat format_;
    std::vector<Band> bands_;
};

double in_decibels(double error) { return 10 * (-1 * std::log10(error)); }

class PsnrHvs final : public Metric {
  public:
    void prepare(const PictureFormat &format) override {
        require_chroma("psnr_hvs", format);
        if (format.bits > 12)
            throw invalid("feature 'psnr_hvs' works up to 12 bits per sample; these pictures have " +
                          std::to_string(format.bits));
        format_ = format;
    }
    std::unique_ptr<FrameScorer> make_scorer(Isa isa) const override {
        return std::make_unique<PsnrHvsScorer>(format_, isa);
    }
    std::unique_ptr<DeviceScorer> make_device_scorer(Device &device) const override {
        return psnr_hvs::make_device_scorer(format_, device);
    }
    void emit(unsigned index, const FrameResult &result, ScoreSink &sink) override {
        const double y = result.values[0], cb = result.values[1], cr = result.values[2];
        sink.score("psnr_hvs_y", index, in_decibels(y));
        sink.score("psnr_hvs_cb", index, in_decibels(cb));
        sink.score("psnr_hvs_cr", index, in_decibels(cr));
        sink.score("psnr_hvs", index, in_decibels(y * 0.8 + 0.1 * (cb + cr)));
    }

  private:
    PictureFormat format_;
};

} // namespace

const MetricInfo psnr_hvs_metric = {
    .name = "psnr_hvs",
    .summary = "PSNR weighted by contrast sensitivity, with masking",
    .options = {},
    .provides = kProvides,
    .every_frame = false,
    .on_devices = true,
    .create = [](const OptionValues &) -> std::unique_ptr<Metric> { return std::make_unique<PsnrHvs>(); },
};

} // namespace vmaf
