// The built-in models (models.md 4).
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "config.h"
#include "model/model.hpp"
#include "model/packed_models.hpp"
#include "resources/resources.hpp"
#include "resources/unpack.hpp"

namespace vmaf {

namespace {

constexpr auto kVersions = std::to_array<BuiltinModel>({
    {"vmaf_v0.6.1", "television at three picture heights, 1080p; the default", false},
        {"vmaf_v0.6.1neg", "the same without credit for sharpening and contrast", false},
        {"vmaf_4k_v0.6.1", "2160p at one and a half picture heights", false},
        {"vmaf_4k_v0.6.1neg", "the same without credit for sharpening and contrast", false},
        {"vmaf_b_v0.6.3", "v0.6.1 with a confidence interval from 20 bootstrap members", true},
#if VMAF_ENABLE_FLOAT
        {"vmaf_float_v0.6.1", "v0.6.1 on floating-point features", false},
        {"vmaf_float_v0.6.1neg", "v0.6.1neg on floating-point features", false},
        {"vmaf_float_4k_v0.6.1", "4k_v0.6.1 on floating-point features", false},
        {"vmaf_float_b_v0.6.3", "b_v0.6.3 on floating-point features", true},
#endif
        {"vmaf_v1.0.16_3d0h", "VMAF v1: 1080p at three picture heights", false},
        {"vmaf_v1.0.16_3d0h_2160", "VMAF v1: 2160p at three picture heights", false},
        {"vmaf_v1.0.16_5d0h", "VMAF v1: 1080p at five picture heights", false},
        {"vmaf_v1.0.16_1d5h_2160", "VMAF v1: 2160p at one and a half picture heights", false},
        {"vmaf_v1.0.16_hfr_3d0h", "v1.0.16_3d0h for high frame rates", false},
        {"vmaf_v1.0.16_hfr_3d0h_2160", "v1.0.16_3d0h_2160 for high frame rates", false},
        {"vmaf_v1.0.16_hfr_5d0h", "v1.0.16_5d0h for high frame rates", false},
        {"vmaf_v1.0.16_hfr_1d5h_2160", "v1.0.16_1d5h_2160 for high frame rates", false},
});

} // namespace

std::span<const BuiltinModel> builtin_models() { return kVersions; }

std::string builtin_json(std::string_view version) {
    const auto is_it = [&](const auto &model) { return model.version == version; };
    if (std::none_of(kVersions.begin(), kVersions.end(), is_it))
        throw invalid("there is no built-in model '" + std::string(version) + "'");
    const PackedModel &model = *std::find_if(kPackedModels, kPackedModels + kPackedModelCount, is_it);
    const auto *const packed = static_cast<const unsigned char *>(find_resource("models"));
    return unpack({packed, kPackedModelBytes}, model.begin + model.size).substr(model.begin);
}

} // namespace vmaf
