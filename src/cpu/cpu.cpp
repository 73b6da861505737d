#include "cpu/cpu.hpp"

#include <array>

#include "config.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace vmaf {

namespace {

#if defined(__x86_64__)
std::uint64_t xgetbv() {
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (std::uint64_t(high) << 32) | low;
}

std::uint32_t detect() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    std::uint32_t flags = 0;
    const auto has = [](unsigned value, unsigned bits) { return (value & bits) == bits; };
    if (!has(d, 0x06008000)) return flags;
    flags |= kCpuSse2;
    if (!has(c, 0x00000201)) return flags;
    flags |= kCpuSsse3;
    if (!has(c, 0x00080000)) return flags;
    flags |= kCpuSse41;
    if (!has(c, 0x18001000)) return flags; // OSXSAVE, AVX, FMA (Highway's AVX2 target needs FMA)
    const std::uint64_t xcr0 = xgetbv();
    unsigned b7 = 0, c7 = 0;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d)) return flags;
    if ((xcr0 & 0x6) != 0x6 || !has(b7, 0x128)) return flags;
    flags |= kCpuAvx2;
    if (!VMAF_ENABLE_AVX512 || (xcr0 & 0xe0) != 0xe0 || !has(b7, 0xd0030000)) return flags;
    flags |= kCpuAvx512;
    if (has(b7, 0xd0230000) && has(c7, 0x5f42)) flags |= kCpuAvx512Icl;
    return flags;
}
#elif defined(__aarch64__) || defined(__wasm_simd128__) // engines without SIMD128 refuse the whole module
std::uint32_t detect() { return kCpuSse2; }
#else
std::uint32_t detect() { return 0; }
#endif

} // namespace

std::uint32_t cpu_flags() {
    static const std::uint32_t flags = VMAF_ENABLE_ASM ? detect() : 0;
    return flags;
}

Isa best_isa(std::uint64_t cpumask) {
    const std::uint32_t allowed = cpu_flags() & ~static_cast<std::uint32_t>(cpumask);
    if (!(allowed & kCpuSse2)) return Isa::scalar; // forbids every vector target
#if defined(__aarch64__)
    return Isa::neon;
#elif defined(__wasm__)
    return Isa::wasm;
#else
    if (allowed & kCpuAvx512Icl) return Isa::avx512icl;
    if (allowed & kCpuAvx512) return Isa::avx512;
    if (allowed & kCpuAvx2) return Isa::avx2;
    return Isa::scalar;
#endif
}

std::vector<Isa> usable_isas() {
    std::vector<Isa> list = {Isa::scalar};
    const std::uint32_t flags = cpu_flags();
#if defined(__aarch64__)
    if (flags & kCpuSse2) list.push_back(Isa::neon);
#elif defined(__wasm__)
    if (flags & kCpuSse2) list.push_back(Isa::wasm);
#else
    if (flags & kCpuAvx2) list.push_back(Isa::avx2);
    if (flags & kCpuAvx512) list.push_back(Isa::avx512);
    if (flags & kCpuAvx512Icl) list.push_back(Isa::avx512icl);
#endif
    return list;
}

std::vector<std::string_view> cpu_flag_names() {
#if defined(__aarch64__)
    constexpr std::array<std::string_view, 1> names = {"neon"};
#elif defined(__wasm__)
    constexpr std::array<std::string_view, 1> names = {"simd128"};
#else
    constexpr std::array<std::string_view, 6> names = {"sse2", "ssse3", "sse4.1", "avx2", "avx512", "avx512icl"};
#endif
    std::vector<std::string_view> list;
    for (std::size_t i = 0; i < names.size(); i++)
        if (cpu_flags() & (1u << i)) list.push_back(names[i]);
    return list;
}

std::string_view to_string(Isa isa) {
    switch (isa) {
    case Isa::neon: return "neon";
    case Isa::wasm: return "simd128";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    case Isa::avx512icl: return "avx512icl";
    default: return "scalar";
    }
}

} // namespace vmaf
