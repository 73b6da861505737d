// The data of a trial: planes with a pattern, outputs and scratch memory, all guarded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned.hpp"
#include "equality/guarded_memory.hpp"
#include "picture/picture.hpp"

namespace vmaf::equality {

enum class Pattern {
    random,   // every sample independent
    extreme,  // only the lowest and the highest value, randomly
    opposite, // flat planes, alternating lowest and highest
    same,     // all planes equal
    content,  // a ramp with a little noise that differs between planes
    checker,  // full-contrast squares, shifted from plane to plane
};
inline constexpr Pattern kPatterns[] = {Pattern::random, Pattern::extreme, Pattern::opposite,
                                        Pattern::same,   Pattern::content, Pattern::checker};
std::string_view to_string(Pattern pattern);

struct Shape {
    int width, height;
    unsigned bits;
    Pattern pattern;
};

class Workload {
  public:
    using Random = std::mt19937;

    // Equal seeds give equal inputs. `junk_seed` varies what must not matter: bytes around inputs, and initial outputs
    // and scratch memory.
    Workload(const Shape &shape, std::uint32_t seed, std::uint32_t junk_seed);

    const int width, height;
    const unsigned bits;
    const Pattern pattern;

    // A plane of samples at the workload's depth; rows have any alignment and may be over-read by kOverreadBytes.
    template <class T> PlaneView<T> plane() { return plane<T>(width, height); }
    template <class T> PlaneView<T> plane(int plane_width, int plane_height);
    // A plane of floats: 0 <= value <= 1 in the same patterns, times `scale`, plus `offset`.
    PlaneView<float> float_plane(int plane_width, int plane_height, float scale, float offset);
    // Other inputs: `count` values from fill(random, i), aligned like AlignedArray and over-readable.
    template <class T, class Fill> const T *input(std::size_t count, const Fill &fill);

    // Compared between versions, and guarded; may be overwritten by `slack` bytes.
    template <class T> T *output(std::size_t count, std::size_t slack = 0);
    // Not compared. Aligned to kAlignment; may be overwritten by kOverreadBytes.
    std::byte *scratch(std::size_t bytes);

    Random &random() { return random_; } // for parameters that all versions share

    // What differs from the scalar run; empty if nothing does.
    std::string compare(const Workload &expected, double tolerance) const;

  private:
    enum class Kind { bytes, f32, f64 };
    struct Output {
        const std::byte *data;
        std::size_t bytes;
        Kind kind;
    };

    double level(int plane_number, int x, int y); // 0..1
    std::byte *keep(GuardedMemory memory);
    void add_output(const std::byte *data, std::size_t bytes, Kind kind) { outputs_.push_back({data, bytes, kind}); }
    template <class T, class Sample> PlaneView<T> fill_plane(int plane_width, int plane_height, const Sample &sample);

    Random random_, junk_;
    int planes_ = 0;
    int checker_size_, flip_;
    std::vector<double> shared_; // Pattern::same: the first plane's levels
    std::vector<GuardedMemory> memory_;
    std::vector<Output> outputs_;
};

template <class T, class Sample>
PlaneView<T> Workload::fill_plane(int plane_width, int plane_height, const Sample &sample) {
    const std::ptrdiff_t stride = plane_width + std::ptrdiff_t(random_() % 37);
    const std::size_t samples = std::size_t(stride) * std::size_t(plane_height - 1) + std::size_t(plane_width);
    // Half of the planes start right after unreadable memory, half end right before it (plus over-read).
    const bool at_front = random_() % 2 == 0;
    const std::size_t before = at_front ? 0 : (random_() % 64) * sizeof(T);
    const std::size_t bytes = before + samples * sizeof(T) + kOverreadBytes;
    T *const data = reinterpret_cast<T *>(
        keep(GuardedMemory(bytes, at_front ? Placement::front : Placement::back, junk_)) + before);
    const int number = planes_++;
    for (int y = 0; y < plane_height; y++)
        for (int x = 0; x < plane_width; x++) data[y * stride + x] = T(sample(level(number, x, y)));
    memory_.back().freeze();
    return {data, stride, plane_width, plane_height};
}

template <class T> PlaneView<T> Workload::plane(int plane_width, int plane_height) {
    const double top = double((1u << bits) - 1);
    return fill_plane<T>(plane_width, plane_height, [top](double v) { return v * top + 0.5; });
}

template <class T, class Fill> const T *Workload::input(std::size_t count, const Fill &fill) {
    T *const data = reinterpret_cast<T *>(
        keep(GuardedMemory(round_up(count * sizeof(T) + kOverreadBytes, kAlignment), Placement::front, junk_)));
    for (std::size_t i = 0; i < count; i++) data[i] = fill(random_, i);
    memory_.back().freeze();
    return data;
}

template <class T> T *Workload::output(std::size_t count, std::size_t slack) {
    std::byte *const data = keep(GuardedMemory(count * sizeof(T) + slack, Placement::aligned, junk_));
    constexpr Kind kind = std::is_same_v<T, float> ? Kind::f32 : std::is_same_v<T, double> ? Kind::f64 : Kind::bytes;
    add_output(data, count * sizeof(T), kind);
    return reinterpret_cast<T *>(data);
}

} // namespace vmaf::equality
