// Strips by vector code, except where a scale is too narrow for it.
#include "base/aligned.hpp"
#include "metrics/vif/vif_strip.hpp"

namespace vmaf::vif {

namespace {

class VectorWorker final : public StripWorker {
  public:
    VectorWorker(int width, const StripCode &code) : code_(code), scratch_(code.scratch_bytes(width)) {
        for (int scale = 0; scale < kScales && !scalar_; scale++)
            if (!code.wide_enough(scale, width >> scale)) scalar_ = make_scalar_worker(width >> scale);
    }

    ScaleSums run(const Strip &strip) override {
        if (!code_.wide_enough(strip.scale, strip.images.width)) return scalar_->run(strip);
        return code_.run(strip, scratch_.data());
    }

  private:
    const StripCode &code_;
    AlignedArray<std::byte> scratch_;
    std::unique_ptr<StripWorker> scalar_; // null if every scale is wide enough
};

} // namespace

std::unique_ptr<StripWorker> make_worker(int width, Isa isa) {
    const StripCode *code = pick_strip_code(isa);
    if (!code) return make_scalar_worker(width);
    return std::make_unique<VectorWorker>(width, *code);
}

} // namespace vmaf::vif
