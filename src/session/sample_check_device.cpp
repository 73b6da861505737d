#include "session/sample_check_device.hpp"

#include "device/trace.hpp"
#include "session/sample_check_kernels.hpp"

namespace vmaf {

namespace {

using namespace kernels;

class SampleCheck final : public DeviceScorer {
  public:
    SampleCheck(const PictureFormat &format, Device &device)
        : format_(format), kernel_(device.load({"samples", "samples_above_depth"})),
          found_(results_.add<u32>(kCheckedPlanes * sizeof(SamplesFound) / sizeof(u32))) {
        planes_ = {.ref = 0, .dist = 0}; // what other scorers read
    }

    void enqueue(Queue &queue, const DeviceBatch &batch) const override {
        const TraceRange trace("samples");
        SampleCheckArgs args{};
        unsigned columns = 1, rows = 0; // of blocks
        for (unsigned i = 0; i < kCheckedPlanes; i++) {
            const unsigned p = i % 3;
            args.first_block[i] = static_cast<int>(rows);
            if (p >= format_.planes()) continue; // has no rows of blocks
            args.plane[i] = i < 3 ? batch.planes(p).ref : batch.planes(p).dist;
            args.width[i] = static_cast<int>(format_.plane_width(p));
            args.height[i] = static_cast<int>(format_.plane_height(p));
            args.pitch[i] = batch.pitch(p);
            bool is_read = false;
            for (unsigned f = 0; f < batch.count; f++) is_read |= args.plane[i].plane[f] != nullptr;
            if (!is_read) continue;
            const unsigned across = blocks_for(args.width[i], kernel_.shape.tile_width);
            const unsigned down = blocks_for(args.height[i], kernel_.shape.tile_height);
            columns = std::max(columns, across);
            rows += down;
            args.blocks[i] = static_cast<int>(down); // multiplied by the grid's columns below
        }
        if (rows == 0) return;
        for (int &blocks : args.blocks) blocks *= static_cast<int>(columns);
        args.bits = static_cast<int>(format_.bits);
        args.found = batch.results_of(found_);
        launch(queue, kernel_, {columns, rows, batch.count}, args);
    }

    void collect(const DeviceResult &from, FrameResult &) const override {
        const auto *const found = reinterpret_cast<const SamplesFound *>(from.of(found_));
        for (unsigned i = 0; i < kCheckedPlanes; i++) {
            if (found[i].first == 0) continue;
            const unsigned place = ~found[i].first, width = format_.plane_width(i % 3);
            throw sample_above_depth(from.index, i < 3 ? SampleOwner::reference : SampleOwner::distorted,
                                     {.bits = format_.bits,
                                      .plane = i % 3,
                                      .x = place % width,
                                      .y = place / width,
                                      .value = found[i].value,
                                      .is_aligned_high = found[i].has_low_bits == 0});
        }
    }

  private:
    PictureFormat format_;
    LoadedKernel kernel_;
    Piece<u32> found_;
};

} // namespace

std::unique_ptr<DeviceScorer> make_sample_check(const PictureFormat &format, Device &device) {
    return std::make_unique<SampleCheck>(format, device);
}

} // namespace vmaf
