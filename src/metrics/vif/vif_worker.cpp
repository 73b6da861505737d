// Strips by vector code, except where a scale is too narrow.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "metrics/vif/vif_strip.hpp"

namespace vmaf::vif {

namespace {

class VectorWorker final : public StripWorker {
  public:
    // `codes` in order of preference: those with shorter vectors handle narrower strips.
    VectorWorker(int width, std::vector<const StripCode *> codes) : width_(width), codes_(std::move(codes)) {
        std::size_t bytes = 0;
        for (const StripCode *code : codes_) bytes = std::max(bytes, code->scratch_bytes(width));
        scratch_ = AlignedArray<std::byte>(bytes);
        for (int scale = 0; scale < kScales && !scalar_; scale++)
            if (!code_for(scale, width >> scale)) scalar_ = make_scalar_worker(width >> scale);
    }

    StripSums run(const Strip &strip) override {
        const StripCode *const code = code_for(strip.scale, strip.images.width);
        return code ? code->run(strip, scratch_.data()) : scalar_->run(strip);
    }

    std::size_t half_row(int scale) const override {
        const StripCode *const code = code_for(scale, width_ >> scale);
        return code ? code->half_row(width_ >> scale) : 0;
    }

  private:
    const StripCode *code_for(int scale, int width) const {
        for (const StripCode *code : codes_)
            if (code->wide_enough(scale, width)) return code;
        return nullptr;
    }

    const int width_; // of scale 0
    std::vector<const StripCode *> codes_;
    AlignedArray<std::byte> scratch_;
    std::unique_ptr<StripWorker> scalar_; // null if every scale is wide enough
};

} // namespace

std::unique_ptr<StripWorker> make_worker(int width, Isa isa) {
    const StripCode *code = pick_strip_code(isa);
    if (!code) return make_scalar_worker(width);
    std::vector<const StripCode *> codes = {code};
    if (const StripCode *shorter = isa > Isa::avx2 ? pick_strip_code(Isa::avx2) : nullptr) codes.push_back(shorter);
    return std::make_unique<VectorWorker>(width, std::move(codes));
}

} // namespace vmaf::vif
