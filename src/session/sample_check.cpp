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

SampleAbove first_above(const PlaneView<std::uint16_t> &plane, unsigned bits, std::uint16_t all) {
    int x = 0, y = 0;
    while (plane.row(y)[x] >> bits == 0)
        if (++x == plane.width) {
            x = 0;
            y++;
        }
    return {.bits = bits,
            .frame = 0,
            .owner = SampleOwner::reference,
            .plane = 0,
            .x = static_cast<unsigned>(x),
            .y = static_cast<unsigned>(y),
            .value = plane.row(y)[x],
            .is_aligned_high = (all & ((1u << (16 - bits)) - 1)) == 0};
}

} // namespace

SampleRangeError sample_above_depth(const SampleAbove &s) {
    static constexpr const char *kPlanes[] = {"luma", "Cb", "Cr"};
    const std::string cause =
        s.is_aligned_high
            ? "the samples seem to be aligned to the top of 16 bits, as in P010: shift them right by " +
                  std::to_string(16 - s.bits) + " bits"
            : "the stated bit depth is probably wrong, or the samples are not in the low bits of little-endian words";
    return {"frame " + std::to_string(s.frame) + ": the " +
                (s.owner == SampleOwner::reference ? "reference" : "distorted") + " picture has a " + kPlanes[s.plane] +
                " sample of " + std::to_string(s.value) + " at column " + std::to_string(s.x) + ", row " +
                std::to_string(s.y) + ", above " + std::to_string((1u << s.bits) - 1) + ", the largest of " +
                std::to_string(s.bits) + " bits; " + cause,
            s};
}

void require_samples_in_range(const Picture &picture, unsigned planes, SampleOwner owner, unsigned frame, Isa isa,
                              Parallel &parallel) {
    const PictureFormat &format = picture.format();
    if (!has_room_above_depth(format)) return;
    for (unsigned p = 0; p < format.planes(); p++) {
        const auto plane = picture.plane<std::uint16_t>(p);
        if (!(planes >> p & 1) || !plane.data || plane.width == 0 || plane.height == 0) continue;
        const std::uint16_t all = bits_of_plane(plane, isa, parallel);
        if (all >> format.bits == 0) continue;
        SampleAbove sample = first_above(plane, format.bits, all);
        sample.frame = frame;
        sample.owner = owner;
        sample.plane = p;
        throw sample_above_depth(sample);
    }
}

std::uint16_t bits_of_rows(const PlaneView<std::uint16_t> &plane, int begin, int end) {
    std::uint16_t all = 0;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < plane.width; x++) all = static_cast<std::uint16_t>(all | plane.row(y)[x]);
    return all;
}

} // namespace vmaf
