// Structures of turbo.h begin with their size, so clients and the library may have different versions.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace vmaf::capi {

// Converts a caller's structure of any version to ours. Members that it lacks become 0; members that we lack must be 0.
template <class T> T own_version(const T &given) {
    T out{};
    if (given.size < sizeof given.size) throw invalid("a turbo.h structure has size 0; set size to sizeof");
    const auto *bytes = reinterpret_cast<const unsigned char *>(&given);
    if (given.size > sizeof out && std::any_of(bytes + sizeof out, bytes + given.size, [](auto b) { return b != 0; }))
        throw invalid("a turbo.h structure sets members that this library version does not have");
    std::memcpy(&out, &given, std::min(given.size, sizeof out));
    return out;
}

} // namespace vmaf::capi
