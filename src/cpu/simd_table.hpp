// One function in a version per instruction set.
#pragma once

#include "cpu/cpu.hpp"

namespace vmaf {

// A null entry falls back to the next weaker one. `scalar` is always set.
template <class Function> struct SimdTable {
    Function *scalar = nullptr;
    Function *neon = nullptr;
    Function *wasm = nullptr;
    Function *avx2 = nullptr;
    Function *avx512 = nullptr;
    Function *avx512icl = nullptr;

    constexpr Function *pick(Isa isa) const {
        if (isa == Isa::neon && neon) return neon;
        if (isa == Isa::wasm && wasm) return wasm;
        if (isa >= Isa::avx512icl && avx512icl) return avx512icl;
        if (isa >= Isa::avx512 && avx512) return avx512;
        if (isa >= Isa::avx2 && avx2) return avx2;
        return scalar;
    }
};

} // namespace vmaf
