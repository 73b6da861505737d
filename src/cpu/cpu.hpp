// The processor's instruction sets, and which of them may be used (cli-and-formats.md 8.1).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vmaf {

// The vector targets of the fast paths, weakest first. A metric without code for a target uses the next weaker one
// of the same family.
enum class Isa { scalar, neon, wasm, avx2, avx512, avx512icl };

// Bits of cpumask and of cpu_flags().
enum CpuFlag : std::uint32_t {
    kCpuSse2 = 1, // NEON on arm64, SIMD128 in WebAssembly
    kCpuSsse3 = 2,
    kCpuSse41 = 4,
    kCpuAvx2 = 8,
    kCpuAvx512 = 16,
    kCpuAvx512Icl = 32,
};

std::uint32_t cpu_flags();                      // supported by this processor and this build
Isa best_isa(std::uint64_t cpumask);            // the strongest target that the mask permits
std::vector<Isa> usable_isas();                 // all targets that can run here, weakest first; always includes scalar
std::vector<std::string_view> cpu_flag_names(); // "sse2", "ssse3", ... for --capabilities
std::string_view to_string(Isa isa);            // "avx512icl"

} // namespace vmaf
