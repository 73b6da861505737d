#include "resources/resources.hpp"

namespace vmaf {

const void *find_resource(std::string_view name) {
    for (const Resource &resource : resources())
        if (resource.name == name) return resource.bytes;
    return nullptr;
}

} // namespace vmaf
