#include "io/component_copy.hpp"

#include <algorithm>
#include <cstring>

namespace vmaf {

namespace {

template <class T> T load(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class From, class To> void copy_samples(const ComponentView &from, const PlaneTarget &to) {
    const unsigned left = to.bits - from.bits;
    const unsigned mask = (1u << from.bits) - 1;
    for (unsigned y = 0; y < to.height; y++) {
        const std::byte *at = from.first + static_cast<std::ptrdiff_t>(y) * from.down;
        auto *const row = reinterpret_cast<To *>(to.first + static_cast<std::ptrdiff_t>(y) * to.stride_bytes);
        for (unsigned x = 0; x < to.width; x++, at += from.across) {
            unsigned sample = load<From>(at);
            if (sizeof(From) == 2 && from.is_big_endian) sample = (sample >> 8 | sample << 8) & 0xffffu;
            row[x] = static_cast<To>((sample >> from.shift & mask) << left);
        }
    }
}

} // namespace

ComponentView turned(ComponentView view, unsigned width, unsigned height, int clockwise, bool is_mirrored) {
    const auto last_x = static_cast<std::ptrdiff_t>(width) - 1, last_y = static_cast<std::ptrdiff_t>(height) - 1;
    if (is_mirrored) { // left to right, before rotating
        view.first += last_x * view.across;
        view.across = -view.across;
    }
    const std::ptrdiff_t across = view.across, down = view.down;
    switch (clockwise) {
    case 90:
        view.first += last_y * down;
        view.across = -down;
        view.down = across;
        break;
    case 180:
        view.first += last_y * down + last_x * across;
        view.across = -across;
        view.down = -down;
        break;
    case 270:
        view.first += last_x * across;
        view.across = down;
        view.down = -across;
        break;
    default: break;
    }
    return view;
}

void copy_component(const ComponentView &from, const PlaneTarget &to) {
    const std::ptrdiff_t bytes = from.is_wide ? 2 : 1;
    const bool same_storage = from.across == bytes && from.shift == 0 && !from.is_big_endian && from.bits == to.bits;
    if (same_storage) {
        for (unsigned y = 0; y < to.height; y++)
            std::memcpy(to.first + static_cast<std::ptrdiff_t>(y) * to.stride_bytes,
                        from.first + static_cast<std::ptrdiff_t>(y) * from.down,
                        static_cast<std::size_t>(bytes) * to.width);
    } else if (from.is_wide) {
        to.bits > 8 ? copy_samples<std::uint16_t, std::uint16_t>(from, to)
                    : copy_samples<std::uint16_t, std::uint8_t>(from, to);
    } else {
        to.bits > 8 ? copy_samples<std::uint8_t, std::uint16_t>(from, to)
                    : copy_samples<std::uint8_t, std::uint8_t>(from, to);
    }
}

namespace {

template <class T, class Change> void change_samples(const PlaneTarget &plane, Change change) {
    for (unsigned y = 0; y < plane.height; y++) {
        auto *const row = reinterpret_cast<T *>(plane.first + static_cast<std::ptrdiff_t>(y) * plane.stride_bytes);
        for (unsigned x = 0; x < plane.width; x++) row[x] = static_cast<T>(change(row[x]));
    }
}

} // namespace

void map_samples(const PlaneTarget &plane, std::span<const std::uint16_t> table) {
    const auto largest = static_cast<unsigned>(table.size() - 1);
    const auto change = [&](unsigned sample) { return table[std::min(sample, largest)]; };
    plane.bits > 8 ? change_samples<std::uint16_t>(plane, change) : change_samples<std::uint8_t>(plane, change);
}

void fill_plane(const PlaneTarget &plane, unsigned value) {
    const auto change = [&](unsigned) { return value; };
    plane.bits > 8 ? change_samples<std::uint16_t>(plane, change) : change_samples<std::uint8_t>(plane, change);
}

} // namespace vmaf
