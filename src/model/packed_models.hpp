// Where each model file starts in the resource "models", one packed stream (embed_models.py).
#pragma once

#include <cstddef>
#include <string_view>

namespace vmaf {

struct PackedModel {
    std::string_view version;
    std::size_t begin, size; // in the unpacked stream
};
extern const PackedModel kPackedModels[];
extern const std::size_t kPackedModelCount, kPackedModelBytes;

} // namespace vmaf
