// Replaces the embedded resources in programs that are installed with the library, so kernels and models ship once.
#include <string>

#include "base/error.hpp"
#include "resources/edition.h"
#include "resources/resources.hpp"
#include "system/module_search.hpp"

namespace vmaf {

namespace {

const ResourceTable &load() {
    std::string reason;
    const void *const table = system::load_own_library("vmaf_private_resources", VMAF_EDITION, reason);
    if (!table)
        throw Error(ENOENT, "libvmaf, which holds the models and the device code, " + reason +
                                "; install this program and its library from the same build");
    return *static_cast<const ResourceTable *>(table);
}

} // namespace

std::span<const Resource> resources() {
    static const ResourceTable &table = load();
    return {table.first, table.count};
}

} // namespace vmaf
