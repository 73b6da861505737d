// Device code of a runtime: one image per set of kernels, embedded by the build. Metal's images are source text.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "resources/resources.hpp"

namespace vmaf::module_api {

struct Image {
    const char *set;
    const void *code;
};

// The library's images for a runtime.
inline std::vector<Image> carried(std::string_view runtime) {
    std::vector<Image> images;
    for (const Resource &resource : resources())
        if (std::string_view(resource.name).starts_with(runtime) && resource.name[runtime.size()] == '/')
            images.push_back({resource.name + runtime.size() + 1, resource.bytes});
    return images;
}

// The images of a runtime: the library's, and those that tests add before opening devices.
class Images {
  public:
    explicit Images(std::vector<Image> of_the_library) : images_(std::move(of_the_library)) {}
    void add(const Image &image) { images_.push_back(image); }
    const void *find(std::string_view set) const {
        for (const Image &image : images_)
            if (image.set == set) return image.code;
        return nullptr;
    }
    bool empty() const { return images_.empty(); }

  private:
    std::vector<Image> images_;
};

} // namespace vmaf::module_api

namespace vmaf::cuda {
module_api::Images &images();
}
namespace vmaf::hip {
module_api::Images &images();
}
namespace vmaf::metal {
module_api::Images &images();
}
