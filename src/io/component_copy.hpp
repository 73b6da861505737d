// Copies a component's samples from any layout to a plane of a picture: packed and interleaved formats, high bits, byte
// orders, rotation, a common depth. Exact: moves and shifts samples, never rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vmaf {

struct ComponentView {
    const std::byte *first = nullptr;            // of the sample for the top left corner
    std::ptrdiff_t across = 0, down = 0;         // bytes to the right and the lower neighbour
    unsigned bits = 8;                           // of a sample
    unsigned shift = 0;                          // bits below the sample
    bool is_wide = false, is_big_endian = false; // 16-bit storage
};

struct PlaneTarget {
    std::byte *first = nullptr;
    std::ptrdiff_t stride_bytes = 0;
    unsigned width = 0, height = 0;
    unsigned bits = 8; // at least those of the component
};

// The same component with the picture rotated: `width` and `height` are those before.
ComponentView turned(ComponentView view, unsigned width, unsigned height, int clockwise, bool is_mirrored);

void copy_component(const ComponentView &from, const PlaneTarget &to);

// Replaces every sample by table[sample]; the table has 2^bits entries.
void map_samples(const PlaneTarget &plane, std::span<const std::uint16_t> table);
void fill_plane(const PlaneTarget &plane, unsigned value);

} // namespace vmaf
