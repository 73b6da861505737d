// Structures of turbo.h begin with their size, so that versions of clients and of the library may differ.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace vmaf::capi {

// A caller's structure of whatever version, as ours. Members that it lacks are 0; those that we lack must be.
template <class T> T own_version(const T &given) {
    T out{};
    if (given.size < sizeof given.size) throw invalid("a structure of turbo.h has no size; set it to sizeof");
    const auto *bytes = reinterpret_cast<const unsigned char *>(&given);
    if (given.size > sizeof out && std::any_of(bytes + sizeof out, bytes + given.size, [](auto b) { return b != 0; }))
        throw invalid("a structure of turbo.h uses members that this version of the library does not have");
    std::memcpy(&out, &given, std::min(given.size, sizeof out));
    return out;
}

} // namespace vmaf::capi
