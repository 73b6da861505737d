#include "equality/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vmaf::equality {

std::string_view to_string(Pattern pattern) {
    switch (pattern) {
    case Pattern::random: return "random";
    case Pattern::extreme: return "extreme";
    case Pattern::opposite: return "opposite";
    case Pattern::same: return "same";
    case Pattern::content: return "content";
    default: return "checker";
    }
}

Workload::Workload(const Shape &shape, std::uint32_t seed, std::uint32_t junk_seed)
    : width(shape.width), height(shape.height), bits(shape.bits), pattern(shape.pattern), random_(seed),
      junk_(junk_seed), checker_size_(1 + int(random_() % 9)), flip_(int(random_() % 2)) {}

double Workload::level(int plane_number, int x, int y) {
    const auto uniform = [&] { return double(random_()) / double(Random::max()); };
    switch (pattern) {
    case Pattern::random: return uniform();
    case Pattern::extreme: return double(random_() % 2);
    case Pattern::opposite: return double((plane_number + flip_) % 2);
    case Pattern::same: {
        const std::size_t i = std::size_t(y) * 8192 + std::size_t(x);
        if (shared_.size() <= i) shared_.resize(i + 1, -1.0);
        if (shared_[i] < 0) shared_[i] = uniform();
        return shared_[i];
    }
    case Pattern::content: return 0.2 + 0.5 * double((x * 3 + y * 5) % 1000) / 1000 + (uniform() - 0.5) * 0.06;
    default: return double((x / checker_size_ + y / checker_size_ + plane_number + flip_) % 2);
    }
}

std::byte *Workload::keep(GuardedMemory memory) {
    memory_.push_back(std::move(memory));
    return memory_.back().data();
}

PlaneView<float> Workload::float_plane(int plane_width, int plane_height, float scale, float offset) {
    return fill_plane<float>(plane_width, plane_height, [&](double v) { return v * scale + offset; });
}

std::byte *Workload::scratch(std::size_t bytes) {
    return keep(GuardedMemory(round_up(bytes + kOverreadBytes, kAlignment), Placement::aligned, junk_));
}

namespace {

template <class T>
std::string first_difference(const std::byte *got, const std::byte *want, std::size_t bytes, double tolerance) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        if (std::memcmp(got + at, want + at, sizeof(T)) == 0) continue;
        T a, b;
        std::memcpy(&a, got + at, sizeof(T));
        std::memcpy(&b, want + at, sizeof(T));
        if constexpr (std::is_floating_point_v<T>)
            if (std::abs(double(a) - double(b)) <= tolerance * std::abs(double(b))) continue;
        return "element " + std::to_string(at / sizeof(T)) + " is " + std::to_string(a) + ", the scalar code gives " +
               std::to_string(b);
    }
    return {};
}

} // namespace

std::string Workload::compare(const Workload &expected, double tolerance) const {
    for (const GuardedMemory &memory : memory_)
        if (!memory.intact()) return "wrote outside of a buffer";
    for (std::size_t i = 0; i < outputs_.size(); i++) {
        const Output &got = outputs_[i], &want = expected.outputs_.at(i);
        std::string difference;
        if (got.kind == Kind::f64)
            difference = first_difference<double>(got.data, want.data, got.bytes, tolerance);
        else if (got.kind == Kind::f32)
            difference = first_difference<float>(got.data, want.data, got.bytes, tolerance);
        else
            difference = first_difference<unsigned char>(got.data, want.data, got.bytes, 0);
        if (!difference.empty()) return "output " + std::to_string(i) + ": " + difference;
    }
    return {};
}

} // namespace vmaf::equality
