#include "session/sample_check.hpp"

#include <atomic>
#include <string>

#include "metrics/strips.hpp"

namespace vmaf {

namespace {

constexpr int kMinStrip = 128; // rows

std::uint16_t bits_of_plane(const PlaneView<std::uint16_t> &plane, Isa isa, Parallel &parallel) {
    BitsOfRows *const bits = pick_bits_of_rows(isa);
    const unsigned strips = strip_count(parallel, plane.height, kMinStrip);
    if (strips == 1) return bits(plane, 0, plane.height);
    std::atomic<std::uint16_t> all{0};
    for_each_strip(parallel, plane.height, strips,
                   [&](unsigned, int begin, int end) { all |= bits(plane, begin, end); });
    return all;
}

} // namespace

Error sample_above_depth(unsigned frame, SampleOwner owner, const SampleAbove &sample) {
    return invalid("frame " + std::to_string(frame) + ": the " +
                   (owner == SampleOwner::reference ? "reference" : "distorted") + " picture has a " +
                   describe(sample));
}

void require_samples_in_range(const Picture &picture, unsigned planes, SampleOwner owner, unsigned frame, Isa isa,
                              Parallel &parallel) {
    const PictureFormat &format = picture.format();
    if (!has_room_above_depth(format)) return;
    for (unsigned p = 0; p < format.planes(); p++) {
        const auto plane = picture.plane<std::uint16_t>(p);
        if (!(planes >> p & 1) || !plane.data || plane.width == 0 || plane.height == 0) continue;
        if (bits_of_plane(plane, isa, parallel) >> format.bits)
            throw sample_above_depth(frame, owner, first_above(plane, p, format.bits));
    }
}

std::uint16_t bits_of_rows(const PlaneView<std::uint16_t> &plane, int begin, int end) {
    std::uint16_t all = 0;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < plane.width; x++) all = static_cast<std::uint16_t>(all | plane.row(y)[x]);
    return all;
}

} // namespace vmaf
