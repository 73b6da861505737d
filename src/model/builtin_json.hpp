// Model files as the build embedded them (embed_models.py), in no particular order.
#pragma once

#include <cstddef>
#include <string_view>

namespace vmaf {

struct EmbeddedModel {
    std::string_view version, json;
};
extern const EmbeddedModel kEmbeddedModels[];
extern const std::size_t kEmbeddedModelCount;

} // namespace vmaf
