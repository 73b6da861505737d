// Device code of one runtime: one image per set of kernels, embedded by the build. Metal's images are texts.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vmaf::module_api {

struct Image {
    const char *set;
    const void *code;
};

// The images of a runtime: those of the library, and those that tests add before devices are opened.
class Images {
  public:
    explicit Images(std::span<const Image> of_the_library) : images_(of_the_library.begin(), of_the_library.end()) {}
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
