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

[[noreturn]] void refuse(const PlaneView<std::uint16_t> &plane, unsigned p, unsigned bits, std::uint16_t all,
                         SampleOwner owner, unsigned frame) {
    static constexpr const char *kPlanes[] = {"luma", "Cb", "Cr"};
    const unsigned largest = (1u << bits) - 1;
    int x = 0, y = 0;
    while (plane.row(y)[x] <= largest)
        if (++x == plane.width) {
            x = 0;
            y++;
        }
    const unsigned value = plane.row(y)[x], shift = 16 - bits;
    const bool is_aligned_high = (all & ((1u << shift) - 1)) == 0;
    const std::string cause =
        is_aligned_high
            ? "the samples seem to be aligned to the top of 16 bits, as in P010: shift them right by " +
                  std::to_string(shift) + " bits"
            : "the stated bit depth is probably wrong, or the samples are not in the low bits of little-endian words";
    throw SampleRangeError("frame " + std::to_string(frame) + ": the " +
                               (owner == SampleOwner::reference ? "reference" : "distorted") + " picture has a " +
                               kPlanes[p] + " sample of " + std::to_string(value) + " at column " + std::to_string(x) +
                               ", row " + std::to_string(y) + ", above " + std::to_string(largest) +
                               ", the largest of " + std::to_string(bits) + " bits; " + cause,
                           frame, owner, p, value);
}

} // namespace

void require_samples_in_range(const Picture &picture, unsigned planes, SampleOwner owner, unsigned frame, Isa isa,
                              Parallel &parallel) {
    const PictureFormat &format = picture.format();
    if (format.bits <= 8 || format.bits >= 16 || picture.memory() == Memory::device) return;
    for (unsigned p = 0; p < format.planes(); p++) {
        const auto plane = picture.plane<std::uint16_t>(p);
        if (!(planes >> p & 1) || !plane.data || plane.width == 0 || plane.height == 0) continue;
        const std::uint16_t all = bits_of_plane(plane, isa, parallel);
        if (all >> format.bits) refuse(plane, p, format.bits, all, owner, frame);
    }
}

std::uint16_t bits_of_rows(const PlaneView<std::uint16_t> &plane, int begin, int end) {
    std::uint16_t all = 0;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < plane.width; x++) all = static_cast<std::uint16_t>(all | plane.row(y)[x]);
    return all;
}

} // namespace vmaf
