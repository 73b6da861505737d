#include "device/trace.hpp"
#include "metrics/ansnr/ansnr.hpp"
#include "metrics/ansnr/ansnr_kernels.hpp"
#include "metrics/device_scorer.hpp"

namespace vmaf::ansnr {

namespace {

using namespace kernels;

class AnsnrDevice final : public DeviceScorer {
  public:
    AnsnrDevice(const PictureFormat &format, Device &device)
        : format_(format), energies_(device.load({"ansnr", format.bits == 8 ? "ansnr_8" : "ansnr_16"})),
          totals_kernel_(device.load({"ansnr", "ansnr_totals"})), signal_(scratch_.add<float>(format.height)),
          noise_(scratch_.add<float>(format.height)), totals_(results_.add<float>(2)) {}

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("float_ansnr");
        AnsnrArgs args{};
        args.luma = batch.planes(0);
        args.width = static_cast<int>(format_.width);
        args.height = static_cast<int>(format_.height);
        args.scale = 1.0f / static_cast<float>(1 << (format_.bits - 8));
        args.signal = batch.scratch_of(signal_);
        args.noise = batch.scratch_of(noise_);
        launch(queue, energies_, {1, blocks_for(args.height, energies_.shape.tile_height), batch.count}, args);
        LineTotalsArgs totals{};
        totals.lines[0] = args.signal;
        totals.lines[1] = args.noise;
        totals.count[0] = totals.count[1] = args.height;
        totals.totals = batch.results_of(totals_);
        launch(queue, totals_kernel_, {2, 1, batch.count}, totals);
    }

    void collect(const DeviceResult &from, FrameResult &result) const override {
        store_energies(from.of(totals_)[0], from.of(totals_)[1], result);
    }

  private:
    PictureFormat format_;
    LoadedKernel energies_, totals_kernel_;
    Piece<float> signal_, noise_, totals_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_device_scorer(const PictureFormat &format, Device &device) {
    return std::make_unique<AnsnrDevice>(format, device);
}

} // namespace vmaf::ansnr
